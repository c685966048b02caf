"""Entries that a question does not mean, because it stands among their negative ones."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from knowledge.constants import BaseKind
from knowledge.faq.normal_form import question_hash
from knowledge.models import FaqQuestion, KnowledgeBase


def entries_refusing(question: str, bases: Iterable[KnowledgeBase]) -> frozenset[UUID]:
    """Return the entries of these bases with this very question among their negative ones."""
    base_ids = [base.pk for base in bases if base.kind == BaseKind.FAQ]
    if not question or not base_ids:
        return frozenset()
    rows = FaqQuestion.objects.filter(
        base_id__in=base_ids, kind="negative", text_hash=question_hash(question)
    )
    return frozenset(rows.values_list("entry_id", flat=True))
