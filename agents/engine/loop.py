"""The ReAct loop: think, analyse, act, observe. It only dispatches; the steps are modules.

```python
loop = ReactLoop(model=model, toolset=toolset, prompts=prompts, deps=deps)
async for event in loop.run(state, cancel=token):
    ...  # store the event (and the state, unless `is_delta(event)`), then publish it
```

The last event of every run is its only `RunFinished`, whatever happens inside; a run that waits for
approval ends its stream without one and goes on with the next `run(state)`. Cancelling the *task*
does not end the run: the worker goes away, the state stays resumable. People stop a run with the
cancel token.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Generic, assert_never

from agents.engine.acting import act, take_calls
from agents.engine.cancel import CancelToken
from agents.engine.closing import close
from agents.engine.compaction import fit_window
from agents.engine.concluding import conclude
from agents.engine.errors import CallRefused, RunCancelled, RunInterrupted
from agents.engine.events import (
    AgentEvent,
    AnswerReset,
    RoundStarted,
    RunFinished,
    RunStarted,
    number_event,
)
from agents.engine.limits import RunLimits
from agents.engine.outgoing import outgoing_messages
from agents.engine.run_context import Gate, RunContext
from agents.engine.state import RunState
from agents.engine.steps import Abort, AwaitApproval, Continue, Finish, Step
from agents.engine.texts import EnginePrompts, EngineTexts
from agents.engine.thinking import ModelCall, ask_model
from agents.engine.tokens import EstimatedCounter, MessageCounter, TokenCounter
from agents.engine.tools import D
from agents.engine.toolsets import Toolset
from agents.engine.turns import Turn
from providers.contracts.chat import ChatModel, ChatOptions
from providers.contracts.errors import ModelError

logger = logging.getLogger(__name__)

# No other answer can come from a service that does not let us in or does not know the model.
_HOPELESS = frozenset({"auth", "not_found"})


@dataclass(frozen=True, kw_only=True)
class ReactLoop(Generic[D]):
    """Asks the model, runs the tools it names, and repeats until it answers.

    A quick answer is the same loop over a state of mode `quick`: no tools, one generation over the
    passages in the state's runtime context.
    """

    model: ChatModel
    prompts: EnginePrompts
    deps: D
    toolset: Toolset[D] = field(default_factory=Toolset)
    limits: RunLimits = RunLimits()
    options: ChatOptions = ChatOptions()
    texts: EngineTexts = EngineTexts()
    counter: TokenCounter = field(default_factory=EstimatedCounter)
    principal: str = ""
    """On whose behalf the run acts; approvals are bound to it."""
    gate: Gate | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def run(
        self, state: RunState, *, cancel: CancelToken | None = None
    ) -> AsyncGenerator[AgentEvent, None]:
        """Yield the run's events from where the state stands.

        Raises:
            RunInterrupted: a hook said that this worker must let go.
        """
        if state.finished:
            return
        stopped_by_person = cancel or CancelToken()
        run = self._context(state, stopped_by_person)
        timer = self._arm(run)
        try:
            async with aclosing(_guarded(run)) as events:
                async for event in events:
                    state.note(event)
                    numbered = number_event(event, state.next_seq)
                    state.next_seq += 1
                    yield numbered
        finally:
            if timer is not None:
                timer.cancel()

    def _context(self, state: RunState, stopped_by_person: CancelToken) -> RunContext:
        return RunContext(
            model=self.model,
            toolset=self.toolset if state.mode == "react" else Toolset(),
            deps=self.deps,
            limits=self.limits,
            prompts=self.prompts,
            texts=self.texts,
            options=self.options,
            counter=MessageCounter(self.counter),
            principal=self.principal,
            gate=self.gate,
            clock=self.clock,
            sleep=self.sleep,
            state=state,
            cancel=CancelToken(stopped_by_person),
            stopped_by_person=stopped_by_person,
        )

    def _arm(self, run: RunContext) -> asyncio.TimerHandle | None:
        if self.limits.run_timeout_seconds is None:
            return None
        loop = asyncio.get_running_loop()
        return loop.call_later(self.limits.run_timeout_seconds, run.cancel.cancel)


async def _guarded(run: RunContext) -> AsyncGenerator[AgentEvent, None]:
    """Add the promise: whatever fails inside, the run ends with one `RunFinished`."""
    try:
        async with aclosing(_steps(run)) as events:
            async for event in events:
                yield event
        return
    except RunInterrupted:
        raise
    except Exception:
        if run.state.finished:
            raise
        logger.exception("the engine failed in round %s", run.state.round)
    run.state.finished = True
    yield RunFinished(
        outcome="failed",
        reason="internal_error",
        detail=run.texts.internal_error,
        answer=run.state.answer.strip(),
    )


async def _steps(run: RunContext) -> AsyncGenerator[AgentEvent, None]:
    """Take one step after the other until the run is over or waits."""
    state = run.state
    if state.next_seq == 1:
        yield RunStarted(question=state.question, mode=state.mode)
    step: Step = state.closing or Continue()
    if state.may_show_stale_answer:
        state.withdraw_answer()
        yield AnswerReset(reason="resumed")
    while True:
        match step:
            case Continue(new_round=new_round):
                async with aclosing(_round(run, announce=new_round)) as items:
                    async for item in items:
                        if isinstance(item, Continue | Finish | AwaitApproval | Abort):
                            step = item
                        else:
                            yield item
            case Finish() | Abort():
                async with aclosing(close(run, step)) as events:
                    async for event in events:
                        yield event
                return
            case AwaitApproval():
                return
            case _:
                assert_never(step)


async def _round(run: RunContext, *, announce: bool) -> AsyncGenerator[AgentEvent | Step, None]:
    """Do one round, or what is left of one; failures of the model and a stop become steps."""
    try:
        async with aclosing(_turn(run, announce=announce)) as items:
            async for item in items:
                yield item
    except RunCancelled:
        yield _stopped(run)
    except CallRefused as refusal:
        yield _refused(refusal)
    except ModelError as error:
        yield _model_failed(run, error)


async def _turn(run: RunContext, *, announce: bool) -> AsyncGenerator[AgentEvent | Step, None]:
    run.cancel.check()
    if not run.state.open_calls:
        turn: Turn | None = None
        async with aclosing(_think(run, announce=announce)) as items:
            async for item in items:
                if isinstance(item, Turn):
                    turn = item
                else:
                    yield item
        if turn is None:
            return
        step, events = _analyse(run, turn)
        if isinstance(step, Finish | Abort):
            run.state.closing = step
        for event in events:
            yield event
        if step is not None:
            yield step
            return
    async with aclosing(act(run)) as items:
        async for item in items:
            yield item


def _analyse(run: RunContext, turn: Turn) -> tuple[Step | None, list[AgentEvent]]:
    """Return the step a turn leads to; None when its calls have to be run first."""
    if turn.calls and run.toolset.tools:
        return take_calls(run, turn)
    return conclude(run, turn)


async def _think(
    run: RunContext, *, announce: bool
) -> AsyncGenerator[AgentEvent | Step | Turn, None]:
    """Open a round if one is due, see to the window, and ask the model."""
    state = run.state
    if not state.round_open:
        if announce and state.round >= run.limits.max_rounds:
            yield _max_rounds(run)
            return
        if announce:
            state.round += 1
        state.round_open = True
        if announce:
            yield RoundStarted(round=state.round)
    async with aclosing(fit_window(run, reason="threshold")) as events:
        async for event in events:
            yield event
    async with aclosing(_ask_within_window(run)) as items:
        async for item in items:
            yield item


async def _ask_within_window(run: RunContext) -> AsyncGenerator[AgentEvent | Turn, None]:
    """Ask; when the service says that the window is too small, compact once and ask again."""
    while True:
        overflow = False
        try:
            async with aclosing(ask_model(run, _round_call(run))) as items:
                async for item in items:
                    overflow = isinstance(item, Turn) and _was_cut_by_window(run, item)
                    if not overflow:
                        yield item
        except ModelError as error:
            if error.kind != "context_overflow" or run.state.overflow_recovered:
                raise
            overflow = True
        if not overflow:
            return
        run.state.overflow_recovered = True
        if run.state.answer:
            run.state.withdraw_answer()
            yield AnswerReset(reason="retry")
        async with aclosing(fit_window(run, reason="overflow")) as events:
            async for event in events:
                yield event


def _round_call(run: RunContext) -> ModelCall:
    # A model that keeps on thinking itself empty is asked the last time without thinking.
    last_nudge = 0 < run.limits.empty_nudges <= run.state.empty_nudges
    return ModelCall(
        messages=outgoing_messages(run),
        purpose="round",
        tools=run.toolset.specs(),
        thinking=False if last_nudge else None,
        retries=run.limits.model_retries,
    )


def _was_cut_by_window(run: RunContext, turn: Turn) -> bool:
    """Whether the window ended the turn, not its own output limit."""
    if turn.finish_reason != "length" or turn.usage is None or run.state.overflow_recovered:
        return False
    used = turn.usage.input_tokens + turn.usage.output_tokens
    allowed = run.options.max_output_tokens or run.limits.max_output_tokens
    return used >= run.window_tokens * 0.98 and turn.usage.output_tokens < allowed * 0.9


def _stopped(run: RunContext) -> Abort:
    if run.stopped_by_person.cancelled:
        return Abort(
            outcome="stopped", reason="cancelled", detail=run.texts.stopped, ask_model=False
        )
    run.cancel = run.stopped_by_person  # The time is up, but a last call may still write an answer.
    detail = run.texts.run_timeout.format(seconds=run.limits.run_timeout_seconds or 0)
    return Abort(outcome="limit_reached", reason="run_timeout", detail=detail, ask_model=True)


def _refused(refusal: CallRefused) -> Abort:
    return Abort(outcome="limit_reached", reason="budget", detail=str(refusal), ask_model=False)


def _max_rounds(run: RunContext) -> Abort:
    detail = run.texts.max_rounds.format(rounds=run.limits.max_rounds)
    return Abort(outcome="limit_reached", reason="max_rounds", detail=detail, ask_model=True)


def _model_failed(run: RunContext, error: ModelError) -> Abort:
    if error.kind == "content_filter":
        detail = run.texts.content_filter
        return Abort(outcome="fallback", reason="content_filter", detail=detail, ask_model=False)
    detail = run.texts.model_failed.format(error=error.message)
    may_ask = run.state.has_results and error.kind not in _HOPELESS
    outcome = "fallback" if run.state.has_results else "failed"
    return Abort(outcome=outcome, reason="model_failed", detail=detail, ask_model=may_ask)
