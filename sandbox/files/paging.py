"""Reading a text in pages that fit a budget, by lines and by bytes; pages in a row are the file.

Bytes in, bytes out: nothing is decoded, so that concatenating all pages gives the file whatever its
encoding. A cut never falls into a UTF-8 character, as long as a character fits the budget.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

DEFAULT_LINES = 2000
MAX_PAGE_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class Page:
    """A part of a file."""

    data: bytes
    first_line: int
    """Number of the line in which it begins, from 1."""
    first_line_offset: int
    """Bytes of that line that stand before it."""
    next_line: int | None
    """Where to go on; None: that is the end."""
    next_line_offset: int
    total_lines: int
    total_bytes: int

    @property
    def last_line(self) -> int:
        """Number of the last line of which something is in it."""
        lines = self.data.count(b"\n")
        if self.data.endswith(b"\n"):
            lines -= 1
        return self.first_line + max(lines, 0)


def read_page(
    data: bytes,
    *,
    offset: int = 1,
    limit: int = DEFAULT_LINES,
    max_bytes: int = MAX_PAGE_BYTES,
    line_offset: int = 0,
) -> Page:
    """Return the page that begins `line_offset` bytes into line `offset`.

    At most `limit` lines and `max_bytes` bytes; whole lines where they fit, else the first line is
    cut and goes on with `line_offset`. Beyond the end the page is empty.
    """
    starts = _line_starts(data)
    total = len(starts)
    if offset > total:
        return _page(data, starts, begin=len(data), end=len(data), line=total + 1)
    line_end = starts[offset] if offset < total else len(data)
    begin = min(starts[offset - 1] + line_offset, line_end)
    stop_line = offset - 1 + limit
    lines_end = starts[stop_line] if stop_line < total else len(data)
    end = lines_end
    if end - begin > max_bytes:
        end = _last_start_before(starts, begin + max_bytes)
        if end <= begin:
            end = _whole_character(data, begin, begin + max_bytes)
    return _page(data, starts, begin=begin, end=end, line=offset)


def _page(data: bytes, starts: list[int], *, begin: int, end: int, line: int) -> Page:
    is_end = end >= len(data)
    next_index = bisect_right(starts, end) - 1 if not is_end else 0
    return Page(
        data=data[begin:end],
        first_line=line,
        first_line_offset=begin - starts[line - 1] if line <= len(starts) else 0,
        next_line=None if is_end else next_index + 1,
        next_line_offset=0 if is_end else end - starts[next_index],
        total_lines=len(starts),
        total_bytes=len(data),
    )


def _line_starts(data: bytes) -> list[int]:
    """Return where each line begins; a line break at the very end begins none."""
    starts, position = [0] if data else [], data.find(b"\n")
    while position != -1 and position + 1 < len(data):
        starts.append(position + 1)
        position = data.find(b"\n", position + 1)
    return starts


def _last_start_before(starts: list[int], position: int) -> int:
    """Return the last beginning of a line that is at most at `position`."""
    return starts[bisect_right(starts, position) - 1]


def _whole_character(data: bytes, begin: int, end: int) -> int:
    """Return `end`, moved back so that no UTF-8 character is cut, but never to `begin`."""
    moved = end
    while moved > begin and moved > end - 4 and data[moved] & 0xC0 == 0x80:
        moved -= 1
    return moved if begin < moved and data[moved] & 0xC0 != 0x80 else end
