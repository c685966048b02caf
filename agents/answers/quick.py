"""The quick answer's way to its passages: understand, search, widen, answer directly or hand over.

Each step is told as a call of the run, so that people see it like any other and a reload keeps it;
the passages are told before the model says its first word. Searching the web and asking tables belong
behind the search, in `quick_steps`, when this installation can do them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import replace

from agents.answers.context import intent_context, passages_context
from agents.answers.expansion import variants_of
from agents.answers.faq_direct import DirectAnswer, direct_answer, with_boost
from agents.answers.steps import Watch, tell_step
from agents.answers.understanding import Understanding, understand
from agents.engine.citations import Citation
from agents.engine.events import AgentEvent, AnswerDelta, AnswerFinished, RunFinished
from agents.engine.state import Finding, RunState as LoopState
from agents.tools.deps import RunDeps
from agents.tools.knowledge import passage_of_hit
from agents.tools.passages import card_of
from agents.tools.searching import PASSAGES_PER_SEARCH, find_passages, passages_of
from core.aio import in_db
from knowledge.constants import SearchDoor
from knowledge.retrieval.hits import Retrieval
from providers.contracts.chat import ChatMessage, ChatModel

CALL_ID = "retrieval"
UNDERSTANDING_ID = "understanding"
EXPANSION_ID = "expansion"
NOTHING_FOUND = "Nothing about this was found in the knowledge bases."


async def quick_steps(
    state: LoopState, deps: RunDeps, *, model: ChatModel | None
) -> AsyncGenerator[AgentEvent, None]:
    """Yield what happens before the model answers; afterwards the state holds what it reads.

    Args:
        state: of a run that has not searched yet.
        deps: who asks, and where to look.
        model: who rewrites questions; None where nobody can.
    """
    history = _history(state)
    meant = Understanding(query=state.question)
    if model is not None:
        watch = Watch()
        meant = await understand(
            model, question=state.question, history=history, config=deps.config
        )
        for event in _understood(state, meant, watch):
            yield event
    if not meant.searches(has_history=bool(history), has_documents=bool(deps.document_ids)):
        state.call_ids.append(CALL_ID)  # there is nothing to search for, also after a take-over
        _add_context(state, intent_context(deps.config, meant.intent))
        return
    watch = Watch()
    found = await in_db(find_passages, deps, query=meant.query, door=SearchDoor.QUICK)
    if deps.config.enable_query_expansion and found.confident is False:
        widening = Watch()
        variants = variants_of(meant.query)
        wider = [
            await in_db(find_passages, deps, query=each, door=SearchDoor.QUICK) for each in variants
        ]
        joined = joined_hits(found, wider)
        if variants:
            for event in _expanded(state, variants, found, joined, widening):
                yield event
        found = joined
    async for event in _retrieved(state, deps, meant, found, watch):
        yield event


def joined_hits(found: Retrieval, wider: Sequence[Retrieval]) -> Retrieval:
    """Return the search with what its variants found behind its own hits, best first.

    Scores say nothing across searches, so the question's own hits stay before the others; and a
    variant with fewer words is surer of itself, so that the first search's confidence holds.
    """
    known = {hit.chunk_id for hit in found.hits}
    lowest = min((hit.score for hit in found.hits), default=1.0)
    more = []
    for hit in sorted((hit for each in wider for hit in each.hits), key=lambda hit: -hit.score):
        if hit.chunk_id not in known:
            known.add(hit.chunk_id)
            more.append(replace(hit, score=min(hit.score, lowest)))
    kept = [*found.hits, *more][: max(len(found.hits), PASSAGES_PER_SEARCH)]
    hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept, 1))
    return replace(found, hits=hits)


async def _retrieved(
    state: LoopState, deps: RunDeps, meant: Understanding, found: Retrieval, watch: Watch
) -> AsyncGenerator[AgentEvent, None]:
    """Put the passages into the state and tell them; then an answer that needs no model, if any."""
    boosted = replace(found, hits=tuple(await in_db(with_boost, found.hits, deps.config)))
    hits = passages_of(boosted, deps.config)
    direct = await in_db(direct_answer, meant.query, hits, deps.config)
    passages = [passage_of_hit(hit) for hit in hits]
    context = passages_context(
        deps.config,
        state.aliases,
        passages,
        question=state.question,
        confident=found.confident,
    )
    _add_context(state, context)
    summary = f"{len(passages)} passages" if passages else "Nothing found"
    if direct is not None:
        summary = "An entry of the questions and answers is this very question"
    if passages:
        state.findings.append(Finding(name="knowledge_search", summary=summary))
    for event in tell_step(
        state,
        name="knowledge_search",
        call_id=CALL_ID,
        title=f"Searching for “{meant.query[:120]}”",
        arguments={"queries": [meant.query]},
        summary=summary,
        data={
            "hits": _cards(card_of(passages), direct),
            "warnings": list(found.warnings),
        },
        watch=watch,
    ):
        yield event
    for last in _direct(state, direct) if direct else () if passages else _fixed(state, deps):
        yield last


def _understood(state: LoopState, meant: Understanding, watch: Watch) -> Iterable[AgentEvent]:
    """Return the step, and what its call took."""
    same = meant.query == state.question
    told = "Searching as asked" if same else f"Searching for “{meant.query[:120]}”"
    if meant.problem:
        told = f"Searching as asked: {meant.problem}"
    data = {"query": meant.query, "intent": meant.intent}
    if meant.image_description:
        data["image_description"] = meant.image_description
    pair = tell_step(
        state,
        name="query_understanding",
        call_id=UNDERSTANDING_ID,
        title="Understanding the question",
        arguments={"question": state.question},
        summary=told if meant.intent == "kb_search" else f"{told} ({meant.intent})",
        data=data,
        watch=watch,
        ok=not meant.problem,
    )
    return (*pair, meant.usage) if meant.usage is not None else pair


def _expanded(
    state: LoopState, variants: Sequence[str], found: Retrieval, joined: Retrieval, watch: Watch
) -> Iterable[AgentEvent]:
    own = {hit.chunk_id for hit in found.hits}
    more = sum(hit.chunk_id not in own for hit in joined.hits)
    return tell_step(
        state,
        name="query_expansion",
        call_id=EXPANSION_ID,
        title="Searching in other words",
        arguments={"queries": list(variants)},
        summary=f"{more} more passages",
        data={"queries": list(variants)},
        watch=watch,
    )


def _direct(state: LoopState, direct: DirectAnswer) -> list[AgentEvent]:
    """Return the entry's answer with its source, which ends the run without a model."""
    hit = direct.hit
    alias = state.aliases.chunk(
        hit.chunk_id,
        document_id=hit.document_id,
        base_id=hit.base_id,
        title=hit.document_name,
        page=hit.page_from,
    )
    decoder = state.citation_decoder()
    items = [*decoder.feed(f"{direct.text} [{alias}]"), *decoder.finish()]
    events: list[AgentEvent] = []
    for item in items:
        events.append(item.as_event() if isinstance(item, Citation) else AnswerDelta(text=item))
    text = "".join(item for item in items if isinstance(item, str))
    state.answer, state.finished = text, True
    return [
        *events,
        AnswerFinished(text=text),
        RunFinished(outcome="answered", reason="natural_stop", answer=text),
    ]


def _fixed(state: LoopState, deps: RunDeps) -> list[AgentEvent]:
    """Return the agent's own words for "nothing found", which end the run without a model."""
    text = deps.config.fallback_response.strip()
    if deps.config.fallback_strategy != "fixed" or not text:
        return []
    state.answer, state.finished = text, True
    return [
        AnswerDelta(text=text),
        AnswerFinished(text=text),
        RunFinished(outcome="fallback", reason="natural_stop", detail=NOTHING_FOUND, answer=text),
    ]


def _cards(cards: list[dict[str, object]], direct: DirectAnswer | None) -> list[dict[str, object]]:
    """Return the hits of the card; the one that answers by itself is marked."""
    if direct is None:
        return cards
    chosen = str(direct.hit.chunk_id)
    return [{**card, "match": "exact"} if card["chunk_id"] == chosen else card for card in cards]


def _history(state: LoopState) -> list[ChatMessage]:
    """Return the turns before the question."""
    before = state.messages[: state.question_at]
    return [each for each in before if each.role in ("user", "assistant")]


def _add_context(state: LoopState, text: str) -> None:
    state.runtime_context = "\n\n".join(part for part in (state.runtime_context, text) if part)
