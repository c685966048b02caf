"""The units of Markdown that a splitter keeps together: headings, tables, code, formulas, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

UnitKind = Literal["heading", "table", "code", "formula", "prose"]

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RULE_CELL = re.compile(r"[ \t]*:?-+:?[ \t]*")
_EMPHASIS = re.compile(r"(?<!\s)\*{1,3}|\*{1,3}(?!\s)|`")
_LONGEST_FORMULA = 200
"""Lines after which a formula that is not closed is taken for text."""
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^)]{0,500}\)")


class Unit(NamedTuple):
    """A stretch of whole lines, without the line end of the last."""

    kind: UnitKind
    start: int
    end: int
    level: int = 0
    title: str = ""


class Line(NamedTuple):
    """A line without its end."""

    start: int
    end: int
    text: str

    @property
    def blank(self) -> bool:
        return not self.text or self.text.isspace()


def read_lines(text: str, start: int = 0, end: int | None = None) -> list[Line]:
    """Return the lines of a stretch; only a line feed ends a line."""
    lines = []
    position = start
    for line in text[start:end].split("\n"):
        lines.append(Line(position, position + len(line), line))
        position += len(line) + 1
    return lines


def read_units(text: str) -> Iterator[Unit]:
    """Yield the units of `text` in order; together they cover all that is not blank."""
    lines = read_lines(text)
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.blank:
            number += 1
            continue
        if (found := _FENCE.match(line.text)) is not None:
            after = _end_of_code(lines, number, found.group(1))
            yield Unit("code", line.start, lines[after - 1].end)
        elif (heading := _heading(line)) is not None:
            after = number + 1
            yield heading
        elif _starts_table(lines, number):
            after = _end_of_table(lines, number)
            yield Unit("table", line.start, lines[after - 1].end)
        elif (after := _end_of_formula(lines, number)) > number:
            yield Unit("formula", line.start, lines[after - 1].end)
        else:
            after = _end_of_prose(lines, number)
            yield _prose_or_underlined(lines, number, after)
        number = after


def _heading(line: Line) -> Unit | None:
    if "#" not in line.text[:4]:
        return None
    found = _HEADING.match(line.text)
    if found is None:
        return None
    title = line.text[found.end() :].strip()
    unclosed = title.rstrip("#")
    if not unclosed or unclosed[-1] in " \t":
        title = unclosed
    return Unit("heading", line.start, line.end, len(found.group(1)), _plain(title))


def _plain(title: str) -> str:
    """A heading as words: links by their text, without marks of emphasis."""
    title = _LINK.sub(r"\1", title)
    return " ".join(_EMPHASIS.sub("", title).split()).strip("_ ")


def _end_of_code(lines: list[Line], first: int, mark: str) -> int:
    closing = re.compile(rf" {{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
    for number in range(first + 1, len(lines)):
        if closing.match(lines[number].text):
            return number + 1
    # Never closed: it lasts to the end, without the blank lines there.
    last = len(lines)
    while lines[last - 1].blank:
        last -= 1
    return last


def _end_of_formula(lines: list[Line], first: int) -> int:
    """Return the line after a formula that begins at `first`, or `first` where none does."""
    opening = lines[first].text
    if "$$" not in opening or not opening.lstrip().startswith("$$") or opening.count("$$") > 1:
        return first
    for number in range(first + 1, min(len(lines), first + _LONGEST_FORMULA)):
        if "$$" in lines[number].text:
            return number + 1 if lines[number].text.rstrip().endswith("$$") else first
    return first


def _starts_table(lines: list[Line], number: int) -> bool:
    if "|" not in lines[number].text or number + 1 >= len(lines):
        return False
    rule = lines[number + 1].text.strip()
    if "|" not in rule or "-" not in rule:
        return False
    return all(_RULE_CELL.fullmatch(cell) for cell in rule.strip("|").split("|"))


def _end_of_table(lines: list[Line], first: int) -> int:
    number = first + 2
    while number < len(lines) and "|" in lines[number].text and not lines[number].blank:
        number += 1
    return number


def _end_of_prose(lines: list[Line], first: int) -> int:
    number = first + 1
    while number < len(lines):
        line = lines[number]
        if (
            line.blank
            or _FENCE.match(line.text)
            or _heading(line)
            or _starts_table(lines, number)
            or _end_of_formula(lines, number) > number
        ):
            break
        number += 1
        if _UNDERLINE.match(line.text):
            break
    return number


def _prose_or_underlined(lines: list[Line], first: int, after: int) -> Unit:
    """A single line above a row of `=` or `-` is a heading, too."""
    start, end = lines[first].start, lines[after - 1].end
    if after - first == 2 and (found := _UNDERLINE.match(lines[after - 1].text)):
        level = 1 if found.group(1)[0] == "=" else 2
        return Unit("heading", start, end, level, _plain(lines[first].text))
    trailing = len(lines[after - 1].text) - len(lines[after - 1].text.rstrip())
    return Unit("prose", start, end - trailing)
