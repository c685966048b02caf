"""One call of the model: time limit, retries, events as it speaks, usage at its end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from agents.engine.errors import CallRefused
from agents.engine.events import AgentEvent, AnswerReset, CallPurpose, ModelRetry, UsageReported
from agents.engine.run_context import RunContext
from agents.engine.streams import TurnReader
from agents.engine.turns import Turn
from providers.contracts.chat import ChatChunk, ChatMessage, ChatOptions, ToolSpec, Usage
from providers.contracts.errors import ModelError


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """What is asked, and what for."""

    messages: Sequence[ChatMessage]
    purpose: CallPurpose
    tools: tuple[ToolSpec, ...] = ()
    thinking: bool | None = None
    retries: int = 0


async def ask_model(run: RunContext, call: ModelCall) -> AsyncGenerator[AgentEvent | Turn, None]:
    """Yield the events of the call and, last, its complete turn.

    A failed attempt that may be repeated is repeated; what it showed of an answer is withdrawn.

    Raises:
        ModelError: it failed for good; what was shown of the answer stays in the state.
        CallRefused: the gate allows no call; asked before each attempt.
        RunCancelled: the run was stopped meanwhile.
    """
    attempt = 0
    while True:
        await _pass_gate(run)
        try:
            async with aclosing(_attempt(run, call)) as items:
                async for item in items:
                    yield item
            return
        except ModelError as error:
            attempt += 1
            wait_seconds = _wait_seconds(run, error, attempt=attempt, retries=call.retries)
            if wait_seconds is None:
                raise
            failure = error
        if run.state.answer:
            run.state.withdraw_answer()
            yield AnswerReset(reason="retry")
        yield ModelRetry(
            round=run.state.round,
            attempt=attempt,
            wait_seconds=wait_seconds,
            reason=failure.message,
        )
        with run.cancel.interruptible():
            await run.sleep(wait_seconds)


async def _pass_gate(run: RunContext) -> None:
    refusal = await run.gate.refusal(run.state) if run.gate is not None else None
    if refusal is not None:
        raise CallRefused(refusal)


def _wait_seconds(
    run: RunContext, error: ModelError, *, attempt: int, retries: int
) -> float | None:
    """Return the pause before the next attempt; None when there is none."""
    if not error.retry or attempt > retries:
        return None
    asked = error.retry_after_seconds or 0.0
    if asked > run.limits.max_retry_after_seconds:
        return None
    return max(run.limits.retry_wait_seconds(attempt), asked)


async def _attempt(run: RunContext, call: ModelCall) -> AsyncGenerator[AgentEvent | Turn, None]:
    began = run.clock()
    first_token_ms: int | None = None
    names = {spec.name for spec in call.tools}
    reader = TurnReader(
        run.state,
        is_known=lambda name: name in names or run.toolset.find(name) is not None,
        has_tools=bool(call.tools),
        clock=run.clock,
    )
    async with aclosing(_chunks(run, call)) as chunks:
        async for chunk in chunks:
            if first_token_ms is None and (chunk.text or chunk.reasoning or chunk.tool_call):
                first_token_ms = run.milliseconds_since(began)
            for event in reader.feed(chunk):
                yield event
            if reader.read_chars > run.limits.max_turn_chars:
                reader.cut()
                break
    turn, events = reader.finish()
    for event in events:
        yield event
    usage = turn.usage or _estimate(run, call, turn)
    run.state.add_usage(usage)
    yield UsageReported(
        round=run.state.round,
        purpose=call.purpose,
        model=run.model.name,
        usage=usage,
        estimated=turn.usage is None,
        duration_ms=run.milliseconds_since(began),
        first_token_ms=first_token_ms,
    )
    yield turn


async def _chunks(run: RunContext, call: ModelCall) -> AsyncGenerator[ChatChunk, None]:
    """Yield the model's chunks; time counts only while the model is waited for."""
    limit_seconds = call_timeout_seconds(run, call)
    options = call_options(run, call, timeout_seconds=limit_seconds)
    stream = run.model.stream(call.messages, tools=call.tools, options=options)
    remaining = limit_seconds
    try:
        while True:
            began = time.monotonic()
            try:
                chunk = await _next(run, stream, remaining)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                message = f"The model did not finish its answer within {limit_seconds:g} s."
                raise ModelError("timeout", message) from error
            remaining -= time.monotonic() - began
            yield chunk
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


async def _next(run: RunContext, stream: AsyncIterator[ChatChunk], seconds: float) -> ChatChunk:
    if seconds <= 0:
        raise TimeoutError
    async with asyncio.timeout(seconds):
        with run.cancel.interruptible():
            return await anext(stream)


def call_timeout_seconds(run: RunContext, call: ModelCall) -> float:
    """Return the limit of one call."""
    if call.purpose == "summary":
        return run.limits.summary_timeout_seconds
    return run.limits.call_timeout_seconds


def call_options(run: RunContext, call: ModelCall, *, timeout_seconds: float) -> ChatOptions:
    """Return the agent's options with what this call changes."""
    thinking = run.options.thinking if call.thinking is None else call.thinking
    labels = {"round": str(run.state.round), "purpose": call.purpose}
    return run.options.model_copy(
        update={
            "thinking": thinking,
            "timeout_seconds": timeout_seconds,
            "max_output_tokens": run.options.max_output_tokens or run.limits.max_output_tokens,
            "metadata": {**run.options.metadata, **labels},
        }
    )


def _estimate(run: RunContext, call: ModelCall, turn: Turn) -> Usage:
    said = "".join((turn.text, turn.reasoning, *(each.arguments for each in turn.calls)))
    return Usage(
        input_tokens=run.counter.messages(call.messages), output_tokens=run.counter.text(said)
    )
