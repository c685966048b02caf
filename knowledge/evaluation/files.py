"""Golden questions as files: CSV or JSON lines in, CSV or JSON lines out.

A row is one question with one expected passage; rows of the same question belong together. What
comes out goes in again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import ValidationError

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.csv_cells import csv_line, safe_cell
from core.errors import Invalid, ProjectError, Refused, TooLarge
from core.hostile_json import read_json
from knowledge.constants import GoldenOrigin
from knowledge.evaluation.expected import Expected, read_expected
from knowledge.evaluation.golden import GoldenDraft, Origin, add_golden, clean_draft
from knowledge.evaluation.queries import EVERY, list_golden
from knowledge.faq.normal_form import question_hash
from knowledge.models import Document, GoldenQuestion, KnowledgeBase
from knowledge.parsers.csv_table import read_rows
from knowledge.parsers.encodings import decode_text
from knowledge.queries import get_base

MOST_BYTES = 10_000_000
MOST_ROWS = 2_000
COLUMNS = ("question", "answer", "language", "document", "document_id", "snippet", "chunk_hash")
_OTHER_NAMES = {
    "query": "question",
    "reference": "answer",
    "ground_truth": "answer",
    "document_name": "document",
    "file": "document",
    "passage": "snippet",
    "text": "snippet",
    "context": "snippet",
}


@dataclass(frozen=True, kw_only=True)
class FileRow:
    """One question of a file, with all that its rows expect."""

    number: int
    """Of its first row, from 1 for the first below the headings."""
    draft: GoldenDraft
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What an import did, or would do."""

    is_trial: bool
    added: int = 0
    known: int = 0
    """Questions that the base has already: they stay as they are."""
    failed: tuple[tuple[int, str, str], ...] = field(default_factory=tuple)
    """Number, question and reason of rows that are left out."""


def import_golden(
    actor: Actor,
    *,
    base_id: UUID,
    content: bytes,
    is_trial: bool = False,
    is_confirmed: bool = False,
) -> Report:
    """Add the questions of a file, or say what adding them would do; what fails leaves the rest be.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        TooLarge, Refused: the file is none that can be read.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    rows = _resolved(actor, base, read_file(content))
    known = set(GoldenQuestion.objects.filter(base=base).values_list("question_hash", flat=True))
    added, stood, failed = 0, 0, []
    with transaction.atomic():
        for row in rows:
            try:
                if row.problem:
                    raise Invalid(row.problem)
                draft = clean_draft(row.draft)
                if is_confirmed and not (draft.expected or draft.answer):
                    raise Invalid(_("It names neither a passage nor an answer."))
                if question_hash(draft.question) in known:
                    stood += 1
                    continue
                if not is_trial:
                    add_golden(
                        actor,
                        base_id=base.pk,
                        draft=draft,
                        origin=Origin(kind=GoldenOrigin.IMPORT),
                        is_confirmed=is_confirmed,
                    )
                known.add(question_hash(draft.question))
                added += 1
            except ProjectError as refusal:
                failed.append((row.number, row.draft.question[:200], refusal.message))
        if added and not is_trial:
            record_audit(actor, "golden.import", target=base, base_id=base.pk, questions=added)
    return Report(is_trial=is_trial, added=added, known=stood, failed=tuple(failed))


def read_file(content: bytes) -> list[FileRow]:
    """Return the questions of a file in their order.

    Raises:
        TooLarge: it has too many bytes or rows.
        Refused: it is none of the formats, or holds no question.
    """
    if len(content) > MOST_BYTES:
        raise TooLarge(
            _("The file has more than %(n)s bytes; split it.") % {"n": f"{MOST_BYTES:,}"}
        )
    text = decode_text(content).text.lstrip("\ufeff")
    begins_json = text.lstrip()[:1] in ("{", "[")
    rows = list(_of_json(text) if begins_json else _of_table(text))
    if not rows:
        raise Refused(_("There is no question in this file: the first row names the columns."))
    if len(rows) > MOST_ROWS:
        raise TooLarge(_("The file has more than %(n)s rows; split it.") % {"n": f"{MOST_ROWS:,}"})
    return _joined(rows)


def export_csv(actor: Actor, *, base_id: UUID) -> str:
    """Return the golden questions that the actor sees as CSV, one row an expected passage.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    lines = [csv_line((*COLUMNS, "state"))]
    for row in list_golden(actor, base_id, EVERY):
        for each in read_expected(row.expected) or (Expected(),):
            cells = (
                *(row.question, row.answer, row.language, each.document_name),
                *(str(each.document_id or ""), each.snippet, each.chunk_hash, row.state),
            )
            lines.append(csv_line(cells))
    return "\ufeff" + "".join(lines)


