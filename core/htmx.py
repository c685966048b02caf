"""Pages and fragments out of one view, and toasts on the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render as render_template
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect, trigger_client_event
from django_htmx.middleware import HtmxDetails

ToastLevel = Literal["", "success", "error"]


class HtmxHttpRequest(HttpRequest):
    """A request behind `HtmxMiddleware`."""

    htmx: HtmxDetails


def wants_fragment(request: HttpRequest) -> bool:
    """Return whether htmx asked for a part of the page.

    A boosted link and a page that htmx restores from history need all of it.
    """
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    if htmx is None or not htmx:
        return False
    return not (htmx.boosted or htmx.history_restore_request)


def render(
    request: HttpRequest,
    page: str,
    context: Mapping[str, Any],
    *,
    partial: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the template `page`, or `partial` when htmx asked and there is one.

    The answer varies by `HX-Request`, so that no cache gives a fragment to who wants the page.
    """
    template = partial if partial is not None and wants_fragment(request) else page
    response = render_template(request, template, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


def redirect(request: HttpRequest, url: str) -> HttpResponseBase:
    """Send the browser to `url`: a whole new page for htmx, too, instead of a swap."""
    return HttpResponseClientRedirect(url) if wants_fragment(request) else HttpResponseRedirect(url)


def toast(response: HttpResponse, text: str, *, level: ToastLevel = "") -> HttpResponse:
    """Let the page show `text` when htmx has taken the response.

    For a full page or a redirect use `django.contrib.messages`; the shell shows those as toasts.
    """
    return trigger_client_event(response, "toast", {"text": text, "level": level})


def announce(response: HttpResponse, event: str) -> HttpResponse:
    """Trigger `event` on the page's body, for parts that fetch themselves again on it."""
    return trigger_client_event(response, event)
