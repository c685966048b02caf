"""The one shape of answers below /api/v1, which clients of the reference know.

`{"success": true, "data": …}`, or `{"success": false, "error": {"code", "message", "details"}}` with
a number as code. Our own word for an error stands in `details.reason`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import ProjectError

API_PREFIX = "/api/v1/"
BAD_REQUEST, UNAUTHORISED, FORBIDDEN, NOT_FOUND = 1000, 1001, 1002, 1003
WRONG_METHOD, CONFLICT, TOO_MANY, INTERNAL = 1004, 1005, 1006, 1007
UNAVAILABLE, TIMED_OUT, VALIDATION = 1008, 1009, 1010
SPACE_REQUIRED = "TENANT_REQUIRED"
"""The reference's word when a request opens no space."""

_NUMBERS: Mapping[str, int] = {
    "invalid": BAD_REQUEST,
    "not_signed_in": UNAUTHORISED,
    "access_denied": FORBIDDEN,
    "not_found": NOT_FOUND,
    "gone": NOT_FOUND,
    "conflict": CONFLICT,
    "too_large": BAD_REQUEST,
    "refused": VALIDATION,
    "limit_reached": TOO_MANY,
    "service_failed": UNAVAILABLE,
    "service_unavailable": UNAVAILABLE,
}


def is_api(path: str) -> bool:
    """Say whether an address is one of the API."""
    return path.startswith(API_PREFIX)


def failure(code: int, message: str, details: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the body of a failure."""
    return {
        "success": False,
        "error": {"code": code, "message": message, "details": dict(details or {})},
    }


def failure_of(error: ProjectError) -> dict[str, Any]:
    """Return the body that tells an expected error."""
    code = _NUMBERS.get(error.code, BAD_REQUEST)
    return failure(code, error.message, {"reason": error.code, **error.data})
