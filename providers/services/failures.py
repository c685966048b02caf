"""Says a model's failure in the words of the project's errors."""

from __future__ import annotations

from core.errors import ServiceFailed, ServiceUnavailable
from providers.contracts.errors import ModelError


def service_error(error: ModelError) -> ServiceFailed:
    """Return the project's error for a model's failure, with retry or final as the model says."""
    if error.kind in ("unreachable", "overloaded", "rate_limited"):
        return ServiceUnavailable(
            error.message,
            retry=error.retry,
            retry_after_seconds=error.retry_after_seconds,
            provider_message=error.provider_message,
        )
    return ServiceFailed(
        error.message,
        retry=error.retry,
        retry_after_seconds=error.retry_after_seconds,
        provider_message=error.provider_message,
    )
