"""Gates before any parser: what is refused unread, with a reason that its owner can act on."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.parsers.contract import ParseRefused


@dataclass(frozen=True, kw_only=True)
class GateLimits:
    """The largest things that are let through."""

    file_bytes: int = 100_000_000


def check_name(name: str) -> None:
    """Refuse names that would lead somewhere else.

    Raises:
        ParseRefused: hostile.
    """
    parts = name.replace("\\", "/").split("/")
    if "\0" in name or ".." in parts or name.startswith(("/", "\\")):
        raise ParseRefused(
            "hostile",
            "The file name leads outside of its folder or holds a NUL character. Rename the file.",
        )


def check_size(size_bytes: int, limits: GateLimits) -> None:
    """Refuse the empty and the too large.

    Raises:
        ParseRefused: empty, too_large.
    """
    if size_bytes == 0:
        raise ParseRefused("empty", "The file is empty (0 bytes). Upload it again.")
    if size_bytes > limits.file_bytes:
        raise ParseRefused(
            "too_large",
            f"The file has {size_bytes / 1e6:,.0f} MB; at most {limits.file_bytes / 1e6:,.0f} MB "
            "are read. Split it into parts.",
        )
