"""Content security policy: strict for the product's pages, looser for the admin's theme."""

from __future__ import annotations

from typing import Any

from csp.middleware import CSPMiddleware, PolicyParts
from django.http import HttpRequest, HttpResponseBase

STRICT: dict[str, Any] = {
    "default-src": ["'self'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    # Meters set their value as a custom property of one element.
    "style-src-attr": ["'unsafe-inline'"],
    "img-src": ["'self'", "data:", "blob:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "object-src": ["'none'"],
    "frame-src": ["'self'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'self'"],
    "form-action": ["'self'"],
}
ADMIN: dict[str, Any] = {
    **STRICT,
    # The theme's Alpine evaluates expressions and sets styles inline.
    "script-src": ["'self'", "'unsafe-eval'"],
    "style-src": ["'self'", "'unsafe-inline'"],
}
ADMIN_PREFIX = "/admin/"


class ContentSecurityPolicyMiddleware(CSPMiddleware):
    """Adds the policy that fits the path."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """Return the admin's policy below /admin/, the strict one everywhere else.

        A view's own policy (django-csp's decorators) wins.
        """
        parts: PolicyParts = super().get_policy_parts(request, response, report_only)
        if not report_only and parts.config is None:
            parts.config = dict(ADMIN if request.path_info.startswith(ADMIN_PREFIX) else STRICT)
        return parts
