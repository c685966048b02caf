"""Word 97-2003 (DOC): headings, lists, tables, links, notes, comments, headers once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.doc_text import TextLine, WordText, join_halves
from knowledge.parsers.markdown_writer import drop_empty_edges, heading, table
from knowledge.parsers.ole import open_streams

_FIELD_BEGIN, _FIELD_MIDDLE, _FIELD_END = "\x13", "\x14", "\x15"
_FIELD_MARKS = re.compile("([\x13\x14\x15])")
_LINK = re.compile(r'HYPERLINK\s+"(https?://[^"\s]+)"')
_CONTROLS = str.maketrans({"\x0b": "\n", "\x1e": "-", "\x1f": "", "\xa0": " ", "\x0e": "\n"})
_UNWANTED = re.compile("[\x00-\x08\x0f-\x1f]")
_NOTE_MARK = "\x02"
_MAX_FIELD_DEPTH = 20


def parse_doc(content: bytes, _name: str) -> ParsedDocument:
    """Return the text of a Word file of the years 1997 to 2003.

    Raises:
        ParseRefused: encrypted, damaged, or older than that.
    """
    streams = open_streams(content)
    word = WordText(streams)
    body = _Body(word)
    paragraphs = list(body.paragraphs())
    paragraphs += _once(word, "headers")
    paragraphs += _numbered(word, "notes", "end notes")
    paragraphs += [f"Comment: {text}" for text in _once(word, "comments")]
    paragraphs += [*_once(word, "boxes"), *_once(word, "header boxes")]
    blocks = [Block(markdown=text) for text in paragraphs if text.strip()]
    warnings = []
    if body.hidden:
        blocks.append(Block(markdown="\n".join(body.hidden), hidden=True))
        warnings.append("Text that Word does not show was left out.")
    if any(name.startswith("Macros/") for name in streams.names):
        warnings.append("Macros are present and were ignored.")
    return ParsedDocument(blocks=tuple(blocks), title=streams.title(), warnings=tuple(warnings))


@dataclass
class _Body:
    """Walks over the paragraphs and puts lists and tables together."""

    word: WordText
    hidden: list[str] = field(default_factory=list)
    _list: list[str] = field(default_factory=list)
    _rows: list[list[str]] = field(default_factory=list)
    _cells: list[str] = field(default_factory=list)
    _cell: list[str] = field(default_factory=list)

    def paragraphs(self) -> Iterator[str]:
        """Yield Markdown paragraphs in the order of the document."""
        marks = self.word.notes_at()
        for first, line in self.word.lines("body"):
            text = _clean(_with_marks(line.text, first, marks))
            if hidden := _clean(line.hidden):
                self.hidden.append(hidden)
            if line.properties.depth:
                yield from self._end_list()
                self._take_cell(text, line)
                continue
            yield from self._end_table()
            level = self._heading_level(line)
            if not level and line.properties.list_level is not None and text:
                self._list.append("  " * line.properties.list_level + f"- {text}")
                continue
            yield from self._end_list()
            yield heading(text, level) if level else text
        yield from self._end_list()
        yield from self._end_table()

    def _heading_level(self, line: TextLine) -> int:
        """Numbered headings are in a list, too; their style or outline says what they are."""
        outline = line.properties.outline
        level = self.word.levels.get(line.properties.style, 0)
        return outline + 1 if not level and outline is not None and outline < 9 else level

    def _take_cell(self, text: str, line: TextLine) -> None:
        """Tables inside of a cell become lines of the cell."""
        ends_outer = line.end == "\x07"
        if line.properties.ends_row and line.properties.depth == 1:
            if self._cells:
                self._rows.append(self._cells)
            self._cells, self._cell = [], []
        elif ends_outer:
            self._cells.append("\n".join(filter(None, [*self._cell, text])))
            self._cell = []
        elif text and not line.properties.ends_row:
            self._cell.append(text)

    def _end_list(self) -> Iterator[str]:
        if self._list:
            yield "\n".join(self._list)
            self._list = []

    def _end_table(self) -> Iterator[str]:
        if self._cells or self._cell:
            self._rows.append([*self._cells, "\n".join(self._cell)])
            self._cells, self._cell = [], []
        if self._rows:
            yield table(drop_empty_edges(self._rows))
            self._rows = []


def _with_marks(text: str, first: int, marks: dict[int, int]) -> str:
    """Write the number of a note where its mark stands."""
    if _NOTE_MARK not in text:
        return text
    return "".join(
        f"[{marks[first + place]}]" if letter == _NOTE_MARK and first + place in marks else letter
        for place, letter in enumerate(text)
    )


def _once(word: WordText, part: str) -> list[str]:
    """Return the different lines of a part."""
    lines = (_clean(line.text) for _, line in word.lines(part))
    return [text for text in dict.fromkeys(lines) if len(text) > 1]


def _numbered(word: WordText, *parts: str) -> list[str]:
    """Return the notes: each begins with a mark."""
    notes: list[str] = []
    for part in parts:
        for _, line in word.lines(part):
            text = _clean(line.text)
            if _NOTE_MARK in line.text:
                notes.append(f"[{len(notes) + 1}] {text}")
            elif text and notes:
                notes[-1] += f" {text}"
    return notes


def _clean(text: str) -> str:
    """Resolve fields (a link stays one), drop marks of pictures and the like."""
    if _FIELD_BEGIN in text:
        text = _without_fields(text)
    text = join_halves(text.translate(_CONTROLS))
    return _UNWANTED.sub("", text.replace("\t", " ")).strip()


def _without_fields(text: str) -> str:
    """Keep what a field shows, not how it is made."""
    parts: list[list[str]] = [[]]
    codes: list[str] = []
    for token in _FIELD_MARKS.split(text):
        if token == _FIELD_BEGIN and len(parts) < _MAX_FIELD_DEPTH:
            parts.append([])
            codes.append("")
        elif token == _FIELD_MIDDLE and codes:
            codes[-1], parts[-1] = "".join(parts[-1]), []
        elif token == _FIELD_END and codes:
            shown, code = "".join(parts.pop()), codes.pop()
            # Without a middle there was nothing but the instruction.
            link = _LINK.search(code)
            shown = f"[{shown}]({link.group(1)})" if link and shown else shown if code else ""
            parts[-1].append(shown)
        elif token not in {_FIELD_BEGIN, _FIELD_MIDDLE, _FIELD_END}:
            parts[-1].append(token)
    return "".join(text for part in parts for text in part)


PARSER = Parser(
    name="doc", version="1", file_types=frozenset({"doc"}), parse=parse_doc, label="Own reader"
)
