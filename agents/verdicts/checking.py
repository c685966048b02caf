"""Checks an answer when it is done: cuts it, judges each sentence, keeps the verdicts, tells windows."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from uuid import UUID

from django.db import transaction

from agents.configuration import VerdictMode
from agents.constants import VerdictMethod
from agents.models import AgentRun, Message, RunEvent, SentenceVerdict
from agents.runs.publish import publish
from agents.tracing.closed import HOLD_SOURCES
from agents.verdicts.entailment import Opinions, ask_model, is_open
from agents.verdicts.judge import judge
from agents.verdicts.sentences import Sentence, split_answer
from agents.verdicts.statements import is_about_sources
from agents.verdicts.values import Judgement, Passage
from core.jobs.handlers import JobContext
from core.jsonvalues import storable
from knowledge.models import EvidenceRow
from knowledge.text.pictures import without_references

logger = logging.getLogger(__name__)
MOST_SENTENCES = 200
"""Of one answer; what follows is not checked."""


def mode_of(run: AgentRun) -> VerdictMode:
    """Return how the run's answers are checked; a shared agent's by words: its model is not ours."""
    return run.agent.settings.verdict_mode if run.agent is not None else "words"


def is_checked(run: AgentRun) -> bool:
    """Say whether the answer is to be checked: it was made from sources and is a real answer."""
    if run.answer_id is None or run.conversation.is_internal or mode_of(run) == "off":
        return False
    if run.outcome not in ("answered", "limit_reached"):
        return False
    if EvidenceRow.objects.filter(origin_id=run.answer_id).exists():
        return True
    # What only quotes has no claims of its own where it quotes nothing.
    return not run.is_extractive and _has_read(run)


def check_sentences(context: JobContext, *, run_id: UUID) -> None:
    """Judge the sentences of a run's answer anew and tell the open windows."""
    rows = AgentRun.objects.select_related("agent__chat_model", "answer", "conversation")
    run = rows.filter(pk=run_id).first()
    if run is None or run.answer is None or not is_checked(run):
        return
    sentences = [
        each
        for each in split_answer(run.answer.text)[:MOST_SENTENCES]
        if not is_about_sources(each.text)
    ]
    passages = passages_of(run.answer)
    elsewhere = _without_passage(run)
    judged = [judge(each, passages, cited_elsewhere=elsewhere) for each in sentences]
    opinions = Opinions()
    if mode_of(run) == "model" and any(map(is_open, judged)):
        opinions = ask_model(run, sentences, judged, passages)
    context.check()
    store_verdicts(run.answer, sentences, [*opinions.applied(judged)], opinions.asked)
    publish(run.conversation_id, {"type": "verdicts.ready", "run_id": str(run.pk)})


def passages_of(answer: Message) -> list[Passage]:
    """Return the passages that the answer cites, as they were when it was made."""
    rows = EvidenceRow.objects.filter(origin_id=answer.pk).exclude(text="").order_by("marker")
    return [
        Passage(
            marker=row.marker,
            text=without_references(row.text),
            heading=" › ".join([row.document_name, *row.heading_path]),
        )
        for row in rows
    ]


def store_verdicts(
    answer: Message,
    sentences: Sequence[Sentence],
    judged: Sequence[Judgement],
    asked: frozenset[int],
) -> None:
    """Keep the verdicts in place of earlier ones; `asked` are places that a model judged."""
    with transaction.atomic():
        # Two workers may do it at once: the later one's rows stay. And the text may be erased by now.
        now = Message.objects.select_for_update().get(pk=answer.pk)
        if now.text != answer.text:
            return
        SentenceVerdict.objects.filter(message=answer).delete()
        SentenceVerdict.objects.bulk_create(
            SentenceVerdict(
                space_id=answer.space_id,
                message=answer,
                index=index,
                start=sentence.start,
                end=sentence.end,
                state=verdict.state,
                method=VerdictMethod.MODEL if index in asked else VerdictMethod.WORDS,
                reasons=storable([asdict(each) for each in verdict.reasons]),
                markers=list(verdict.markers),
            )
            for index, (sentence, verdict) in enumerate(zip(sentences, judged, strict=True))
        )


def _without_passage(run: AgentRun) -> frozenset[int]:
    """Return the markers of sources of which no passage is kept: whole documents, web pages."""
    kinds = {"document", "web"}
    rows = RunEvent.objects.filter(run=run, type="citation_added").values_list("data", flat=True)
    return frozenset(each["marker"] for each in rows if each.get("kind") in kinds)


def _has_read(run: AgentRun) -> bool:
    """Say whether anything of a knowledge base stood before the model."""
    rows = RunEvent.objects.filter(run=run, type__in=HOLD_SOURCES)
    return any(_names_document(each) for each in rows.values_list("data", flat=True))


def _names_document(data: dict[str, object]) -> bool:
    inner = data.get("data")
    hits = inner.get("hits") if isinstance(inner, dict) else None
    return bool(data.get("document_id") or hits)
