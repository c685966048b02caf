"""One complete turn of the model."""

from __future__ import annotations

from dataclasses import dataclass

from providers.contracts.chat import FinishReason, ToolCall, Usage


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What the model said in one call, put together from its stream."""

    text: str = ""
    """As the model wrote it, with aliases; without thoughts and printed calls."""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish_reason: FinishReason | None = None
    usage: Usage | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is neither text nor a call."""
        return not self.calls and not self.text.strip()

    @property
    def is_cut(self) -> bool:
        """Whether the end is missing for certain."""
        return self.finish_reason in ("length", "content_filter")
