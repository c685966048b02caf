"""Questions that a passage answers: who asks in such words finds the passage.

A job works on `PASSAGES_A_JOB` passages and enqueues the next one, so that spaces take turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from pydantic import BaseModel, Field

from knowledge.base_settings import BaseSettings
from knowledge.constants import UNLISTED_SOURCES, ChunkKind, StageName
from knowledge.enrich.asking import Wish, ask_value
from knowledge.enrich.jobs import ASK_QUESTIONS
from knowledge.enrich.made import Made, embed_made, passages_of, replace_made
from knowledge.enrich.material import about
from knowledge.enrich.plan import enqueue_enrichment
from knowledge.enrich.registry import Enriching, Enrichment
from knowledge.models import Chunk, Document
from knowledge.prompts import knowledge_prompt
from knowledge.text.pictures import without_references
from providers.contracts.errors import ModelError

PASSAGES_A_JOB = 20
CHARACTERS_A_CALL = 12_000
SHORTEST_PASSAGE = 40
"""Characters; shorter ones hold no statement to ask for."""
_TOKENS_A_QUESTION = 60
_LONGEST_QUESTION = 500


class _OfPassage(BaseModel):
    number: int
    questions: list[str] = Field(default_factory=list)


class _Answer(BaseModel):
    passages: list[_OfPassage]


def ask_questions(enriching: Enriching) -> None:
    """Write the questions of the next passages; those whose questions stand are passed over."""
    passages = passages_of(enriching.document)
    begin = int(enriching.cursor.get("begin", 0))
    batch = passages[begin : begin + PASSAGES_A_JOB]
    report = enriching.report
    for group in _groups(_without_questions(batch)):
        _ask(enriching, group)
        enriching.context.check()
    if batch:
        embed_made(enriching)
    end = begin + len(batch)
    report.progress(end, len(passages))
    if end < len(passages):
        report.goes_on()
        enqueue_enrichment(enriching.document, ENRICHMENT, begin=end)
    elif unusable := report.row.detail.get("unusable", 0):
        report.failed(
            "bad_response",
            _(
                "For %(n)s passages the model gave nothing that can be used. Read the document"
                " again, or choose another model."
            )
            % {"n": unusable},
        )


def _ask(enriching: Enriching, group: Sequence[Chunk]) -> None:
    """Have one call write the questions of some passages; a bad answer only costs these."""
    most, report = enriching.settings.enrichment.questions_per_passage, enriching.report
    wish = Wish(
        instructions=knowledge_prompt("questions").render(count=str(most)),
        material=_material(enriching.document, group),
        purpose="questions",
        max_tokens=200 + len(group) * most * _TOKENS_A_QUESTION,
    )
    try:
        answer = ask_value(enriching, wish, _Answer)
    except ModelError as error:
        if error.kind != "bad_response":
            raise
        report.note(unusable=report.row.detail.get("unusable", 0) + len(group))
        return
    made = list(_made(answer, group, most))
    replace_made(
        enriching, kind=ChunkKind.QUESTION, made=made, of=[passage.pk for passage in group]
    )
    report.note(made=report.row.detail.get("made", 0) + len(made))


def _without_questions(passages: Sequence[Chunk]) -> list[Chunk]:
    """Leave out passages that have questions made from their present text."""
    rows = Chunk.objects.filter(
        kind=ChunkKind.QUESTION, parent_id__in=[passage.pk for passage in passages]
    )
    have = {(row.parent_id, row.detail.get("source_hash")) for row in rows}
    return [
        passage
        for passage in passages
        if len(passage.text) >= SHORTEST_PASSAGE and (passage.pk, passage.content_hash) not in have
    ]


def _groups(passages: Sequence[Chunk]) -> Iterator[list[Chunk]]:
    group: list[Chunk] = []
    size = 0
    for passage in passages:
        if group and size + len(passage.text) > CHARACTERS_A_CALL:
            yield group
            group, size = [], 0
        group.append(passage)
        size += len(passage.text)
    if group:
        yield group


def _material(document: Document, group: Sequence[Chunk]) -> str:
    parts = [about(document)]
    for number, passage in enumerate(group, 1):
        heading, text = " › ".join(passage.heading_path), without_references(passage.text)
        parts.append(f"Passage {number}{f' ({heading})' if heading else ''}:\n{text}")
    return "\n\n".join(parts)


def _made(answer: _Answer, group: Sequence[Chunk], most: int) -> Iterator[Made]:
    for given in answer.passages:
        if not 1 <= given.number <= len(group):
            continue
        passage = group[given.number - 1]
        for question in given.questions[:most]:
            text = " ".join(question.split())[:_LONGEST_QUESTION]
            yield Made(parent=passage, text=text, source_hash=passage.content_hash)


def _wanted(document: Document, settings: BaseSettings) -> bool:
    return settings.enrichment.questions and document.source not in UNLISTED_SOURCES


ENRICHMENT = Enrichment(
    stage=StageName.QUESTIONS, job=ASK_QUESTIONS, wanted=_wanted, run=ask_questions
)
