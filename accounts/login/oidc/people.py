"""Which account a person from the provider gets: the linked one, the proven one, a new one or none."""

from __future__ import annotations

from typing import Any, NoReturn

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.login.audit import record_sign_in
from accounts.login.external import SINGLE_SIGN_ON
from accounts.login.oidc.config import OidcConfig, oidc_config
from accounts.login.oidc.provider import SingleSignOn
from accounts.login.registration import (
    account_of,
    begin_as_member,
    confirm_address,
    may_be_provisioned,
)
from accounts.models import User
from accounts.services.signup import give_personal_space
from core.errors import Conflict
from core.names import clean_name


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth ships no types
    """allauth's hooks, answered by the installation's rules."""

    def list_apps(
        self, request: HttpRequest, provider: str | None = None, client_id: str | None = None
    ) -> list[SocialApp]:
        """Return the one configured provider; none is kept in the database."""
        del request
        config = oidc_config()
        if config is None or provider not in (None, SINGLE_SIGN_ON, SingleSignOn.id):
            return []
        return [_app(config)] if client_id in (None, config.client_id) else []

    def list_providers(self, request: HttpRequest) -> list[SingleSignOn]:
        """Return the one configured provider."""
        return [SingleSignOn(request, app=app) for app in self.list_apps(request)]

    def get_provider(
        self, request: HttpRequest, provider: str, client_id: str | None = None
    ) -> SingleSignOn:
        """Return the provider called `provider`."""
        return SingleSignOn(request, app=self.get_app(request, provider, client_id))

    def on_authentication_error(
        self,
        request: HttpRequest,
        provider: Any,
        error: Any = None,
        exception: Any = None,
        **_: Any,
    ) -> None:
        """Write down what went wrong; the person sees a page that does not tell it."""
        del provider
        reason = f"{type(exception).__name__}: {exception}" if exception else str(error or "state")
        record_sign_in(
            "failed",
            user=None,
            request=request,
            outcome="refused",
            method=SINGLE_SIGN_ON,
            reason=reason[:300],
        )

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Refuse who may not come in, before anything is linked or made."""
        config = _require(oidc_config())
        claims = sociallogin.account.extra_data
        email = claims["email"]
        if email and not config.lets_in(email):
            _refuse(
                request, _("E-mail addresses like yours are not accepted here."), reason="domain"
            )
        if sociallogin.is_existing or sociallogin.state.get("process") == "connect":
            return
        if not email or not claims["verified"]:
            text = _(
                "%(name)s does not say that your e-mail address is confirmed. Confirm it there and "
                "come back, or sign in with a password and connect %(name)s on your security page."
            )
            _refuse(request, text % {"name": config.name}, reason="unverified")
        try:
            user = account_of(email)
        except Conflict as conflict:
            _refuse(request, conflict.message, reason="unconfirmed account")
        if user is not None:
            confirm_address(user, email)
            sociallogin.connect(request, user)
        elif not may_be_provisioned(email, provisioning=config.provisioning):
            text = _("There is no account for %(email)s. Ask an administrator for an invitation.")
            _refuse(request, text % {"email": email}, reason="no account")

    def authenticate_by_email(self, sociallogin: SocialLogin) -> None:
        """Leave it to `pre_social_login`, which has stricter rules."""
        del sociallogin

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: object) -> str:
        """Lead back to the page on which one connects."""
        del request, socialaccount
        return reverse("security")

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """Say yes: who comes this far may have an account."""
        del request, sociallogin
        return True

    def populate_user(self, request: HttpRequest, sociallogin: SocialLogin, data: Any) -> User:
        """Fill a new account."""
        del request
        user: User = sociallogin.user
        user.email = sociallogin.account.extra_data["email"]
        user.name = clean_name(data.get("name") or "")
        return user

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: Any = None) -> User:
        """Make the account with its confirmed address and the space it begins in."""
        del form
        config = _require(oidc_config())
        user: User = sociallogin.user
        with transaction.atomic():
            user.set_unusable_password()
            sociallogin.save(request)
            confirm_address(user, user.email)
            begin_as_member(user, space_id=config.space_id, role=config.role)
            if not user.memberships.exists():
                give_personal_space(user)
        return user


def _app(config: OidcConfig) -> SocialApp:
    return SocialApp(
        provider="openid_connect",
        provider_id=SINGLE_SIGN_ON,
        name=config.name,
        client_id=config.client_id,
        secret=config.client_secret,
        settings={"server_url": config.discovery_url, "oauth_pkce_enabled": True},
    )


def _require(config: OidcConfig | None) -> OidcConfig:
    assert config is not None, "the callback is not reached without a provider"
    return config


def _refuse(request: HttpRequest, text: str, *, reason: str) -> NoReturn:
    """Answer with a page that says what to do; allauth passes the answer on."""
    record_sign_in(
        "failed",
        user=None,
        request=request,
        outcome="refused",
        method=SINGLE_SIGN_ON,
        reason=reason,
    )
    page = render(request, "socialaccount/refused.html", {"text": text}, status=403)
    raise ImmediateHttpResponse(page)
