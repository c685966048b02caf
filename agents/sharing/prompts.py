"""Keeps the instructions of a shared agent out of the space that asks it.

The loop's state is stored with the run, in the asking space; the instructions are the other space's
and are written into the state anew whenever a worker takes the run.
"""

from __future__ import annotations

from agents.engine.state import RunState as LoopState


def without_prompt(state: LoopState) -> LoopState:
    """Return the state without the agent's instructions."""
    return with_prompt(state, "")


def with_prompt(state: LoopState, prompt: str) -> LoopState:
    """Return a stored state with the agent's instructions as they are now."""
    first = state.messages[:1]
    if not first or first[0].role != "system":
        return state
    messages = [first[0].model_copy(update={"content": prompt}), *state.messages[1:]]
    return state.model_copy(update={"messages": messages})
