"""Taking `<think>` blocks out of streamed text, wherever the pieces are cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agents.engine.markdown import CodeTracker, held_suffix

_OPEN = ("<think>", "<thinking>")
_CLOSE = ("</think>", "</thinking>")
_ANY = (*_OPEN, *_CLOSE)


@dataclass(frozen=True)
class Segment:
    """A piece of the turn: its answer text, its thought, or the word that all was thought."""

    kind: Literal["text", "thought", "all_was_thought"]
    text: str = ""


class ThinkSplitter:
    """Separates thoughts from text.

    A block opens only at the beginning of a line and outside of code, so that an answer may speak
    about the tag. A closing tag without an opening one means that the model's template opened the
    block in the prompt: everything before it was thought.
    """

    def __init__(self) -> None:
        self._code = CodeTracker()
        self._inside = False
        self._opened = False
        self._held = ""

    def feed(self, text: str) -> list[Segment]:
        """Return what is certain after this piece."""
        return self._read(self._held + text, at_end=False)

    def finish(self) -> list[Segment]:
        """Return what was held back, when the turn is complete."""
        return self._read(self._held, at_end=True)

    def _read(self, text: str, *, at_end: bool) -> list[Segment]:
        held = 0 if at_end else held_suffix(text, _ANY)
        ready, self._held = text[: len(text) - held], text[len(text) - held :]
        out: list[Segment] = []
        while ready:
            ready = self._thought(ready, out) if self._inside else self._text(ready, out)
        return out

    def _thought(self, text: str, out: list[Segment]) -> str:
        found = _first(text, _CLOSE)
        if found is None:
            out.append(Segment("thought", text))
            return ""
        start, tag = found
        if start:
            out.append(Segment("thought", text[:start]))
        self._inside = False
        return text[start + len(tag) :]

    def _text(self, text: str, out: list[Segment]) -> str:
        found = _first(text, _ANY)
        start, tag = found or (len(text), "")
        if start:
            self._code.feed(text[:start])
            out.append(Segment("text", text[:start]))
        if not tag:
            return ""
        in_code = self._code.in_code_at("<")
        if tag in _OPEN and not in_code and self._code.at_line_start:
            self._inside = self._opened = True
        elif tag in _CLOSE and not in_code and not self._opened:
            self._opened = True
            out.append(Segment("all_was_thought"))
        else:
            self._code.feed(tag)
            out.append(Segment("text", tag))
        return text[start + len(tag) :]


def _first(text: str, tags: tuple[str, ...]) -> tuple[int, str] | None:
    found = [(text.find(tag), tag) for tag in tags if tag in text]
    return min(found) if found else None
