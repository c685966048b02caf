"""Writes entries as CSV or JSON, so that they can be read elsewhere or imported again."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Iterable
from typing import Any, BinaryIO
from uuid import UUID

from accounts.access import Actor
from accounts.services.audit import record_audit
from knowledge.constants import AnswerStrategy
from knowledge.faq.columns import COLUMNS, Column, join_texts, safe_cell
from knowledge.faq.drafts import EntryDraft, draft_of
from knowledge.faq.queries import ALL_ENTRIES, EntryFilter, list_entries
from knowledge.faq.services import get_faq_base
from knowledge.models import FaqEntry

_AT_ONCE = 500


def export_csv(
    actor: Actor,
    target: BinaryIO,
    *,
    base_id: UUID,
    wanted: EntryFilter = ALL_ENTRIES,
    in_chinese: bool = False,
) -> int:
    """Write the entries that the filter leaves as CSV with a byte order mark; returns how many.

    Raises:
        NotFound: there is no such base of questions and answers for the actor.
    """
    rows = _entries(actor, base_id, wanted)
    target.write(codecs.BOM_UTF8)
    text = io.TextIOWrapper(target, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow([names[in_chinese] for names in COLUMNS.values()])
    number = 0
    for entry in rows:
        cells = cells_of(draft_of(entry))
        writer.writerow([safe_cell(cells[column]) for column in COLUMNS])
        number += 1
    text.detach()  # the file is the caller's, and stays open
    _audit(actor, base_id, "csv", number)
    return number


def export_json(
    actor: Actor, target: BinaryIO, *, base_id: UUID, wanted: EntryFilter = ALL_ENTRIES
) -> int:
    """Write the entries that the filter leaves as a list of objects; returns how many.

    Raises:
        NotFound: there is no such base of questions and answers for the actor.
    """
    number = 0
    target.write(b"[")
    for entry in _entries(actor, base_id, wanted):
        value = json.dumps(_object(entry), ensure_ascii=False)
        target.write((",\n" if number else "\n").encode() + value.encode())
        number += 1
    target.write(b"\n]\n")
    _audit(actor, base_id, "json", number)
    return number


def cells_of(draft: EntryDraft) -> dict[Column, str]:
    """Return an entry as the cells of a table."""
    return {
        "tag": draft.tag,
        "standard_question": draft.standard_question,
        "similar_questions": join_texts(draft.similar_questions),
        "negative_questions": join_texts(draft.negative_questions),
        "answers": join_texts(draft.answers),
        "all_answers": _yes(draft.strategy == AnswerStrategy.ALL),
        "disabled": _yes(not draft.is_enabled),
        "not_recommended": _yes(not draft.is_recommended),
    }


def _object(entry: FaqEntry) -> dict[str, Any]:
    draft = draft_of(entry)
    return {
        "standard_question": draft.standard_question,
        "similar_questions": list(draft.similar_questions),
        "negative_questions": list(draft.negative_questions),
        "answers": list(draft.answers),
        "answer_strategy": str(draft.strategy),
        "tag": draft.tag,
        "is_enabled": draft.is_enabled,
        "is_recommended": draft.is_recommended,
    }


def _entries(actor: Actor, base_id: UUID, wanted: EntryFilter) -> Iterable[FaqEntry]:
    base = get_faq_base(actor, base_id)
    return list_entries(actor, base.pk, wanted).order_by("number").iterator(chunk_size=_AT_ONCE)


def _yes(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _audit(actor: Actor, base_id: UUID, kind: str, number: int) -> None:
    base = get_faq_base(actor, base_id)
    record_audit(actor, "faq.export", target=base, base_id=base_id, kind=kind, entries=number)
