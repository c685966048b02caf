"""The output of a command as text for a model: the beginning and the end of what is too long."""

from __future__ import annotations

HEAD_SHARE = 0.7


def shown(data: bytes, most: int, *, is_cut: bool = False) -> str:
    """Return at most `most` bytes as text, with a word on what was left out."""
    note = "\n[It printed more than is kept.]" if is_cut else ""
    if len(data) <= most:
        return data.decode("utf-8", errors="replace").rstrip("\n") + note
    head = int(most * HEAD_SHARE)
    tail = most - head
    left_out = len(data) - most
    begin = data[:head].decode("utf-8", errors="replace")
    end = data[len(data) - tail :].decode("utf-8", errors="replace").rstrip("\n")
    return f"{begin}\n[… {left_out:,} bytes left out …]\n{end}{note}"
