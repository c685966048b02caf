"""Reads a file of entries: CSV of any dialect and encoding, a spreadsheet, or JSON."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from django.utils.translation import gettext as _, gettext_lazy
from python_calamine import CalamineError, CalamineWorkbook, PasswordError, ZipError

from core.errors import Refused
from core.hostile_json import read_json
from knowledge.constants import AnswerStrategy
from knowledge.faq.columns import Column, column_of, is_yes, plain_cell, split_texts
from knowledge.faq.drafts import EntryDraft
from knowledge.ingest.gates import GateLimits, check_content
from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.csv_table import read_rows as read_csv_rows
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.filetypes import detect_type

MOST_ROWS = 50_000
T = TypeVar("T")
_SPREADSHEETS = frozenset({"xlsx", "xls", "xlsb", "ods"})
_FLAGS: Final = frozenset({"strategy", "tag", "is_enabled", "is_recommended"})
_JSON_NAMES: Final[Mapping[str, str]] = {
    "question": "standard_question",
    "answer": "answers",
    "answer_strategy": "strategy",
    "tag_name": "tag",
    "category": "tag",
}
_ADVICE = gettext_lazy(
    "The first row must name the columns, among them “Standard question” and “Answers”"
    " (or 问题 and 机器人回答)."
)


@dataclass(frozen=True, kw_only=True)
class ImportRow:
    """One entry of the file, as it stands there."""

    number: int
    """Of the row in a table, from 1 for the headings; of the object in JSON, from 1."""
    draft: EntryDraft
    given: frozenset[str] = field(default=_FLAGS)
    """Which of the flags the file speaks about; the others stay as they are in a merge."""
    problem: str = ""
    """Why it cannot be read at all."""


def read_import(content: bytes, name: str) -> list[ImportRow]:
    """Return the entries of a file in their order.

    Raises:
        Refused: it is none of the formats, is damaged, hostile, empty or too long.
    """
    try:
        file_type = detect_type(content, name)
        if file_type in _SPREADSHEETS:
            check_content(content, file_type, GateLimits())
            rows = list(_of_table(_sheet(content)))
        elif content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{"):
            rows = list(_of_json(decode_text(content).text))
        elif file_type in ("csv", "txt", "md", ""):
            rows = list(_of_table(read_csv_rows(decode_text(content).text)[0]))
        else:
            raise Refused(_("This is not a table: choose a CSV, Excel or JSON file."))
    except ParseRefused as refusal:
        raise Refused(refusal.reason) from refusal
    if not rows:
        raise Refused(_("There is no entry in this file. %(reason)s") % {"reason": _ADVICE})
    if len(rows) > MOST_ROWS:
        raise Refused(
            _("The file has %(n)s entries; at most %(most)s are imported at once. Split it.")
            % {"n": f"{len(rows):,}", "most": f"{MOST_ROWS:,}"}
        )
    return rows


def _sheet(content: bytes) -> list[list[str]]:
    """Return the first sheet that has anything in it."""
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(content))
        for name in workbook.sheet_names:
            rows = workbook.get_sheet_by_name(name).to_python(nrows=MOST_ROWS + 2)
            if rows:
                return [[_cell(value) for value in row] for row in rows]
    except PasswordError as error:
        raise Refused(_("The table is protected with a password; remove it first.")) from error
    except (CalamineError, ZipError) as error:
        raise Refused(_("The table is damaged. Save it again in its program.")) from error
    return []


def _cell(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _of_table(rows: Sequence[Sequence[str]]) -> Iterator[ImportRow]:
    """Yield the rows below the headings; rows without any text are left out."""
    start, columns = _headings(rows)
    if columns is None:
        raise Refused(_("No headings were found. %(reason)s") % {"reason": _ADVICE})
    given = _given(columns.values())
    for number, row in enumerate(rows[start + 1 :], start + 2):
        cells = {
            column: plain_cell(row[place]).strip()
            for place, column in columns.items()
            if place < len(row)
        }
        if any(cells.values()):
            yield ImportRow(number=number, draft=_of_cells(cells), given=given)


def _headings(rows: Sequence[Sequence[str]]) -> tuple[int, dict[int, Column] | None]:
    """Find the row of headings; some templates have a title or instructions above it."""
    for number, row in enumerate(rows[:10]):
        found = {place: column_of(cell) for place, cell in enumerate(row)}
        columns = {place: column for place, column in found.items() if column is not None}
        if {"standard_question", "answers"} <= set(columns.values()):
            return number, columns
    return 0, None


def _given(columns: Iterable[Column]) -> frozenset[str]:
    names: dict[Column, str] = {
        "all_answers": "strategy",
        "disabled": "is_enabled",
        "not_recommended": "is_recommended",
        "tag": "tag",
    }
    return frozenset(names[column] for column in columns if column in names)


def _of_cells(cells: Mapping[Column, str]) -> EntryDraft:
    wants_all = cells.get("all_answers", "")
    return EntryDraft(
        standard_question=cells.get("standard_question", ""),
        similar_questions=split_texts(cells.get("similar_questions", "")),
        negative_questions=split_texts(cells.get("negative_questions", "")),
        answers=split_texts(cells.get("answers", "")),
        strategy=AnswerStrategy.ALL
        if not wants_all or is_yes(wants_all)
        else AnswerStrategy.RANDOM,
        tag=cells.get("tag", ""),
        is_enabled=not is_yes(cells.get("disabled", "")),
        is_recommended=not is_yes(cells.get("not_recommended", "")),
    )


def _of_json(text: str) -> Iterator[ImportRow]:
    try:
        value = read_json(text)
    except ValueError as error:
        raise Refused(_("This is not JSON: %(detail)s.") % {"detail": error}) from error
    entries = value.get("entries") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise Refused(_("The JSON must be a list of entries, or an object with a list `entries`."))
    for number, entry in enumerate(entries, 1):
        yield _of_object(number, entry)


def _of_object(number: int, entry: Any) -> ImportRow:
    if not isinstance(entry, dict):
        problem = _("An entry is an object with `standard_question` and `answers`.")
        return ImportRow(number=number, draft=EntryDraft(standard_question=""), problem=problem)
    known = {_JSON_NAMES.get(str(key), str(key)): value for key, value in entry.items()}
    try:
        draft = EntryDraft(
            standard_question=_read(known, "standard_question", _text, ""),
            similar_questions=_read(known, "similar_questions", _texts, ()),
            negative_questions=_read(known, "negative_questions", _texts, ()),
            answers=_read(known, "answers", _texts, ()),
            strategy=_read(known, "strategy", AnswerStrategy, AnswerStrategy.ALL),
            tag=_read(known, "tag", _text, ""),
            is_enabled=_read(known, "is_enabled", _boolean, True),
            is_recommended=_read(known, "is_recommended", _boolean, True),
        )
    except ValueError as error:
        question = str(known.get("standard_question", ""))[:200]
        draft = EntryDraft(standard_question=question)
        return ImportRow(number=number, draft=draft, problem=str(error))
    return ImportRow(number=number, draft=draft, given=_FLAGS & known.keys())


def _read(known: Mapping[str, Any], name: str, read: Callable[[Any], T], default: T) -> T:
    value = known.get(name)
    if value is None:
        return default
    try:
        return read(value)
    except ValueError as error:
        raise ValueError(f"`{name}`: {error}") from error


def _text(value: Any) -> str:
    if not isinstance(value, str | int | float):
        raise ValueError(_("a text is expected"))
    return str(value)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise ValueError(_("a list of texts is expected"))
    return tuple(_text(each) for each in value)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(_("true or false is expected"))
    return value
