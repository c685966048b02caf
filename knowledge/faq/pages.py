"""Contexts of the pages of questions and answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import QueryDict
from django.utils.translation import gettext as _

from knowledge.constants import AnswerStrategy, ImportMode
from knowledge.faq.import_run import REPLACED
from knowledge.faq.importing import reason_of
from knowledge.faq.queries import SEARCH_FIELDS, EntryFilter
from knowledge.models import FaqEntry, FaqImport, Tag
from knowledge.stored_reasons import told

_SHOWN_PROBLEMS = 20
_YES_NO = {"1": True, "0": False}


@dataclass(frozen=True, kw_only=True)
class EntryRow:
    """An entry in the table."""

    id: UUID
    number: int
    question: str
    similar_count: int
    negative_count: int
    answer: str
    """The first one."""
    more_answers: int
    is_random: bool
    tag: Tag | None
    is_enabled: bool
    is_recommended: bool
    version: int
    changed_at: datetime
    changed_by: str
    is_waiting: bool
    """Changed, and not found in its new words yet."""
    problem: str


def row_of(entry: FaqEntry) -> EntryRow:
    """Return an entry as the table shows it."""
    return EntryRow(
        id=entry.pk,
        number=entry.number,
        question=entry.standard_question,
        similar_count=len(entry.similar_questions),
        negative_count=len(entry.negative_questions),
        answer=entry.answers[0] if entry.answers else "",
        more_answers=max(0, len(entry.answers) - 1),
        is_random=entry.answer_strategy == AnswerStrategy.RANDOM and len(entry.answers) > 1,
        tag=entry.tag,
        is_enabled=entry.is_enabled,
        is_recommended=entry.is_recommended,
        version=entry.version,
        changed_at=entry.updated_at,
        changed_by=str(entry.updated_by) if entry.updated_by else "",
        is_waiting=entry.indexed_at is None,
        problem=told(entry.index_error) if entry.indexed_at is None else "",
    )


def filter_in(query: QueryDict) -> EntryFilter:
    """Return what an address asks for; what makes no sense is taken for "any"."""
    field = query.get("in", "")
    return EntryFilter(
        text=query.get("q", "").strip()[:200],
        field=next((each for each in SEARCH_FIELDS if each == field), ""),
        tag_ids=tuple(int(each) for each in query.getlist("tag") if each.isdecimal())[:50],
        is_enabled=_YES_NO.get(query.get("enabled", "")),
        is_recommended=_YES_NO.get(query.get("recommended", "")),
        oldest_first=query.get("sort") == "oldest",
    )


def search_fields() -> list[tuple[str, str]]:
    """Return where a text may be looked for."""
    return [
        ("", _("Everywhere")),
        ("standard_question", _("Standard questions")),
        ("similar_questions", _("Similar questions")),
        ("answers", _("Answers")),
    ]


def import_of(row: FaqImport) -> dict[str, Any]:
    """Return what `_faq_import.html` takes."""
    counts = row.counts
    labels = [
        ("added", _("added")),
        ("merged", _("merged")),
        ("skipped", _("unchanged")),
        ("partial_failed", _("without some questions")),
        ("failed", _("failed")),
        (REPLACED, _("deleted before")),
    ]
    tones = {"added": "ok", "merged": "ok", "partial_failed": "warn", "failed": "bad"}
    return {
        "id": row.pk,
        "name": row.file_name,
        "is_running": row.ended_at is None,
        "is_dry_run": row.is_dry_run,
        "mode": str(ImportMode(row.mode).label),
        "done": row.done,
        "total": row.total,
        "percent": 100 * row.done / row.total if row.total else 0,
        "reason": told(row.reason),
        "figures": [
            {"label": label, "number": counts[name], "tone": tones.get(name, "")}
            for name, label in labels
            if counts.get(name)
        ],
        "problems": [
            {**problem, "reason": reason_of(problem)} for problem in row.problems[:_SHOWN_PROBLEMS]
        ],
        "more_problems": max(0, len(row.problems) - _SHOWN_PROBLEMS),
    }
