"""Presents everything that goes wrong below /api/v1 in the envelope."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import PermissionDenied as DjangoDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from core import envelope
from core.errors import NotSignedIn, ProjectError

logger = logging.getLogger(__name__)

_CODES: tuple[tuple[type[Exception], int, int], ...] = (
    (exceptions.MethodNotAllowed, envelope.WRONG_METHOD, 405),
    (exceptions.NotAuthenticated, envelope.UNAUTHORISED, 401),
    (exceptions.AuthenticationFailed, envelope.UNAUTHORISED, 401),
    (exceptions.PermissionDenied, envelope.FORBIDDEN, 403),
    (exceptions.UnsupportedMediaType, envelope.BAD_REQUEST, 415),
    (exceptions.ParseError, envelope.BAD_REQUEST, 400),
    (exceptions.NotFound, envelope.NOT_FOUND, 404),
    (Http404, envelope.NOT_FOUND, 404),
    (DjangoDenied, envelope.FORBIDDEN, 403),
)


def answer_to(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the answer that tells an expected error; None for others, which Django reports."""
    del context
    if isinstance(error, ProjectError):
        return _of_project(error)
    if isinstance(error, exceptions.ValidationError):
        message = "Some of what was sent cannot be used; details name the fields."
        details = {"reason": "invalid", "fields": error.detail}
        return Response(envelope.failure(envelope.VALIDATION, message, details), status=400)
    for kind, code, status in _CODES:
        if isinstance(error, kind):
            message = str(getattr(error, "detail", "")) or "There is nothing here."
            return Response(envelope.failure(code, message), status=status)
    return None


def _of_project(error: ProjectError) -> Response:
    logger.info("API: %s (%s)", error.code, error)
    response = Response(envelope.failure_of(error), status=error.http_status)
    if "retry_after_seconds" in error.data:
        response["Retry-After"] = str(error.data["retry_after_seconds"])
    if isinstance(error, NotSignedIn):
        response["WWW-Authenticate"] = 'Bearer realm="api"'
    return response
