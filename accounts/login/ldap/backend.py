"""Asks the directory for the password, and finds or makes the account of who has it.

In order: bind as the searcher (over TLS), find one entry by the typed address, bind as that entry
with the typed password, then match the entry's address with an account.
"""

from __future__ import annotations

from typing import Any, NoReturn

import ldap
from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django_auth_ldap.backend import LDAPBackend
from django_auth_ldap.config import GroupOfNamesType, LDAPSearch, LDAPSettings

from accounts.actors import system_actor
from accounts.constants import Role
from accounts.login.audit import record_sign_in
from accounts.login.external import DIRECTORY
from accounts.login.ldap.config import LdapConfig, ldap_config
from accounts.login.ldap.links import link_of, remember_link
from accounts.login.registration import (
    account_of,
    begin_as_member,
    confirm_address,
    may_be_provisioned,
)
from accounts.models import Membership, User
from accounts.services.members import change_role
from accounts.services.signup import give_personal_space
from core.errors import Conflict
from core.names import clean_name

# mypy: disable-error-code="misc"
# django-auth-ldap ships no types; what is built on its classes is checked as far as ours goes.

TIMEOUT_SECONDS = 5


class DirectoryBackend(LDAPBackend):
    """One directory, described by our settings."""

    @property
    def settings(self) -> LDAPSettings:
        """Return django-auth-ldap's settings, made of ours."""
        config = ldap_config()
        assert config is not None, "the backend is only listed when there is a directory"
        return LDAPSettings(self.settings_prefix, _defaults(config))

    @settings.setter
    def settings(self, value: object) -> None:
        raise AttributeError(f"set WEKNORA_LDAP_…, not {value!r}")

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        """Return the account of who has this address and password in the directory.

        Raises:
            ValidationError: they have, but may not come in; the text says why.
        """
        email = kwargs.get("email") or username
        if not email or not password:
            return None
        user: User | None = super().authenticate(request, username=email, password=password)
        return user

    def get_or_build_user(self, username: str, ldap_user: Any) -> tuple[User, bool]:
        """Find the account that is linked to the entry, else the one of its address, else make it.

        Raises:
            ValidationError: neither is there, and none may be made.
        """
        del username
        config = _require(ldap_config())
        linked = link_of(ldap_user.dn)
        if linked is not None:
            return linked, False
        email = _first(ldap_user, config.email_attribute).lower()
        if not email:
            _refuse(ldap_user, _("Your entry in the directory has no e-mail address."))
        try:
            user = account_of(email)
        except Conflict as conflict:
            _refuse(ldap_user, conflict.message)
        if user is None:
            user = _new_account(config, email, ldap_user)
        confirm_address(user, email)
        remember_link(user, ldap_user.dn)
        return user, False

    def authenticate_ldap_user(self, ldap_user: Any, password: str) -> User | None:
        """Check the password, then give the role that the person's groups say."""
        user: User | None = super().authenticate_ldap_user(ldap_user, password)
        config = _require(ldap_config())
        if user is not None and config.space_id and config.group_base:
            groups = frozenset(str(name).lower() for name in ldap_user.group_names)
            _set_role(user, space_id=config.space_id, role=config.role_by(groups))
        return user

    def get_user(self, user_id: int) -> User | None:
        """Return the person of a session; nobody who was switched off."""
        user: User | None = ModelBackend().get_user(user_id)
        return user

    def has_perm(self, user: User, perm: str, obj: Any = None) -> bool:
        """Give no permission: the engine of `accounts.access` does."""
        del user, perm, obj
        return False

    def has_module_perms(self, user: User, app_label: str) -> bool:
        """Give no permission."""
        del user, app_label
        return False

    def get_all_permissions(self, user: User, obj: Any = None) -> set[str]:
        """Give no permission."""
        del user, obj
        return set()


def _defaults(config: LdapConfig) -> dict[str, Any]:
    options = {
        ldap.OPT_NETWORK_TIMEOUT: TIMEOUT_SECONDS,
        ldap.OPT_TIMEOUT: TIMEOUT_SECONDS,
        ldap.OPT_REFERRALS: 0,  # a referral would carry the searcher's password to another host
        ldap.OPT_X_TLS_REQUIRE_CERT: ldap.OPT_X_TLS_DEMAND,
    }
    if config.ca_file:
        options[ldap.OPT_X_TLS_CACERTFILE] = config.ca_file
    options[ldap.OPT_X_TLS_NEWCTX] = 0  # last: it makes the options of TLS hold
    search = LDAPSearch(config.user_base, ldap.SCOPE_SUBTREE, config.user_filter)
    found: dict[str, Any] = {
        "SERVER_URI": config.url,
        "START_TLS": config.start_tls,
        "BIND_DN": config.bind_dn,
        "BIND_PASSWORD": config.bind_password,
        "CONNECTION_OPTIONS": options,
        "USER_SEARCH": search,
        "ALWAYS_UPDATE_USER": False,
        "PERMIT_EMPTY_PASSWORD": False,
    }
    if config.group_base:
        found["GROUP_SEARCH"] = LDAPSearch(
            config.group_base,
            ldap.SCOPE_SUBTREE,
            "(|(objectClass=groupOfNames)(objectClass=group))",
        )
        found["GROUP_TYPE"] = GroupOfNamesType(name_attr="cn")
    return found


def _new_account(config: LdapConfig, email: str, ldap_user: Any) -> User:
    if not may_be_provisioned(email, provisioning=config.provisioning):
        text = _("There is no account for %(email)s. Ask an administrator for an invitation.")
        _refuse(ldap_user, text % {"email": email})
    name = clean_name(_first(ldap_user, config.name_attribute))[:150]
    with transaction.atomic():
        user = User.objects.create_user(email, None, name=name)
        begin_as_member(user, space_id=config.space_id, role=config.role)
        if not user.memberships.exists():
            give_personal_space(user)
    return user


def _set_role(user: User, *, space_id: int, role: Role) -> None:
    """Give the role of the groups in the one space that the directory rules; owners stay owners."""
    membership = Membership.objects.filter(user=user, space_id=space_id).first()
    if membership is None:
        Membership.objects.create(user=user, space_id=space_id, role=role)
    elif membership.role not in (Role.OWNER, role):
        change_role(system_actor(space_id=space_id), membership_id=membership.pk, role=role)


def _first(ldap_user: Any, attribute: str) -> str:
    values = ldap_user.attrs.get(attribute) or [""]
    return str(values[0]).strip()[:254]


def _refuse(ldap_user: Any, text: str) -> NoReturn:
    """Say no to somebody whose password was right."""
    record_sign_in(
        "failed",
        user=None,
        request=ldap_user._request,
        outcome="refused",
        method=DIRECTORY,
        reason=text,
    )
    raise ValidationError(text, code="not_let_in")


def _require(config: LdapConfig | None) -> LdapConfig:
    assert config is not None, "the backend is only listed when there is a directory"
    return config
