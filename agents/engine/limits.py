"""What one run may spend, with the unit in each name."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

ROUNDS_CAP = 100


class RunLimits(BaseModel):
    """Limits of one run; the defaults are the platform's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_rounds: int = Field(default=10, ge=1, le=ROUNDS_CAP)
    run_timeout_seconds: float | None = Field(default=None, gt=0)
    """Limit of the work of one worker on the run; waiting for approval does not count."""

    call_timeout_seconds: float = Field(default=120.0, gt=0)
    """One call of the model, from the request to the last byte."""
    model_retries: int = Field(default=2, ge=0)
    retry_waits_seconds: tuple[float, ...] = (1.0, 2.0)
    max_retry_after_seconds: float = 60.0
    """A service that asks for a longer pause than this is given up at once."""
    max_turn_chars: int = Field(default=200_000, ge=1000)
    """A turn that grows longer is cut, as if its output limit were reached."""

    empty_nudges: int = Field(default=2, ge=0)
    repeated_calls: int = Field(default=3, ge=2)
    """The so-manieth call of the same tool with the same arguments is not run any more."""

    tool_timeout_seconds: float = Field(default=60.0, gt=0)
    tool_output_chars: int = Field(default=16_000, ge=200)
    max_calls_per_round: int = Field(default=32, ge=1)
    parallel_calls: int = Field(default=8, ge=1)

    context_tokens: int | None = Field(default=None, ge=1024)
    """Context window; None takes the model's own."""
    max_output_tokens: int = Field(default=4096, ge=1)
    """What one completion may use; the window keeps room for it."""
    keep_recent_tokens: int = Field(default=20_000, ge=0)
    summary_timeout_seconds: float = Field(default=60.0, gt=0)
    summary_attempts: int = Field(default=2, ge=1)

    @model_validator(mode="after")
    def _waits_for_all_retries(self) -> Self:
        if self.model_retries and not self.retry_waits_seconds:
            raise ValueError("retry_waits_seconds needs at least one value when model_retries > 0")
        return self

    def retry_wait_seconds(self, attempt: int) -> float:
        """Return the pause before retry number `attempt` (from 1); the last value repeats."""
        return self.retry_waits_seconds[min(attempt, len(self.retry_waits_seconds)) - 1]
