"""The quick answer's one retrieval: its passages go to the model with the question."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from agents.engine.aliases import Aliases
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    RunFinished,
    ToolCallFinished,
    ToolCallStarted,
)
from agents.engine.state import Finding, RunState as LoopState
from agents.runs.prompting import context_prompt
from agents.tools.deps import RunDeps
from agents.tools.knowledge import passage_of_hit, retrieval_notes
from agents.tools.passages import Passage, card_of, write_passages
from agents.tools.searching import find_passages, passages_of
from core.aio import in_db
from knowledge.retrieval.hits import Retrieval

CALL_ID = "retrieval"
NO_PASSAGES = "The knowledge bases hold nothing about this question. Say so."
NOTHING_FOUND = "Nothing about this was found in the knowledge bases."


@dataclass(frozen=True, kw_only=True)
class Search:
    """The retrieval as events of the run: a step that people see like any other."""

    started: ToolCallStarted
    finished: ToolCallFinished
    answer: tuple[AgentEvent, ...] = ()
    """The end of the run, when the agent answers with a fixed text because nothing was found."""


async def search_first(state: LoopState, deps: RunDeps) -> Search:
    """Search for the question, put the passages into the state, and tell it as a step."""
    arguments = {"queries": [state.question]}
    started = ToolCallStarted(
        round=0,
        call_id=CALL_ID,
        name="knowledge_search",
        arguments=arguments,
        title=f"Searching for “{state.question[:120]}”",
    )
    begun = time.monotonic()
    found = await in_db(find_passages, deps, query=state.question)
    passages = [passage_of_hit(hit) for hit in passages_of(found, deps.config)]
    context = _context(state, deps, found, passages)
    state.runtime_context = "\n\n".join(part for part in (state.runtime_context, context) if part)
    state.call_ids.append(CALL_ID)
    summary = f"{len(passages)} passages" if passages else "Nothing found"
    if passages:
        state.findings.append(Finding(name="knowledge_search", summary=summary))
    finished = ToolCallFinished(
        round=0,
        call_id=CALL_ID,
        name="knowledge_search",
        ok=True,
        output="",
        summary=summary,
        data={"hits": card_of(passages), "warnings": list(found.warnings)},
        duration_ms=round((time.monotonic() - begun) * 1000),
    )
    answer = () if passages else _fixed_answer(state, deps)
    return Search(started=started, finished=finished, answer=answer)


def _fixed_answer(state: LoopState, deps: RunDeps) -> tuple[AgentEvent, ...]:
    """Return the agent's own words for "nothing found", which end the run without a model."""
    text = deps.config.fallback_response.strip()
    if deps.config.fallback_strategy != "fixed" or not text:
        return ()
    state.answer, state.finished = text, True
    return (
        AnswerDelta(text=text),
        AnswerFinished(text=text),
        RunFinished(outcome="fallback", reason="natural_stop", detail=NOTHING_FOUND, answer=text),
    )


def _context(state: LoopState, deps: RunDeps, found: Retrieval, passages: Sequence[Passage]) -> str:
    if not passages:
        return deps.config.fallback_prompt.strip() or NO_PASSAGES
    written = _written(found, passages, state.aliases)
    return context_prompt(
        deps.config, question=state.question, passages=written, now=timezone.now()
    )


def _written(found: Retrieval, passages: Sequence[Passage], aliases: Aliases) -> str:
    return "\n\n".join([*retrieval_notes([found.confident]), write_passages(passages, aliases)])
