"""Puts verdicts into an answer's HTML: each sentence in a span, its mark behind it.

The Markdown is rendered as always; then sentences are found in the HTML by their letters alone, in
their order. So no mark can break the Markdown, and a sentence that is not found stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser
from typing import Literal

from agents.verdicts.sentences import plain

_LETTER = re.compile(r"[^\W_]")
_INLINE = frozenset({"a", "em", "strong", "s", "code", "span"})
Kind = Literal["text", "citation", "character", "inline_end", "tag"]
_OPENING = "([{「『《“‘（【"


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A sentence and what stands behind it."""

    sentence: str
    """As in the Markdown."""
    css_class: str
    html: str
    """The mark itself, safe."""


@dataclass(kw_only=True)
class _Piece:
    """A part of the HTML."""

    html: str
    kind: Kind = "tag"
    """`character`: one that is written by name; `tag`: whatever is left alone."""

    @property
    def is_text(self) -> bool:
        """Whether letters are read in it."""
        return self.kind == "text"


@dataclass(frozen=True, kw_only=True)
class _Letter:
    piece: int
    at: int
    character: str


def mark_sentences(html: str, marks: Sequence[Mark]) -> str:
    """Return the sanitised HTML of an answer with its sentences marked."""
    if not marks:
        return html
    pieces = _pieces(html)
    letters = [
        _Letter(piece=number, at=at, character=character.casefold())
        for number, piece in enumerate(pieces)
        if piece.is_text
        for at, character in enumerate(piece.html)
        if _LETTER.match(character)
    ]
    whole = "".join(each.character[0] for each in letters)
    cursor = 0
    spans: list[tuple[tuple[int, int], tuple[int, int], Mark]] = []
    for mark in marks:
        wanted = _letters_of(plain(mark.sentence))
        at = whole.find(wanted, cursor) if wanted else -1
        if at < 0:
            continue
        cursor = at + len(wanted)
        first, last = letters[at], letters[cursor - 1]
        following = letters[cursor] if cursor < len(letters) else None
        end = _end(pieces, last, following)
        spans.append(((first.piece, first.at), end, mark))
    return _written(pieces, spans)


def _letters_of(text: str) -> str:
    return "".join(character.casefold()[0] for character in text if _LETTER.match(character))


def _end(pieces: Sequence[_Piece], last: _Letter, following: _Letter | None) -> tuple[int, int]:
    """Return where the sentence ends: behind its punctuation, citations and inline tags."""
    piece, at = last.piece, last.at + 1
    end = (piece, at)
    while piece < len(pieces):
        text, kind = pieces[piece].html, pieces[piece].kind
        if kind == "tag":
            break
        if kind == "text":
            stop = following.at if following and following.piece == piece else len(text)
            begun = at
            while at < stop and not text[at].isspace() and text[at] not in _OPENING:
                at += 1
            if at > begun:
                end = (piece, at)
            if at < len(text):
                break
        else:
            end = (piece, len(text))
        piece, at = piece + 1, 0
    return end


def _written(
    pieces: Sequence[_Piece], spans: Sequence[tuple[tuple[int, int], tuple[int, int], Mark]]
) -> str:
    out: list[str] = []
    place = (0, 0)
    for start, end, mark in spans:
        if start < place:
            continue
        out += [text for text, _ in _between(pieces, place, start)]
        for text, is_wrapped in _between(pieces, start, end):
            out.append(
                f'<span class="claim {mark.css_class}">{text}</span>' if is_wrapped else text
            )
        out.append(mark.html)
        place = end
    out += [text for text, _ in _between(pieces, place, (len(pieces), 0))]
    return "".join(out)


def _between(
    pieces: Sequence[_Piece], start: tuple[int, int], end: tuple[int, int]
) -> list[tuple[str, bool]]:
    """Return the HTML between two places, part by part, and whether a part can be wrapped."""
    found: list[tuple[str, bool]] = []
    for number in range(start[0], min(end[0] + 1, len(pieces))):
        piece = pieces[number]
        first = start[1] if number == start[0] else 0
        stop = end[1] if number == end[0] else len(piece.html)
        text = piece.html[first:stop]
        if text:
            can_wrap = piece.kind in ("citation", "character") or (
                piece.kind == "text" and bool(text.strip())
            )
            found.append((text, can_wrap))
    return found


def _pieces(html: str) -> list[_Piece]:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.pieces


class _Reader(HTMLParser):
    """Cuts sanitised HTML into texts and tags; code and citations are not read."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.pieces: list[_Piece] = []
        self._closed_by = ""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag; a citation and a block of code become one piece with all that is inside."""
        raw = self.get_starttag_text() or ""
        if self._closed_by:
            self._depth += tag == self._closed_by
            self.pieces[-1].html += raw
            return
        classes = (dict(attrs).get("class") or "").split()
        is_citation = tag == "a" and "cite" in classes
        self.pieces.append(_Piece(html=raw, kind="citation" if is_citation else "tag"))
        if is_citation or tag == "pre" or (tag == "div" and "code" in classes):
            self._closed_by, self._depth = tag, 1

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag without content."""
        self._keep(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        """Keep the end of a tag."""
        raw = f"</{tag}>"
        if self._closed_by:
            self.pieces[-1].html += raw
            self._depth -= tag == self._closed_by
            if not self._depth:
                self._closed_by = ""
            return
        self.pieces.append(_Piece(html=raw, kind="inline_end" if tag in _INLINE else "tag"))

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        if self._closed_by or self.pieces and self.pieces[-1].is_text:
            self.pieces[-1].html += data
        else:
            self.pieces.append(_Piece(html=data, kind="text"))

    def handle_entityref(self, name: str) -> None:
        """Keep a character that is written by its name; letters are read, others are not."""
        self._reference(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Keep a character that is written by its number."""
        self._reference(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        """Keep a comment: the sanitiser leaves none."""
        self._keep(f"<!--{data}-->")

    def _reference(self, raw: str) -> None:
        character = unescape(raw)
        if _LETTER.match(character):
            self.handle_data(character)
        else:
            self._keep(raw, kind="character")

    def _keep(self, raw: str, *, kind: Kind = "tag") -> None:
        if self._closed_by:
            self.pieces[-1].html += raw
        else:
            self.pieces.append(_Piece(html=raw, kind=kind))
