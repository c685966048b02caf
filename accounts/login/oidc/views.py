"""The two addresses of signing in through the provider."""

from __future__ import annotations

from http import HTTPStatus

from allauth.socialaccount.providers.oauth2.views import OAuth2LoginView
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from accounts.login.oidc.config import OidcConfig, oidc_config
from accounts.login.oidc.provider import CallbackView, new_adapter
from core.errors import NotFound
from core.htmx import render


@never_cache
@require_http_methods(["GET", "POST"])
def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Ask (GET) or send (POST) the browser to the provider: another site cannot start it.

    By a page with a Refresh header: our policy forbids forms that a redirect leads to other sites.
    """
    name = _require_configured().name
    view = OAuth2LoginView.adapter_view(new_adapter(request))
    response: HttpResponseBase = view(request)
    if response.status_code != HTTPStatus.FOUND:
        return response
    url = response.headers["Location"]
    page = render(request, "socialaccount/leaving.html", {"url": url, "name": name})
    page.headers["Refresh"] = f"0; url={url}"
    return page


@never_cache
@require_GET
def come_back(request: HttpRequest) -> HttpResponseBase:
    """Take the provider's answer."""
    _require_configured()
    response: HttpResponseBase = CallbackView.adapter_view(new_adapter(request))(request)
    return response


def _require_configured() -> OidcConfig:
    config = oidc_config()
    if config is None:
        raise NotFound(_("This installation has no single sign-on."))
    return config
