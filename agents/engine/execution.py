"""Running one tool call: find, repair, cast, validate, run under its limits, cut the output.

Whatever goes wrong with a call becomes its result and is written for the model. Only hooks may
raise through here: a journal that cannot be written must stop the run.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.engine.aliases import Aliases
from agents.engine.arguments import explain, read_arguments, validate_arguments
from agents.engine.calls import ToolOutcome, fingerprint
from agents.engine.casting import cast_arguments
from agents.engine.cleaning import clean_json, clean_text
from agents.engine.errors import RunCancelled, RunInterrupted, ToolFailed
from agents.engine.history import cut_to_budget
from agents.engine.run_context import RunContext
from agents.engine.texts import TRY_AGAIN_LATER, TRY_OTHERWISE
from agents.engine.tools import Tool, ToolContext, ToolResult
from agents.engine.toolsets import CallInfo
from providers.contracts.chat import ToolCall

logger = logging.getLogger(__name__)

MAX_ID_CHARS = 64
MAX_NAME_CHARS = 128
MAX_SUMMARY_CHARS = 300


@dataclass(frozen=True, kw_only=True)
class PreparedCall:
    """A call that was looked at, ready to run or with the reason why it cannot."""

    info: CallInfo
    tool: Tool[Any] | None
    failure: ToolFailed | None = None

    @property
    def runs_alone(self) -> bool:
        """Whether no other call may run at the same time."""
        return self.tool is not None and self.tool.side_effects == "unsafe"


def normalise_ids(
    calls: Sequence[ToolCall], *, round_number: int, taken: Sequence[str]
) -> tuple[ToolCall, ...]:
    """Return the calls with ids that every vendor takes and that are unique in the run."""
    used = set(taken)
    out = []
    for position, call in enumerate(calls, start=1):
        plain = re.sub(r"[^A-Za-z0-9_-]", "_", call.call_id)[:MAX_ID_CHARS].strip("_")
        wanted = plain or f"call_{round_number}_{position}"
        unique, number = wanted, 2
        while unique in used:
            unique = f"{wanted[: MAX_ID_CHARS - 5]}_{number}"
            number += 1
        used.add(unique)
        name = clean_text(call.name).strip()[:MAX_NAME_CHARS]
        arguments = clean_text(call.arguments)
        out.append(
            call.model_copy(update={"call_id": unique, "name": name, "arguments": arguments})
        )
    return tuple(out)


def prepare(
    run: RunContext, call: ToolCall, *, edited: dict[str, Any] | None = None
) -> PreparedCall:
    """Find the tool and make its arguments; `edited` are a person's, instead of the model's."""
    tool = run.toolset.find(call.name)
    if tool is None:
        failure = ToolFailed(run.toolset.suggest(call.name), code="unknown_tool")
        return _prepared(call, None, {}, failure)
    try:
        arguments = edited
        if arguments is None:
            arguments = read_arguments(
                call.arguments,
                may_be_cut=run.state.calls_may_be_cut,
                has_side_effects=tool.side_effects != "none",
            )
            arguments = tool.completed(arguments, called=call.name)
        arguments = cast_arguments(arguments, tool.spec.parameters)
    except ToolFailed as failure:
        return _prepared(call, tool, {}, failure)
    try:
        validate_arguments(tool.name, arguments, tool.spec.parameters)
        problem = tool.describe_problem(arguments) if tool.describe_problem else None
        if problem:
            message = explain(tool.name, [problem], tool.spec.parameters)
            raise ToolFailed(message, code="bad_arguments")
        arguments = _decode_ids(arguments, tool, run.state.aliases)
    except ToolFailed as failure:
        return _prepared(call, tool, arguments, failure)
    return _prepared(call, tool, arguments, None)


def _prepared(
    call: ToolCall, tool: Tool[Any] | None, arguments: dict[str, Any], failure: ToolFailed | None
) -> PreparedCall:
    name = tool.name if tool else call.name
    # What could not be read is compared as it was written: repeating it is repeating, too.
    compared = arguments if failure is None else call.arguments
    info = CallInfo(
        call_id=call.call_id,
        name=name,
        arguments=arguments,
        fingerprint=fingerprint(name, compared),
        side_effects=tool.side_effects if tool else "none",
        title=tool.title_for(arguments) if tool else name,
    )
    return PreparedCall(info=info, tool=tool, failure=failure)


def _decode_ids(arguments: dict[str, Any], tool: Tool[Any], aliases: Aliases) -> dict[str, Any]:
    decoded: dict[str, Any] = _decode_resources(arguments, aliases)
    for name, kind in tool.id_parameters.items():
        value = decoded.get(name)
        if isinstance(value, str):
            decoded[name] = aliases.decode_id(value, kind=kind)
        elif isinstance(value, list):
            decoded[name] = [
                aliases.decode_id(each, kind=kind) if isinstance(each, str) else each
                for each in value
            ]
    return decoded


def _decode_resources(value: Any, aliases: Aliases) -> Any:
    if isinstance(value, str):
        return aliases.decode_resources(value)
    if isinstance(value, list):
        return [_decode_resources(each, aliases) for each in value]
    if isinstance(value, dict):
        return {key: _decode_resources(each, aliases) for key, each in value.items()}
    return value


async def execute(run: RunContext, prepared: PreparedCall) -> ToolOutcome:
    """Run a prepared call and write its beginning and end into the journal."""
    journal = run.toolset.journal
    if prepared.failure is not None or prepared.tool is None:
        return refusal(prepared, prepared.failure or ToolFailed("There is no such tool."))
    if journal is not None:
        await journal.started(prepared.info)
    began = run.clock()
    try:
        result = await _call_tool(run, prepared.tool, prepared.info)
        outcome = await _success(run, prepared, result)
    except ToolFailed as failure:
        outcome = refusal(prepared, failure)
    outcome = outcome.model_copy(update={"duration_ms": run.milliseconds_since(began)})
    if journal is not None:
        await (journal.completed if outcome.ok else journal.failed)(prepared.info, outcome)
    return outcome


def refusal(prepared: PreparedCall, failure: ToolFailed) -> ToolOutcome:
    """Return the outcome of a call that failed, with a word on what to do now."""
    advice = TRY_AGAIN_LATER if failure.retry else TRY_OTHERWISE
    message = clean_text(failure.message)
    return ToolOutcome(
        call_id=prepared.info.call_id,
        name=prepared.info.name,
        ok=False,
        output=f"{message}\n[{advice}]",
        summary=_one_line(message),
        error_code=failure.code,
    )


async def _call_tool(run: RunContext, tool: Tool[Any], info: CallInfo) -> ToolResult:
    seconds = tool.timeout_seconds or run.toolset.timeout_seconds or run.limits.tool_timeout_seconds
    context = ToolContext(
        deps=run.deps,
        call_id=info.call_id,
        aliases=run.state.aliases,
        cancel=run.cancel,
        question=run.state.question,
    )
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline:
            result = await tool.body(context, dict(info.arguments))
            if not isinstance(result, ToolResult):
                raise TypeError(f"tool {info.name} returned {type(result).__name__}")
            return result
    except (ToolFailed, RunInterrupted, RunCancelled):
        raise
    except Exception as error:
        if deadline.expired():
            message = f"{info.name} took longer than {seconds:g} s and was ended."
            raise ToolFailed(message, code="timed_out") from error
        # The exception's own words may hold secrets (addresses, keys): only its kind is told.
        logger.exception("tool %s failed in call %s", info.name, info.call_id)
        message = f"{info.name} failed because of an internal error ({type(error).__name__})."
        raise ToolFailed(message, code="crashed") from error


async def _success(run: RunContext, prepared: PreparedCall, result: ToolResult) -> ToolOutcome:
    output = run.state.aliases.encode(clean_text(result.output))
    output = await _fit(run, prepared, output)
    return ToolOutcome(
        call_id=prepared.info.call_id,
        name=prepared.info.name,
        ok=True,
        output=output,
        summary=_one_line(clean_text(result.summary)) or prepared.info.title,
        data=clean_json(result.data),
        sources=run.state.aliases.mentioned_in(output),
    )


async def _fit(run: RunContext, prepared: PreparedCall, output: str) -> str:
    own = prepared.tool.output_budget_chars if prepared.tool else None
    budget = own or run.toolset.output_budget_chars or run.limits.tool_output_chars
    if len(output) <= budget:
        return output
    hint = ""
    if run.toolset.results is not None:
        hint = " " + await run.toolset.results.keep(prepared.info.call_id, output)
    return cut_to_budget(output, budget, hint=hint)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MAX_SUMMARY_CHARS else line[: MAX_SUMMARY_CHARS - 1] + "…"
