"""Shows expected errors as pages, fragments or JSON, in one shape."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import unquote

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext as _

from core.envelope import INTERNAL, failure, failure_of, is_api
from core.errors import AccessDenied, Invalid, NotFound, NotSignedIn, ProjectError
from core.htmx import redirect, wants_fragment

logger = logging.getLogger(__name__)
R = TypeVar("R", bound=HttpResponse)


def error_body(error: ProjectError) -> dict[str, object]:
    """Return the one JSON shape of an error."""
    return {"error": {"code": error.code, "message": error.message, "data": error.data}}


def present(request: HttpRequest, error: ProjectError) -> HttpResponseBase:
    """Return the answer that tells `error` in the form the client asked for."""
    if _wants_json(request):
        body = failure_of(error) if is_api(request.path_info) else error_body(error)
        return with_wait(JsonResponse(body, status=error.http_status), error)
    if isinstance(error, NotSignedIn):
        return _send_to_login(request)
    template = "errors/_error.html" if wants_fragment(request) else "errors/error.html"
    response = render(request, template, {"error": error}, status=error.http_status)
    return with_wait(response, error)


def with_wait(response: R, error: ProjectError) -> R:
    """Say when to come back, where the error knows."""
    if "retry_after_seconds" in error.data:
        response["Retry-After"] = str(error.data["retry_after_seconds"])
    return response


class AddressMiddleware:
    """Refuses addresses with a NUL, which no database can look for; every view would have to."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on, or say that its address cannot be read."""
        address = request.path_info + unquote(request.META.get("QUERY_STRING", ""))
        if "\x00" in address:
            return present(request, Invalid(_("The address has a character that cannot be read.")))
        return self.get_response(request)


class ErrorPagesMiddleware:
    """Turns a `ProjectError` that a view raised into an answer with its status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponseBase | None:
        """Present expected errors; leave all others to Django's handlers, below."""
        if not isinstance(exception, ProjectError):
            return None
        # The route, not the path: a path may hold the token of an invitation.
        route = request.resolver_match.route if request.resolver_match else "?"
        logger.info("%s /%s: %s (%s)", request.method, route, exception.code, exception)
        return present(request, exception)


def bad_request(
    request: HttpRequest,
    exception: Exception,  # noqa: ARG001  Django names it
) -> HttpResponseBase:
    """Answer what Django could not read (`handler400`)."""
    return present(request, Invalid(_("The request could not be read. Go back and try again.")))


def permission_denied(
    request: HttpRequest,
    exception: Exception,  # noqa: ARG001  Django names it
) -> HttpResponseBase:
    """Answer what Django refused (`handler403`)."""
    return present(request, AccessDenied(_("Your role does not include it.")))


def page_not_found(
    request: HttpRequest,
    exception: Exception,  # noqa: ARG001  Django names it
) -> HttpResponseBase:
    """Answer an address that leads nowhere (`handler404`)."""
    text = _("The address is wrong, the page was deleted, or it is not yours to see.")
    return present(request, NotFound(text))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer after an unexpected error (`handler500`); the log has the traceback."""
    if not _wants_json(request):
        return render(request, "500.html", status=500)
    message = "Something broke on our side."
    if is_api(request.path_info):
        return JsonResponse(failure(INTERNAL, message), status=500)
    return JsonResponse({"error": {"code": "internal", "message": message, "data": {}}}, status=500)


def _send_to_login(request: HttpRequest) -> HttpResponseBase:
    """Let the person sign in and come back, where coming back makes sense."""
    if wants_fragment(request) or request.method not in ("GET", "HEAD"):
        return redirect(request, resolve_url(settings.LOGIN_URL))
    return redirect_to_login(request.get_full_path())


def _wants_json(request: HttpRequest) -> bool:
    accepted = request.headers.get("Accept", "")
    return request.path_info.startswith("/api/") or (
        "application/json" in accepted and "text/html" not in accepted
    )
