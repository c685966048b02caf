"""What the installation was told about its directory."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from django.conf import settings

from accounts.constants import RANK, Role
from accounts.login.registration import Provisioning

BACKEND = "accounts.login.ldap.backend.DirectoryBackend"


@dataclass(frozen=True, kw_only=True)
class LdapConfig:
    """One directory."""

    url: str
    start_tls: bool
    ca_file: str
    """Certificate authority of the directory; blank: the system's."""
    bind_dn: str
    """Who searches; blank: nobody in particular."""
    bind_password: str
    user_base: str
    user_filter: str
    """`%(user)s` stands for the typed address, escaped."""
    email_attribute: str
    name_attribute: str
    group_base: str
    """Below it are the groups; blank: groups are not looked at."""
    group_roles: Mapping[str, Role]
    """Role in the space by the name (`cn`) of a group."""
    provisioning: Provisioning
    space_id: int | None
    role: Role
    """In the space, for those in none of these groups."""

    @property
    def is_protected(self) -> bool:
        """Whether passwords travel encrypted, or stay on this machine."""
        parts = urlsplit(self.url)
        local = parts.scheme == "ldapi" or parts.hostname in ("127.0.0.1", "::1", "localhost")
        return parts.scheme == "ldaps" or self.start_tls or local

    def role_by(self, groups: frozenset[str]) -> Role:
        """Return the highest role that one of these groups gives."""
        roles = [role for name, role in self.group_roles.items() if name.lower() in groups]
        return max(roles, key=lambda role: RANK[role], default=self.role)


def ldap_config() -> LdapConfig | None:
    """Return the directory; None when there is none."""
    if not settings.LDAP_URL:
        return None
    return LdapConfig(
        url=settings.LDAP_URL,
        start_tls=settings.LDAP_START_TLS,
        ca_file=settings.LDAP_CA_FILE,
        bind_dn=settings.LDAP_BIND_DN,
        bind_password=settings.LDAP_BIND_PASSWORD,
        user_base=settings.LDAP_USER_BASE,
        user_filter=settings.LDAP_USER_FILTER,
        email_attribute=settings.LDAP_EMAIL_ATTRIBUTE,
        name_attribute=settings.LDAP_NAME_ATTRIBUTE,
        group_base=settings.LDAP_GROUP_BASE,
        group_roles=group_roles(settings.LDAP_GROUP_ROLES),
        provisioning=cast(Provisioning, settings.LDAP_PROVISION),
        space_id=settings.LDAP_SPACE or None,
        role=Role(settings.LDAP_ROLE),
    )


def group_roles(pairs: list[str]) -> dict[str, Role]:
    """Read `group=role` pairs.

    Raises:
        ValueError: one is no pair, or names no role that can be given; owners are made by people.
    """
    found = {}
    for pair in pairs:
        name, _, role = pair.rpartition("=")
        if not name or role not in (Role.ADMIN, Role.CONTRIBUTOR, Role.VIEWER):
            raise ValueError(f"{pair!r} is not group=admin, group=contributor or group=viewer")
        found[name.strip()] = Role(role)
    return found


def is_installed() -> bool:
    """Say whether the packages of requirements-ldap.txt are there."""
    return all(importlib.util.find_spec(name) for name in ("ldap", "django_auth_ldap"))
