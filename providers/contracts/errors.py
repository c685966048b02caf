"""How calls of models fail. Pure Python."""

from __future__ import annotations

from typing import Literal

ModelErrorKind = Literal[
    "rate_limited",
    "timeout",
    "overloaded",
    "server",
    "unreachable",
    "auth",
    "not_found",
    "bad_request",
    "context_overflow",
    "content_filter",
    "bad_response",
]
RETRYABLE: frozenset[ModelErrorKind] = frozenset(
    {"rate_limited", "timeout", "overloaded", "server", "unreachable"}
)


class ModelError(Exception):
    """A call of a model failed.

    The message is safe to show (no keys, no addresses with credentials); `provider_message` holds
    the service's own words for the person who can mend it.
    """

    def __init__(
        self,
        kind: ModelErrorKind,
        message: str,
        *,
        provider_message: str = "",
        retry_after_seconds: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ModelErrorKind = kind
        self.message = message
        self.provider_message = provider_message
        self.retry_after_seconds = retry_after_seconds
        self.status = status

    @property
    def retry(self) -> bool:
        """Whether the same call may work when it is made again."""
        return self.kind in RETRYABLE
