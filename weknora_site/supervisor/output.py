"""One readable log out of many: each line with the time and the name of its process."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

_COLOURS = {"web": 36, "runs": 35, "ingest": 33, "models": 34, "prepare": 32}
_OWN_COLOUR = 1
_LONGEST_LINE = 16_384
_CONTROLS = {code: "\ufffd" for code in range(32) if chr(code) not in "\t"} | {127: "\ufffd"}


class Log:
    """Writes lines to a stream; a stream that was closed silences it, nothing more."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._colour = self._stream.isatty() and not os.environ.get("NO_COLOR")
        self._closed = False

    def say(self, text: str) -> None:
        """Write lines of the supervisor itself."""
        for line in text.splitlines():
            self.line("weknora", line)

    def line(self, name: str, text: str) -> None:
        """Write one line of a process; what could move the cursor is made visible instead."""
        label = f"{name:<8}"
        if self._colour:
            label = f"\x1b[{_COLOURS.get(name, _OWN_COLOUR)}m{label}\x1b[0m"
        clean = text[:_LONGEST_LINE].translate(_CONTROLS)
        self._write(f"{time.strftime('%H:%M:%S')} {label}| {clean}\n")

    def _write(self, text: str) -> None:
        if self._closed:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._closed = True


class LineBuffer:
    """Cuts the bytes of a pipe into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that are complete now; a line that never ends is cut."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            lines.append(self._rest)
            self._rest = b""
        return [line.decode("utf-8", "replace").rstrip("\r") for line in lines]

    def finish(self) -> list[str]:
        """Return what is left when the pipe has ended."""
        rest, self._rest = self._rest, b""
        return [rest.decode("utf-8", "replace")] if rest else []
