"""The end of a run: an answer from the results where there is none yet, then the last events."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from agents.engine.acting import end_open_calls
from agents.engine.citations import Citation
from agents.engine.concluding import say
from agents.engine.errors import CallRefused, RunCancelled
from agents.engine.events import AgentEvent, AnswerFinished, AnswerReset, RoundDegraded, RunFinished
from agents.engine.history import cut_to_budget
from agents.engine.outgoing import outgoing_messages
from agents.engine.run_context import RunContext
from agents.engine.steps import Abort, Finish
from agents.engine.thinking import ModelCall, ask_model
from agents.engine.turns import Turn
from providers.contracts.chat import ChatMessage
from providers.contracts.errors import ModelError

MAX_FINDINGS_SHOWN = 20
MAX_SOURCES_SHOWN = 8
MAX_PLACES_A_SOURCE = 3


async def close(run: RunContext, step: Finish | Abort) -> AsyncGenerator[AgentEvent, None]:
    """Yield the events up to `RunFinished`. Resumable: the step stands in the state."""
    state = run.state
    state.closing = step
    state.round_open = False
    for event in end_open_calls(run):
        yield event
    if isinstance(step, Abort):
        async with aclosing(_make_the_best(run, step)) as events:
            async for event in events:
                yield event
        state.closing = Finish(outcome=step.outcome, reason=step.reason, detail=step.detail)
    answer = state.answer.strip()
    if answer:
        yield AnswerFinished(text=answer)
    state.finished = True
    yield RunFinished(outcome=step.outcome, reason=step.reason, detail=step.detail, answer=answer)


async def _make_the_best(run: RunContext, step: Abort) -> AsyncGenerator[AgentEvent, None]:
    """Answer from the results: by the model if it may be asked, else as a plain list."""
    state = run.state
    if step.ask_model:
        if state.answer:
            state.withdraw_answer()
            yield AnswerReset(reason="unfinished")
        detail = run.texts.answer_from_results.format(why=step.detail)
        yield RoundDegraded(round=state.round, reason="answer_from_results", detail=detail)
        try:
            async with aclosing(_synthesise(run)) as events:
                async for event in events:
                    yield event
        except (ModelError, CallRefused, RunCancelled):
            pass  # The reason is the step's; what was streamed stays, else the list follows.
    if state.answer.strip():
        return
    if state.findings:
        for event in _tell_findings(run):
            yield event
    elif step.outcome == "fallback":
        yield say(run, step.detail)


async def _synthesise(run: RunContext) -> AsyncGenerator[AgentEvent, None]:
    """One call without tools and without thinking, over everything that was found."""
    call = ModelCall(messages=synthesis_messages(run), purpose="synthesis", thinking=False)
    async with aclosing(ask_model(run, call)) as items:
        async for item in items:
            if not isinstance(item, Turn):
                yield item


def synthesis_messages(run: RunContext) -> list[ChatMessage]:
    """Return system prompt, results and question, small enough for half of the window."""
    state = run.state
    outgoing = outgoing_messages(run)
    results = [message.content for message in outgoing if message.role == "tool"]
    # Four characters a token is a safe side for the budget: other scripts need fewer characters.
    budget_chars = run.window_tokens // 2 * (2 if _is_wide(results) else 4) // 2
    each = max(500, budget_chars // max(1, len(results)))
    blocks = [f"<result>\n{cut_to_budget(text, each)}\n</result>" for text in results]
    kept = cut_to_budget("\n\n".join(blocks), max(1000, budget_chars))
    # A quick answer has no tool results; its passages stand in the runtime context.
    kept = f"<results>\n{kept}\n</results>" if results else state.runtime_context
    asked = f"{run.prompts.synthesis}\n\n{kept}\n\n{state.question}"
    system = [message for message in outgoing[:1] if message.role == "system"]
    return [*system, ChatMessage(role="user", content=state.aliases.encode(asked))]


def _is_wide(texts: list[str]) -> bool:
    """Whether the texts are mostly in scripts that take about one token a character."""
    size = sum(map(len, texts))
    return sum(len(text.encode("ascii", "ignore")) for text in texts) * 2 < size


def _tell_findings(run: RunContext) -> list[AgentEvent]:
    """Say what was found, with the sources as citations, without asking a model."""
    shown = dict.fromkeys(each.summary or each.name for each in run.state.findings)
    lines = [f"- {summary}" for summary in list(shown)[-MAX_FINDINGS_SHOWN:]]
    decoder = run.state.citation_decoder()
    text = "\n".join([run.texts.found_so_far, "", *lines, *_source_lines(run)])
    events: list[AgentEvent] = []
    for item in [*decoder.feed(text), *decoder.finish()]:
        events.append(item.as_event() if isinstance(item, Citation) else say(run, item))
    return events


def _source_lines(run: RunContext) -> list[str]:
    """Return one line a document or page, with the aliases of what was read of it."""
    by_title: dict[str, list[str]] = {}
    for source in run.state.aliases.sources.values():
        if source.kind in ("chunk", "web"):
            place = by_title.setdefault(source.title or source.url or "…", [])
            if len(place) < MAX_PLACES_A_SOURCE:
                place.append(f"[{source.alias}]")
    lines = [f"- {title} {''.join(places)}" for title, places in by_title.items()]
    return lines[:MAX_SOURCES_SHOWN]
