"""Where in streamed Markdown there is code, decided character by character."""

from __future__ import annotations


class CodeTracker:
    """Follows fences and inline code; the result does not depend on how the text is cut.

    A line end closes inline code: a lone backtick must not hide the rest of the answer.
    """

    def __init__(self) -> None:
        self._fence = 0
        self._inline = 0
        self._ticks = 0
        self._ticks_at_line_start = False
        self._line_start = True

    def feed(self, text: str) -> None:
        """Go on over the text."""
        if "`" in text:
            for character in text:
                self._step(character)
        elif text:
            self._skip(text)

    def in_code_at(self, character: str) -> bool:
        """Whether `character`, coming next, stands inside of code."""
        if self._ticks and character != "`":
            self._close_ticks()
        return bool(self._fence or self._inline)

    @property
    def at_line_start(self) -> bool:
        """Whether only white space stands before the next character in its line."""
        return self._line_start and not self._ticks

    def _skip(self, text: str) -> None:
        """Do what `_step` does for each character of a text without backticks, at once."""
        if self._ticks:
            self._close_ticks()
        last_line = text.rpartition("\n")[2]
        if len(last_line) < len(text):
            self._inline = 0
            self._line_start = True
        if last_line and not last_line.isspace():
            self._line_start = False

    def _step(self, character: str) -> None:
        if character == "`":
            if not self._ticks:
                self._ticks_at_line_start = self._line_start
            self._ticks += 1
            self._line_start = False
            return
        if self._ticks:
            self._close_ticks()
        if character == "\n":
            self._inline = 0
            self._line_start = True
        elif not character.isspace():
            self._line_start = False

    def _close_ticks(self) -> None:
        ticks, self._ticks = self._ticks, 0
        if self._fence:
            if ticks >= self._fence and self._ticks_at_line_start:
                self._fence = 0
        elif self._inline:
            if ticks == self._inline:
                self._inline = 0
        elif ticks >= 3 and self._ticks_at_line_start:
            self._fence = ticks
        else:
            self._inline = ticks


def held_suffix(text: str, markers: tuple[str, ...]) -> int:
    """Return how many characters at the end of `text` may begin a marker.

    All markers begin with `<` or `[`; it is asked for every piece of text, so others are passed over.
    """
    longest = max(map(len, markers)) - 1
    for position in range(max(0, len(text) - longest), len(text)):
        if text[position] in "<[":
            tail = text[position:]
            if any(len(m) > len(tail) and m.startswith(tail) for m in markers):
                return len(tail)
    return 0
