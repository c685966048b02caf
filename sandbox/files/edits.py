"""Several exact replacements in one text, all read against the same original: all or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SHOWN_CHARS = 80


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One replacement."""

    old: str
    new: str
    replace_all: bool = False
    """Every place where `old` stands, instead of the only one."""


class EditRefused(Exception):
    """The batch cannot be applied, and nothing of it was; the message says why, for a model."""


@dataclass(frozen=True, kw_only=True)
class Edited:
    """What became of the text."""

    text: str
    replacements: int


@dataclass(frozen=True, order=True)
class _Span:
    start: int
    end: int
    new: str
    number: int


def apply_edits(text: str, edits: Sequence[Edit]) -> Edited:
    """Return the text with all edits made; their order does not matter.

    Raises:
        EditRefused: a text is empty, not found, found more than once, or two places overlap.
    """
    if not edits:
        raise EditRefused("There are no edits.")
    spans = sorted(
        span for number, edit in enumerate(edits, start=1) for span in _spans(text, edit, number)
    )
    for before, after in zip(spans, spans[1:], strict=False):
        if after.start < before.end:
            first, second = sorted((before.number, after.number))
            raise EditRefused(
                f"Edits {first} and {second} touch the same text; join them. Nothing was changed."
            )
    parts, position = [], 0
    for span in spans:
        parts += [text[position : span.start], span.new]
        position = span.end
    return Edited(text="".join([*parts, text[position:]]), replacements=len(spans))


def _spans(text: str, edit: Edit, number: int) -> list[_Span]:
    if not edit.old:
        raise EditRefused(f"Edit {number}: old_string is empty. Nothing was changed.")
    if edit.old == edit.new:
        raise EditRefused(f"Edit {number} changes nothing: both texts are the same.")
    starts = _places(text, edit.old, overlapping=not edit.replace_all)
    shown = repr(edit.old[:SHOWN_CHARS])
    if not starts:
        raise EditRefused(
            f"Edit {number}: {shown} does not stand in the file, compared letter by letter. Read the"
            " file again. Nothing was changed."
        )
    if len(starts) > 1 and not edit.replace_all:
        raise EditRefused(
            f"Edit {number}: {shown} stands in {len(starts)} places. Give more of the text around it,"
            " or set replace_all. Nothing was changed."
        )
    return [_Span(start, start + len(edit.old), edit.new, number) for start in starts]


def _places(text: str, wanted: str, *, overlapping: bool) -> list[int]:
    """Return where a text stands, from left to right."""
    found, position = [], text.find(wanted)
    while position != -1:
        found.append(position)
        position = text.find(wanted, position + (1 if overlapping else len(wanted)))
    return found
