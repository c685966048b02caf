"""What the parts of the loop share while one worker runs one run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from agents.engine.cancel import CancelToken
from agents.engine.limits import RunLimits
from agents.engine.state import RunState
from agents.engine.texts import EnginePrompts, EngineTexts
from agents.engine.tokens import MessageCounter
from agents.engine.toolsets import Toolset
from providers.contracts.chat import ChatModel, ChatOptions

DEFAULT_CONTEXT_TOKENS = 200_000


class Gate(Protocol):
    """Asked before every call of the model; the place of budgets."""

    async def refusal(self, state: RunState) -> str | None:
        """Return why no further call may be made, for people, or None."""
        ...


@dataclass(kw_only=True)
class RunContext:
    """Configuration, state and the means to stop, for one stretch of work on a run."""

    model: ChatModel
    toolset: Toolset[Any]
    deps: Any
    limits: RunLimits
    prompts: EnginePrompts
    texts: EngineTexts
    options: ChatOptions
    counter: MessageCounter
    principal: str
    gate: Gate | None
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    state: RunState
    cancel: CancelToken
    """Fires when a person stops the run, or at its time limit."""
    stopped_by_person: CancelToken = field(default_factory=CancelToken)
    """Fires only when a person stops the run."""

    @property
    def window_tokens(self) -> int:
        """Size of the context window."""
        return self.limits.context_tokens or self.model.context_tokens or DEFAULT_CONTEXT_TOKENS

    def milliseconds_since(self, began: float) -> int:
        """Return the time since a reading of the clock."""
        return max(0, round((self.clock() - began) * 1000))
