"""The way to the provider and back: state, PKCE and nonce belong to one browser and one sign-in.

allauth keeps the state in the session, once, for ten minutes, together with PKCE's verifier and our
nonce. It does not bind ID tokens to a nonce nor check their signature; this does both.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any
from urllib.parse import urlencode

from allauth.account.internal.emailkit import valid_email_or_none
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialToken
from allauth.socialaccount.providers.base.provider import ProviderException
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from allauth.utils import build_absolute_uri
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from requests import RequestException  # noqa: TID251  what allauth raises; it makes the requests

from accounts.login.external import SINGLE_SIGN_ON
from accounts.login.oidc.config import OidcConfig, oidc_config
from accounts.login.oidc.tokens import Identity, TokenRefused, identity_of, read_id_token

# mypy: disable-error-code="misc"
# allauth ships no types; what is built on its classes is checked as far as ours goes.


ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class SingleSignOnAdapter(OpenIDConnectOAuth2Adapter):
    """Talks to the provider's endpoints."""

    state: dict[str, Any]
    """What this browser's sign-in began with; set by the callback."""

    @property
    def openid_config(self) -> dict[str, Any]:
        """Return the provider's description of itself.

        Raises:
            ProviderException: it cannot be read, speaks for another issuer, or lacks an endpoint.
        """
        try:
            found: dict[str, Any] = super().openid_config
        except RequestException as error:
            raise ProviderException(f"discovery failed: {type(error).__name__}") from error
        missing = [name for name in ENDPOINTS if name not in found]
        if missing:
            raise ProviderException(f"discovery names no {', '.join(missing)}")
        if found.get("issuer") != _config().issuer:
            raise ProviderException(f"discovery names the issuer {found.get('issuer')!r}")
        return found

    def get_callback_url(self, request: HttpRequest, app: object) -> str:
        """Return where the provider sends the browser back."""
        del app
        return str(build_absolute_uri(request, reverse("oidc_callback")))

    def complete_login(
        self, request: HttpRequest, app: Any, token: SocialToken, **kwargs: Any
    ) -> Any:
        """Return the person of the answer, after everything about it was checked."""
        del app
        try:
            identity = self._identity(token.token, kwargs["response"].get("id_token", ""))
        except TokenRefused as refusal:
            raise ProviderException(str(refusal)) from refusal
        return self.get_provider().sociallogin_from_response(request, {"identity": identity})

    def _identity(self, access_token: str, id_token: str) -> Identity:
        config, described = _config(), self.openid_config
        with get_adapter().get_requests_session() as session:
            answer = session.get(described["jwks_uri"])
            answer.raise_for_status()
            keys = answer.json()
        claims = read_id_token(
            id_token,
            keys=keys,
            issuer=config.issuer,
            client_id=config.client_id,
            nonce=str(self.state.get("nonce", "")),
        )
        missing = not claims.get("email") and "userinfo_endpoint" in described
        return identity_of(claims, self._fetch_user_info(access_token) if missing else None)


class SingleSignOn(OpenIDConnectProvider):
    """allauth's provider with a nonce, with PKCE always, and deaf to what the address bar adds."""

    oauth2_adapter_class = SingleSignOnAdapter
    pkce_enabled_default = True

    @property
    def server_url(self) -> str:
        """Return where the provider describes itself."""
        return _config().discovery_url

    def get_login_url(self, request: HttpRequest, **kwargs: Any) -> str:
        """Return where signing in begins."""
        del request
        return reverse("oidc_login") + (f"?{urlencode(kwargs)}" if kwargs else "")

    def get_scope(self) -> list[str]:
        """Return what is asked of the provider."""
        return list(_config().scopes)

    def get_redirect_from_request_kwargs(self, request: HttpRequest) -> dict[str, Any]:
        """Take the next page and the process, but neither scopes nor parameters, from a request."""
        found = super().get_redirect_from_request_kwargs(request)
        return {name: found[name] for name in ("next_url", "process") if name in found}

    def redirect(
        self, request: HttpRequest, process: str, next_url: str | None = None, **_: Any
    ) -> HttpResponse:
        """Send the browser to the provider with a nonce that only this session knows."""
        nonce = secrets.token_urlsafe(32)
        try:
            response: HttpResponse = super().redirect(
                request, process, next_url, auth_params={"nonce": nonce}, nonce=nonce
            )
        except ProviderException as failure:
            response = render_authentication_error(request, self, exception=failure)
        return response

    def extract_uid(self, data: dict[str, Any]) -> str:
        """Return a key of the person that is unique among all issuers, past and present."""
        return hashlib.sha256(
            f"{_config().issuer}\n{data['identity'].subject}".encode()
        ).hexdigest()

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Keep no more of the claims than the page of connections shows."""
        identity: Identity = data["identity"]
        email = valid_email_or_none(identity.email) or ""
        return {"email": email, "verified": identity.email_verified}

    def extract_common_fields(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return what a new account begins with."""
        identity: Identity = data["identity"]
        return {
            "email": identity.email,
            "name": identity.name,
            "email_verified": identity.email_verified,
        }

    def extract_email_addresses(self, data: dict[str, Any]) -> list[Any]:
        """Leave addresses to our own rules (`accounts.login.registration`)."""
        del data
        return []


class CallbackView(OAuth2CallbackView):
    """allauth's callback, which hands the state on to where the nonce is checked."""

    def _get_state(self, request: HttpRequest, provider: Any) -> Any:
        state, response = super()._get_state(request, provider)
        if state is not None:
            self.adapter.state = state
        return state, response


def new_adapter(request: HttpRequest) -> SingleSignOnAdapter:
    """Return the adapter of the one provider."""
    return SingleSignOnAdapter(request, SINGLE_SIGN_ON)


def _config() -> OidcConfig:
    config = oidc_config()
    if config is None:
        raise ProviderException("no OIDC provider is configured")
    return config
