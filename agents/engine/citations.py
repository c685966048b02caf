"""Turning the aliases in a streamed answer into public markers.

`[c1]`, `[c1, c3]`, `[c1][c2]` and `【c1】`, cut anywhere, become `[1]`, `[2]`, numbered by first use.
An alias that stands for nothing is dropped and counted; `[1]`, `[x]` and everything inside of code
stay as they are. `res://0001` becomes the real address. At most `MAX_HELD_CHARS` are held back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agents.engine.aliases import Aliases, Source
from agents.engine.events import CitationAdded
from agents.engine.markdown import CodeTracker

MAX_HELD_CHARS = 120

_ITEM = r"[cdbwCDBW][1-9]\d{0,5}"
_SEPARATOR = r"(?:\s*[,;，；、]\s*|\s+)"
_GROUP = re.compile(rf"[\[【]\s?\^?({_ITEM}(?:{_SEPARATOR}{_ITEM})*)\s?[\]】]", re.ASCII)
_GROUP_BEGUN = re.compile(
    rf"[\[【](?:\s|\s?\^)?(?:{_ITEM}{_SEPARATOR})*(?:[cdbwCDBW]\d{{0,6}}\s*[,;，；、]?\s*)?",
    re.ASCII,
)
_FIND_ITEM = re.compile(_ITEM, re.ASCII)
_RESOURCE = re.compile(r"res://\d{4,}", re.ASCII)
_RESOURCE_BEGUN = re.compile(r"r(?:e(?:s(?::(?:/(?:/\d*)?)?)?)?)?", re.ASCII)
_INTERESTING = re.compile(r"[ \[【r]")


class Citation(BaseModel):
    """What a public marker of the answer points to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    marker: int
    alias: str
    kind: Literal["chunk", "document", "web"]
    chunk_id: str | None = None
    document_id: str | None = None
    base_id: str | None = None
    title: str = ""
    page: int | None = None
    url: str = ""

    def as_event(self) -> CitationAdded:
        """Return the event that announces it."""
        return CitationAdded(**self.model_dump())


class CitationDecoder:
    """Reads the answer piece by piece; returns text and new citations in their order."""

    def __init__(
        self, aliases: Aliases, citations: list[Citation], *, shows_markers: bool = True
    ) -> None:
        """Continue the numbering of `citations`; new ones are appended to it.

        Without `shows_markers` the citations are noted and their places in the text stay empty.
        """
        self._shows_markers = shows_markers
        self._aliases = aliases
        self._citations = citations
        self._code = CodeTracker()
        self._held = ""
        self.unknown = 0
        """How many aliases were dropped."""

    def feed(self, text: str) -> list[str | Citation]:
        """Return what is certain after this piece."""
        return self._read(self._held + text, at_end=False)

    def finish(self) -> list[str | Citation]:
        """Return what was held back, when the answer is complete."""
        return self._read(self._held, at_end=True)

    def _read(self, text: str, *, at_end: bool) -> list[str | Citation]:
        self._held = ""
        out: list[str | Citation] = []
        position = 0
        while position < len(text):
            found = _INTERESTING.search(text, position)
            stop = found.start() if found else len(text)
            self._put(out, text[position:stop])
            if stop == len(text):
                break
            used = self._special(text, stop, out, at_end=at_end)
            if used == 0:
                self._held = text[stop:]
                break
            position = stop + used
        return out

    def _put(self, out: list[str | Citation], text: str) -> None:
        self._code.feed(text)
        last = out[-1] if out else None
        if isinstance(last, str):
            out[-1] = last + text
        elif text:
            out.append(text)

    def _special(self, text: str, start: int, out: list[str | Citation], *, at_end: bool) -> int:
        """Handle what may be an alias at `start`; return the characters used, 0 to wait."""
        first = text[start]
        if self._code.in_code_at(first):
            self._put(out, first)
            return 1
        if first == "r":
            return self._resource(text, start, out, at_end=at_end)
        # A space goes with the bracket behind it: it vanishes with a dropped alias.
        bracket = start + 1 if first == " " else start
        if bracket == len(text) and not at_end:
            return 0
        return self._group(text, start, bracket, out, at_end=at_end)

    def _group(
        self, text: str, start: int, bracket: int, out: list[str | Citation], *, at_end: bool
    ) -> int:
        matched = _GROUP.match(text, bracket)
        if matched and matched.end() - bracket <= MAX_HELD_CHARS and self._is_cited(matched[1]):
            self._cite(text[start:bracket], matched[1], out)
            return matched.end() - start
        begun = None if matched else _GROUP_BEGUN.match(text, bracket)
        waits = begun is not None and begun.end() == len(text)
        if waits and not at_end and len(text) - bracket < MAX_HELD_CHARS:
            return 0
        self._put(out, text[start])
        return 1

    def _is_cited(self, group: str) -> bool:
        # Capitals are a careless model's spelling only when they name something: [B1] is a level.
        return all(
            item.islower() or item.lower() in self._aliases.sources for item in _items(group)
        )

    def _cite(self, space: str, group: str, out: list[str | Citation]) -> None:
        markers: list[int] = []
        for item in _items(group):
            source = self._aliases.find(item.lower())
            if source is None or source.kind not in ("chunk", "document", "web"):
                self.unknown += 1
                continue
            citation = self._citation(source, out)
            if citation.marker not in markers:
                markers.append(citation.marker)
        if markers and self._shows_markers:
            self._put(out, space + "".join(f"[{marker}]" for marker in markers))

    def _citation(self, source: Source, out: list[str | Citation]) -> Citation:
        for known in self._citations:
            if known.alias == source.alias:
                return known
        citation = _describe(source, len(self._citations) + 1)
        self._citations.append(citation)
        out.append(citation)
        return citation

    def _resource(self, text: str, start: int, out: list[str | Citation], *, at_end: bool) -> int:
        matched = _RESOURCE.match(text, start)
        if matched and (at_end or matched.end() < len(text)):
            self._put(out, self._aliases.address(matched.group()))
            return matched.end() - start
        begun = _RESOURCE_BEGUN.match(text, start)
        waits = begun is not None and begun.end() == len(text) and len(text) - start < 32
        if waits and not at_end:
            return 0
        self._put(out, "r")
        return 1


def join_texts(items: Sequence[str | Citation]) -> str:
    """Return only the text of decoded items."""
    return "".join(item for item in items if isinstance(item, str))


def _items(group: str) -> list[str]:
    return _FIND_ITEM.findall(group)


def _describe(source: Source, marker: int) -> Citation:
    return Citation(
        marker=marker,
        alias=source.alias,
        kind=source.kind,
        chunk_id=source.target if source.kind == "chunk" else None,
        document_id=source.document_id,
        base_id=source.base_id,
        title=source.title,
        page=source.page,
        url=source.url,
    )