def export_json_lines(actor: Actor, *, base_id: UUID) -> str:
    """Return the golden questions that the actor sees, one JSON object a line.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    return "".join(
        json.dumps(
            {
                "question": row.question,
                "answer": row.answer,
                "language": row.language,
                "expected": row.expected,
                "origin": row.origin,
                "state": row.state,
            },
            ensure_ascii=False,
        )
        + "\n"
        for row in list_golden(actor, base_id, EVERY)
    )


def _of_table(text: str) -> Iterator[dict[str, Any]]:
    rows, _cut = read_rows(text)
    if not rows:
        return
    names = [_column(each) for each in rows[0]]
    if "question" not in names:
        raise Refused(_("No column is called “question”; the first row must name the columns."))
    for row in rows[1:]:
        cells = dict(zip(names, row, strict=False))
        if any(cells.values()):
            yield {name: _plain(cell) for name, cell in cells.items() if name}


def _of_json(text: str) -> Iterator[dict[str, Any]]:
    try:
        if text.lstrip().startswith("["):
            values = read_json(text)
        else:
            values = [read_json(line) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise Refused(_("This is no JSON, or not one object a line.")) from error
    for value in values:
        yield (
            {_column(str(name)): each for name, each in value.items()}
            if isinstance(value, dict)
            else {}
        )


def _column(heading: str) -> str:
    name = "_".join(heading.strip().lstrip("\ufeff").casefold().split())
    return _OTHER_NAMES.get(name, name)


def _plain(cell: str) -> str:
    """Undo the apostrophe that keeps a cell from being calculated."""
    return cell[1:] if cell[:1] == "'" and safe_cell(cell[1:]) == cell else cell


def _joined(rows: Sequence[Mapping[str, Any]]) -> list[FileRow]:
    """Return each question once, with the expectations of all its rows."""
    found: dict[str, FileRow] = {}
    for number, row in enumerate(rows, 1):
        made = _row(number, row)
        key = made.draft.question.casefold() or f"#{number}"
        before = found.get(key)
        if before is None or made.problem:
            found[key if before is None else f"{key}#{number}"] = made
            continue
        draft = before.draft
        draft = replace(
            draft,
            answer=draft.answer or made.draft.answer,
            expected=(*draft.expected, *made.draft.expected),
        )
        found[key] = replace(before, draft=draft)
    return list(found.values())


def _row(number: int, row: Mapping[str, Any]) -> FileRow:
    question = _text(row.get("question"))
    draft = GoldenDraft(
        question=question, answer=_text(row.get("answer")), language=_text(row.get("language"))
    )
    try:
        listed = row.get("expected")
        if isinstance(listed, list):
            expected = tuple(_one({_column(str(k)): v for k, v in each.items()}) for each in listed)
        else:
            expected = (_one(row),)
    except (ValidationError, AttributeError, ValueError):
        problem = _("What it expects cannot be read: an id is none, or a text is too long.")
        return FileRow(number=number, draft=draft, problem=problem)
    expected = tuple(each for each in expected if each != Expected())
    return FileRow(number=number, draft=replace(draft, expected=expected))


def _one(row: Mapping[str, Any]) -> Expected:
    named = _text(row.get("document_id"))
    return Expected(
        document_id=UUID(named) if named else None,
        document_name=_text(row.get("document"))[:255],
        chunk_hash=_text(row.get("chunk_hash")),
        snippet=" ".join(_text(row.get("snippet")).split()),
    )


def _text(value: Any) -> str:
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _resolved(actor: Actor, base: KnowledgeBase, rows: Sequence[FileRow]) -> Iterator[FileRow]:
    """Find documents by name; a document that the actor does not see in this base is none."""
    documents = visible(actor, "view", Document.objects.filter(base=base))
    by_id = dict(documents.values_list("pk", "name"))
    by_name = {name.casefold(): key for key, name in by_id.items()}
    for row in rows:
        found: list[Expected] = []
        problem = row.problem
        for each in row.draft.expected:
            known = each.document_id if each.document_id in by_id else None
            known = known or by_name.get(each.document_name.casefold())
            if known is None and each.is_whole_document:
                problem = problem or _("There is no document “%(name)s” in this base.") % {
                    "name": each.document_name or each.document_id
                }
            name = by_id[known] if known else ""
            found.append(each.model_copy(update={"document_id": known, "document_name": name}))
        yield replace(row, draft=replace(row.draft, expected=tuple(found)), problem=problem)
