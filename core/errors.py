"""Every error this project raises on purpose.

* ProjectError            has a code, a public message, typed data and an HTTP status
  * NotFound              404  no such thing, or not for this actor's eyes
  * AccessDenied          403  seen, but this may not be done to it
  * NotSignedIn           401
  * Invalid               400  what was sent cannot be used; says what would work
  * Conflict              409  the thing changed or exists meanwhile
  * Gone                  410  it was there and is no more: expired, revoked, used up
  * TooLarge              413
  * Refused               422  understood, and refused for a stated reason (type, size, hostile)
  * LimitReached          429
  * ServiceFailed         502  an outside service failed; says retry or final
    * ServiceUnavailable  503  cannot be reached or is busy: a retry may work
* NoSpaceScope            a programming mistake; never shown to users
"""

from typing import Any, ClassVar


class ProjectError(Exception):
    """An expected failure that may be shown to the person who caused it."""

    code: ClassVar[str] = "error"
    http_status: ClassVar[int] = 400

    def __init__(self, message: str, **data: Any) -> None:
        """Keep the public `message` and the typed `data` (never secrets) that goes with it."""
        super().__init__(message)
        self.message = message
        self.data = data


class NotFound(ProjectError):
    """The thing does not exist, or this actor may not know that it does."""

    code = "not_found"
    http_status = 404


class AccessDenied(ProjectError):
    """The actor sees the thing but may not do this to it.

    `attempted` and `target` say what to what, for the audit; they are not shown.
    """

    code = "access_denied"
    http_status = 403

    def __init__(
        self, message: str, *, attempted: str = "", target: object = None, **data: Any
    ) -> None:
        super().__init__(message, **data)
        self.attempted = attempted
        self.target = target


class NotSignedIn(ProjectError):
    """Nobody is signed in, and this needs somebody."""

    code = "not_signed_in"
    http_status = 401


class Invalid(ProjectError):
    """What was sent cannot be used as it is."""

    code = "invalid"
    http_status = 400


class Conflict(ProjectError):
    """The thing changed, exists already or is busy."""

    code = "conflict"
    http_status = 409


class Gone(ProjectError):
    """It was there and is no more: expired, revoked or used up."""

    code = "gone"
    http_status = 410


class TooLarge(ProjectError):
    """It is larger than the limit."""

    code = "too_large"
    http_status = 413


class Refused(ProjectError):
    """It was understood and is refused for a stated reason."""

    code = "refused"
    http_status = 422


class LimitReached(ProjectError):
    """A quota or a rate is used up."""

    code = "limit_reached"
    http_status = 429


class ServiceFailed(ProjectError):
    """An outside service failed.

    `retry` says whether the same call may work later; `retry_after_seconds` is the service's own
    wish when it named one; `provider_message` are its own words, for the person who can mend it.
    """

    code = "service_failed"
    http_status = 502

    def __init__(
        self,
        message: str,
        *,
        retry: bool = False,
        retry_after_seconds: float | None = None,
        provider_message: str = "",
        **data: Any,
    ) -> None:
        super().__init__(message, **data)
        self.retry = retry
        self.retry_after_seconds = retry_after_seconds
        self.provider_message = provider_message


class ServiceUnavailable(ServiceFailed):
    """An outside service cannot be reached or is overloaded: a retry may work."""

    code = "service_unavailable"
    http_status = 503

    def __init__(self, message: str, *, retry: bool = True, **data: Any) -> None:
        super().__init__(message, retry=retry, **data)


class NoSpaceScope(RuntimeError):
    """A space-owned table was queried outside of a space scope."""
