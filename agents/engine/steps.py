"""What a turn leads to: the closed union the loop dispatches on."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator

from agents.engine.events import RunOutcome, RunReason


class _Step(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Continue(_Step):
    """Ask the model again."""

    type: Literal["continue"] = "continue"
    new_round: bool = True
    """False for a repetition that does not count as a round (nudge, overflow)."""


class Finish(_Step):
    """The answer stands in the state; close the run with it."""

    type: Literal["finish"] = "finish"
    outcome: RunOutcome
    reason: RunReason
    detail: str = ""


class AwaitApproval(_Step):
    """Calls wait for people; leave the run as saved state."""

    type: Literal["await_approval"] = "await_approval"
    call_ids: tuple[str, ...]


class Abort(_Step):
    """No further round; make the best of what there is, then close the run."""

    type: Literal["abort"] = "abort"
    outcome: RunOutcome
    reason: RunReason
    detail: str
    ask_model: bool
    """Whether one more call, without tools, may write an answer from the results."""


Step = Annotated[Continue | Finish | AwaitApproval | Abort, Discriminator("type")]
