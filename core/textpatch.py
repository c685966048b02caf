"""Patches: what turns one text into another, in the unified form that `patch` reads, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from django.utils.translation import gettext as _

from core.errors import Invalid
from core.textdiff import Span, changed_spans

CONTEXT_LINES: Final = 3
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*", re.DOTALL)
_NO_END: Final = "\\ No newline at end of file\n"


def unified_patch(
    old: str,
    new: str,
    *,
    old_name: str = "old",
    new_name: str = "new",
    context: int = CONTEXT_LINES,
) -> str:
    """Return the patch from one text to the other; blank when they are equal.

    Lines end at line feeds alone: a carriage return and every other character is a part of its line.
    """
    before, after = _lines(old), _lines(new)
    changes = [span for is_same, span in changed_spans(before, after) if not is_same]
    if not changes:
        return ""
    pieces = [f"--- {old_name}\n+++ {new_name}\n"]
    for group in _groups(changes, context):
        pieces += _hunk(before, after, group, context)
    return "".join(pieces)


def apply_patch(text: str, patch: str) -> str:
    """Return the text with the patch applied; every line that it names must be there.

    Raises:
        Invalid: it is no patch, or none of this text.
    """
    lines = _lines(text)
    found: list[str] = []
    at = 0
    for start, removed, added in _read_hunks(patch):
        if start < at or lines[start : start + len(removed)] != removed:
            raise Invalid(
                _("The patch does not fit the text at line %(n)s.") % {"n": start + 1},
                line=start + 1,
            )
        found += lines[at:start]
        found += added
        at = start + len(removed)
    return "".join((*found, *lines[at:]))


def changed_lines(patch: str) -> int:
    """Return how many lines a patch takes away and adds."""
    return sum(
        line.startswith(("+", "-")) and number > 1 for number, line in enumerate(_lines(patch))
    )


def _lines(text: str) -> list[str]:
    """Split at line feeds alone, ends kept."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _groups(changes: Sequence[Span], context: int) -> Iterator[list[Span]]:
    """Yield changes that are so near each other that one hunk holds them."""
    group = [changes[0]]
    for span in changes[1:]:
        if span[0] - group[-1][1] > 2 * context:
            yield group
            group = []
        group.append(span)
    yield group


def _hunk(
    before: Sequence[str], after: Sequence[str], group: Sequence[Span], context: int
) -> Iterator[str]:
    i_from, j_from = max(0, group[0][0] - context), max(0, group[0][2] - context)
    lead = min(group[0][0] - i_from, group[0][2] - j_from)
    i_from, j_from = group[0][0] - lead, group[0][2] - lead
    tail = min(context, len(before) - group[-1][1], len(after) - group[-1][3])
    i_to, j_to = group[-1][1] + tail, group[-1][3] + tail
    yield f"@@ -{_range(i_from, i_to)} +{_range(j_from, j_to)} @@\n"
    at = i_from
    for i1, i2, j1, j2 in group:
        yield from (_written(" ", line) for line in before[at:i1])
        yield from (_written("-", line) for line in before[i1:i2])
        yield from (_written("+", line) for line in after[j1:j2])
        at = i2
    yield from (_written(" ", line) for line in before[at:i_to])


def _range(start: int, stop: int) -> str:
    """Return "first line,number of lines"; an empty one is named by the line before it."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _written(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else f"{sign}{line}\n{_NO_END}"


def _read_hunks(patch: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield of each hunk the index where it begins, the lines it expects and those it leaves."""
    lines = _lines(patch)
    at = 2 if patch.startswith("--- ") else 0
    while at < len(lines):
        head = _HUNK.fullmatch(lines[at])
        if head is None:
            raise Invalid(_("Line %(n)s of the patch is none of a patch.") % {"n": at + 1})
        old_length, new_length = (int(each) if each else 1 for each in (head[2], head[4]))
        start = int(head[1]) - (1 if old_length else 0)
        at += 1
        removed: list[str] = []
        added: list[str] = []
        while at < len(lines) and (len(removed) < old_length or len(added) < new_length):
            sign, line = lines[at][:1], lines[at][1:]
            at += 1
            if at < len(lines) and lines[at] == _NO_END:
                line = line.removesuffix("\n")
                at += 1
            if sign in (" ", "-"):
                removed.append(line)
            if sign in (" ", "+"):
                added.append(line)
            if sign not in (" ", "-", "+"):
                raise Invalid(_("Line %(n)s of the patch is none of a patch.") % {"n": at})
        if len(removed) != old_length or len(added) != new_length:
            raise Invalid(_("The patch ends in the middle of a change."))
        yield start, removed, added
