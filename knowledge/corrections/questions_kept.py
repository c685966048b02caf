"""Questions that people wrote go along to the passages of a new reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from knowledge.constants import ChunkKind
from knowledge.corrections.placing import Passage
from knowledge.corrections.reading import Reading
from knowledge.corrections.rows import read_text
from knowledge.enrich.made import PERSON
from knowledge.models import Chunk, Document

_LOOKED_FOR = 400
"""Characters of a passage that are enough to find it."""


@dataclass(kw_only=True)
class KeptQuestions:
    """Questions whose passages go, and the places of the passages that get them."""

    places: dict[UUID, int] = field(default_factory=dict)

    def hand_over(self, rows: Sequence[Chunk]) -> None:
        """Put the questions below the passages that are there now."""
        questions = list(Chunk.objects.filter(pk__in=list(self.places)))
        for question in questions:
            question.parent = rows[self.places[question.pk]]
        Chunk.objects.bulk_update(questions, ["parent"])


def keep_questions(document: Document, passages: Sequence[Passage], text: str) -> KeptQuestions:
    """Take questions of people out of the passages that go; called before those are deleted.

    They no longer match what their new passage says (`detail.source_hash`), and pages tell so.
    """
    rows = Chunk.objects.filter(
        document=document, kind=ChunkKind.QUESTION, detail__origin=PERSON, parent__isnull=False
    )
    stay = {passage.draft.content_hash for passage in passages}
    going = [
        q for q in rows.select_related("parent") if q.parent and q.parent.content_hash not in stay
    ]
    if not going or not passages:
        return KeptQuestions()
    reading = Reading(text)
    kept = KeptQuestions(
        places={q.pk: _place(q.parent, reading, passages) for q in going if q.parent}
    )
    Chunk.objects.filter(pk__in=list(kept.places)).update(parent=None)
    return kept


def _place(parent: Chunk, reading: Reading, passages: Sequence[Passage]) -> int:
    """Return the passage that says what the old one said; failing that, the one at its height."""
    needle = read_text(parent)[:_LOOKED_FOR]
    found = reading.exact(needle) or reading.alike(needle)
    start = found[0].start if found else min(parent.char_start, len(reading.text))
    ends = [index for index, each in enumerate(passages) if each.draft.char_end > start]
    return ends[0] if ends else len(passages) - 1
