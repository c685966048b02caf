"""The quick answer's one retrieval: its passages go to the model with the question."""

from __future__ import annotations

import time
from dataclasses import dataclass

from agents.engine.aliases import Aliases
from agents.engine.events import ToolCallFinished, ToolCallStarted
from agents.engine.state import Finding, RunState as LoopState
from agents.tools.deps import RunDeps
from agents.tools.knowledge import passage_of_hit, retrieval_notes
from agents.tools.passages import card_of, write_passages
from core.aio import in_db
from knowledge.retrieval.hits import Retrieval
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope

CALL_ID = "retrieval"
PASSAGES = 8
NO_PASSAGES = "The knowledge bases hold nothing about this question. Say so."


@dataclass(frozen=True, kw_only=True)
class Search:
    """The retrieval as two events of the run: a step that people see like any other."""

    started: ToolCallStarted
    finished: ToolCallFinished


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
    found = await in_db(_retrieve, deps, state.question)
    state.runtime_context = "\n\n".join(
        part for part in (state.runtime_context, _context(found, state.aliases)) if part
    )
    state.call_ids.append(CALL_ID)
    passages = [passage_of_hit(hit) for hit in found.hits[:PASSAGES]]
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
    return Search(started=started, finished=finished)


def _retrieve(deps: RunDeps, question: str) -> Retrieval:
    return retrieve(deps.actor, query=question, scope=Scope(base_ids=deps.base_ids))


def _context(found: Retrieval, aliases: Aliases) -> str:
    passages = [passage_of_hit(hit) for hit in found.hits[:PASSAGES]]
    if not passages:
        return NO_PASSAGES
    return "\n\n".join([*retrieval_notes([found.confident]), write_passages(passages, aliases)])
