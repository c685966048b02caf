"""Headers of every answer that Django and the content policy do not set."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

PERMISSIONS = ", ".join(
    f"{name}=()"
    for name in (
        *("accelerometer", "autoplay", "bluetooth", "browsing-topics", "camera", "display-capture"),
        *(
            "geolocation",
            "gyroscope",
            "hid",
            "idle-detection",
            "magnetometer",
            "microphone",
            "midi",
        ),
        *("payment", "serial", "usb", "xr-spatial-tracking"),
    )
)
"""What no page of ours uses; passkeys (`publickey-credentials-*`) and the clipboard stay."""
RETRY_SECONDS = "60"
_ALWAYS = {
    "Permissions-Policy": PERMISSIONS,
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
}


class HeadersMiddleware:
    """Adds what keeps other sites out of our answers, and answers out of shared caches.

    A page that somebody signed in to see is not kept: after them, "back" in the same browser asks
    again, and is answered as the next person.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on and complete its answer; what a view set itself stays."""
        response = self.get_response(request)
        for name, value in _ALWAYS.items():
            response.headers.setdefault(name, value)
        if response.status_code == 429:  # of libraries, which do not say when to come back
            response.headers.setdefault("Retry-After", RETRY_SECONDS)
        user = getattr(request, "user", None)
        if user is not None and user.is_authenticated:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response
