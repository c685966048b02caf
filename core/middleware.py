"""Shows expected errors as pages, fragments or JSON, in one shape."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render

from core.errors import NotSignedIn, ProjectError

logger = logging.getLogger(__name__)


def error_body(error: ProjectError) -> dict[str, object]:
    """Return the one JSON shape of an error."""
    return {"error": {"code": error.code, "message": error.message, "data": error.data}}


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
        """Present expected errors; leave all others to Django's 500."""
        if not isinstance(exception, ProjectError):
            return None
        logger.info("%s %s: %s", request.method, request.path, exception)
        if isinstance(exception, NotSignedIn):
            return redirect(f"/account/login/?next={request.path}")
        if _wants_json(request):
            return JsonResponse(error_body(exception), status=exception.http_status)
        template = "errors/_error.html" if request.headers.get("HX-Request") else "errors/error.html"
        return render(request, template, {"error": exception}, status=exception.http_status)


def _wants_json(request: HttpRequest) -> bool:
    accepted = request.headers.get("Accept", "")
    return request.path.startswith("/api/") or (
        "application/json" in accepted and "text/html" not in accepted
    )
