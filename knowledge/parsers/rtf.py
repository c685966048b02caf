"""RTF: paragraphs, headings by style, lists, tables, notes; pictures and settings are passed over."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace

from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.markdown_writer import drop_empty_edges, heading, table
from knowledge.parsers.rtf_tokens import CHARSETS, SYMBOLS, Token, read_tokens

_SKIPPED = frozenset(
    [
        "colortbl",
        "info",
        "pict",
        "object",
        "themedata",
        "colorschememapping",
        "datastore",
        "latentstyles",
        "rsidtbl",
        "listtable",
        "listoverridetable",
        "generator",
        "xmlnstbl",
        "header",
        "headerl",
        "headerr",
        "headerf",
        "footer",
        "footerl",
        "footerr",
        "footerf",
        "fldinst",
        "bkmkstart",
        "bkmkend",
        "revtbl",
        "filetbl",
        "mmathPr",
        "objdata",
        "sp",
        "nonshppict",
        "atnid",
        "atnauthor",
        "atndate",
        "atnref",
        "ftnsep",
        "ftnsepc",
        "aftnsep",
        "aftnsepc",
        "private",
    ]
)
_STARRED_TEXT = frozenset({"shpinst", "shptxt", "annotation", "shppict"})
_COLLECTED = {
    "fonttbl": "fonts",
    "stylesheet": "styles",
    "title": "title",
    "listtext": "marker",
    "pntext": "marker",
    "footnote": "note",
    "annotation": "note",
}
"""Destinations whose text goes somewhere else than into the document."""
_HEADING_NAME = re.compile(r"(?:heading|überschrift|titre|标题|見出し|제목)\s*([1-9])", re.I)
_MARKER_NUMBER = re.compile(r"\w{1,4}[.)]?")
_PARAGRAPH_ENDS = frozenset({"par", "sect", "page"})
_CELL_ENDS = frozenset({"cell", "nestcell"})


@dataclass
class _Group:
    """What holds until the closing brace."""

    target: str = "body"
    """Where text goes: body, skip, fonts, styles, title, marker, note."""
    codec: str = "cp1252"
    fallback_characters: int = 1
    hidden: bool = False
    in_table: bool = False
    level: int = 0
    """Heading level of the paragraph; 0 for plain text."""
    list_level: int = 0
    number: int = 0
    """Number of the font or style that is being defined."""
    text: list[str] = field(default_factory=list)
    """Collected text, when `target` began with this group."""


def parse_rtf(content: bytes, _name: str) -> ParsedDocument:
    """Return the document; hidden text as a hidden block."""
    reader = _Reader()
    for token in read_tokens(content):
        reader.take(token)
    reader.finish()
    blocks = [Block(markdown=markdown) for markdown in reader.paragraphs if markdown.strip()]
    if reader.notes:
        blocks.append(Block(markdown="\n".join(reader.notes)))
    if any(text.strip() for text in reader.hidden):
        blocks.append(Block(markdown="".join(reader.hidden), hidden=True))
    return ParsedDocument(
        blocks=tuple(blocks),
        title=reader.title,
        warnings=("Text that is not shown was left out.",) if reader.hidden else (),
    )


class _Reader:
    """Turns tokens into paragraphs."""

    def __init__(self) -> None:
        self.paragraphs: list[str] = []
        self.notes: list[str] = []
        self.hidden: list[str] = []
        self.title = ""
        self._stack = [_Group()]
        self._starred = False
        self._skip_characters = 0
        self._decoder = codecs.getincrementaldecoder("cp1252")("replace")
        self._decoder_name = "cp1252"
        self._fonts: dict[int, str] = {}
        self._styles: dict[int, int] = {}
        self._line: list[str] = []
        self._cell: list[str] = []
        self._row: list[str] = []
        self._rows: list[list[str]] = []
        self._list: list[str] = []
        self._marker = ""

    @property
    def _group(self) -> _Group:
        return self._stack[-1]

    def take(self, token: Token) -> None:
        """Handle one token."""
        if token.kind == "open":
            self._stack.append(replace(self._group, text=self._group.text))
        elif token.kind == "close":
            self._close()
        elif token.kind == "text":
            self._characters(token.text)
        elif token.kind == "byte":
            self._bytes(bytes([token.number or 0]))
        elif token.kind == "symbol":
            self._symbol(token.text)
        else:
            self._word(token.text, token.number)

    def finish(self) -> None:
        """Close what is open at the end."""
        self._end_paragraph()
        self._end_row()
        self._end_table()
        self._end_list()

    def _characters(self, text: str) -> None:
        skipped = min(self._skip_characters, len(text))
        self._skip_characters -= skipped
        self._bytes(text[skipped:].encode("latin-1"))

    def _bytes(self, content: bytes) -> None:
        """Decode bytes; one of two may come as an escape and the other as a letter."""
        if self._skip_characters and len(content) == 1:
            self._skip_characters -= 1
            return
        codec = self._group.codec
        if codec != self._decoder_name:
            self._put(self._decoder.decode(b"", final=True))
            self._decoder = codecs.getincrementaldecoder(codec)("replace")
            self._decoder_name = codec
        self._put(self._decoder.decode(content))

    def _put(self, text: str) -> None:
        group = self._group
        if not text or group.target == "skip":
            return
        if group.target != "body":
            group.text.append(text)
        elif group.hidden:
            self.hidden.append(text)
        else:
            self._line.append(text)

    def _symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._starred = True
        elif self._skip_characters:
            self._skip_characters -= 1
        else:
            self._put(SYMBOLS.get(symbol, ""))

    def _word(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, False
        if self._enter(word, starred=starred):
            return
        if word == "u" and number is not None:
            self._put(chr(number % 0x10000))
            self._skip_characters = self._group.fallback_characters
            return
        self._skip_characters = 0
        if word in SYMBOLS:
            self._put(SYMBOLS[word])
        elif word in _PARAGRAPH_ENDS:
            self._end_paragraph()
        elif word in _CELL_ENDS:
            self._end_cell()
        elif word in {"row", "nestrow"}:
            self._end_row()
        else:
            self._property(word, number)

    def _enter(self, word: str, *, starred: bool) -> bool:
        """Begin a destination; return whether `word` is one."""
        group = self._group
        if group.target == "skip" or (word in _SKIPPED and word != "info"):
            group.target = "skip" if word in _SKIPPED else group.target
            return group.target == "skip"
        if word in _COLLECTED:
            group.target, group.text = _COLLECTED[word], []
            return True
        if word == "info" or (starred and word not in _STARRED_TEXT):
            group.target = "skip" if word != "info" else "info"
            return True
        return False

    def _property(self, word: str, number: int | None) -> None:
        """Take over a setting of the group."""
        group = self._group
        if word == "pard":
            group.level, group.list_level, group.in_table = 0, 0, False
        elif word == "intbl":
            group.in_table = True
        elif word == "outlinelevel" and number is not None and number < 9:
            group.level = number + 1
            if group.target == "styles":
                self._styles[group.number] = number + 1
        elif word == "s" and number is not None:
            group.number = number
            group.level = self._styles.get(number, group.level)
        elif word == "ilvl":
            group.list_level = min(number or 0, 8)
        elif word == "uc":
            group.fallback_characters = number if number is not None else 1
        elif word in {"v", "deleted"}:
            group.hidden = number != 0
        elif word == "plain":
            group.hidden = False
        else:
            self._encoding(word, number)

    def _encoding(self, word: str, number: int | None) -> None:
        group = self._group
        if word == "ansicpg" and number is not None:
            group.codec = _known_codec(f"cp{number}")
        elif word == "mac":
            group.codec = "mac_roman"
        elif word in {"f", "af"} and number is not None:
            if group.target == "fonts":
                group.number = number
            elif word == "f" and number in self._fonts:
                group.codec = self._fonts[number]
        elif word == "fcharset" and group.target == "fonts" and number in CHARSETS and number:
            self._fonts[group.number] = CHARSETS[number]

    def _close(self) -> None:
        self._skip_characters = 0
        if len(self._stack) == 1:
            return
        self._put(self._decoder.decode(b"", final=True))
        group = self._stack.pop()
        if group.target == "styles":
            self._end_style(group)
        elif group.text is not self._group.text:
            self._end_collected(group.target, "".join(group.text))

    def _end_style(self, group: _Group) -> None:
        found = _HEADING_NAME.search("".join(group.text))
        if found:
            self._styles.setdefault(group.number, int(found.group(1)))
        group.text.clear()

    def _end_collected(self, target: str, text: str) -> None:
        text = " ".join(_joined(text).split())
        if target == "title":
            self.title = text
        elif target == "marker":
            self._marker = "1." if _MARKER_NUMBER.fullmatch(text) else "-"
        elif target == "note" and text:
            self.notes.append(f"[{len(self.notes) + 1}] {text}")
            self._line.append(f"[{len(self.notes)}]")

    def _end_paragraph(self) -> None:
        group = self._group
        if group.target == "note":
            group.text.append(" ")
            return
        text = _joined("".join(self._line)).strip()
        self._line.clear()
        marker, self._marker = self._marker, ""
        if group.in_table:
            if text:
                self._cell.append(text)
            return
        self._end_table()
        if marker and text and not group.level:
            self._list.append("  " * group.list_level + f"{marker} {text}")
            return
        self._end_list()
        self.paragraphs.append(heading(text, group.level) if group.level else text)

    def _end_cell(self) -> None:
        self._cell.append(_joined("".join(self._line)).strip())
        self._line.clear()
        self._marker = ""
        self._row.append("\n".join(part for part in self._cell if part))
        self._cell.clear()

    def _end_row(self) -> None:
        if self._row:
            self._end_list()
            self._rows.append(self._row)
        self._row = []

    def _end_table(self) -> None:
        if self._rows:
            self.paragraphs.append(table(drop_empty_edges(self._rows)))
        self._rows = []

    def _end_list(self) -> None:
        if self._list:
            self.paragraphs.append("\n".join(self._list))
        self._list = []


def _known_codec(name: str) -> str:
    try:
        return codecs.lookup({"cp936": "gb18030", "cp65001": "utf-8"}.get(name, name)).name
    except LookupError:
        return "cp1252"


def _joined(text: str) -> str:
    """Put surrogate pairs together that were written as two numbers."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


PARSER = Parser(
    name="rtf", version="1", file_types=frozenset({"rtf"}), parse=parse_rtf, label="Own reader"
)
