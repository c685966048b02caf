"""What of an entry is read: its question with all answers, or with one of them."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from uuid import UUID

from knowledge.constants import AnswerStrategy
from knowledge.models import Chunk, FaqEntry


def text_of(question: str, answers: Sequence[str]) -> str:
    """Return the passage that people and models read."""
    return "\n\n".join([question, *answers])


def pick_answers(entry: FaqEntry) -> list[str]:
    """Return the answers that this request gets: all, or one by chance."""
    if entry.answer_strategy == AnswerStrategy.RANDOM and entry.answers:
        return [secrets.choice(entry.answers)]
    return list(entry.answers)


def choose_answers(chunks: Iterable[Chunk]) -> dict[UUID, str]:
    """Return the texts of those passages whose entry gives one of its answers only."""
    wanted = {chunk.pk: chunk.faq_entry_id for chunk in chunks if chunk.faq_entry_id is not None}
    if not wanted:
        return {}
    rows = FaqEntry.objects.filter(
        pk__in=set(wanted.values()), answer_strategy=AnswerStrategy.RANDOM
    )
    texts = {entry.pk: text_of(entry.standard_question, pick_answers(entry)) for entry in rows}
    return {pk: texts[entry_id] for pk, entry_id in wanted.items() if entry_id in texts}
