"""Our side of fetching pictures out of a document: asks isolated children, batch by batch."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from knowledge.ingest.parse import limits_for, run_parser

MEDIA_TYPE = "image/webp"
_BATCH_BYTES = 32_000_000
_BATCH_SECONDS = 8.0
"""Of processor time for decoding; reading the file comes before it."""
_MORE_SECONDS = 20


@dataclass(frozen=True, kw_only=True)
class FoundPicture:
    """A picture, written anew."""

    key: str
    width: int
    height: int
    content: bytes
    """WebP without metadata; empty for one that cannot be shown."""


def iterate_pictures(
    content_path: Path,
    name: str,
    *,
    engine: str,
    keys: Sequence[str],
    password: str = "",
    should_cancel: Callable[[], bool] | None = None,
) -> Iterator[FoundPicture]:
    """Yield the pictures of these keys that are found in the file; each once.

    Args:
        content_path: where the bytes are.
        name: what the file's owner calls it.
        engine: name of the parser that wrote the keys.
        keys: which pictures.
        password: opens an encrypted file.
        should_cancel: whether somebody stopped the work.

    Raises:
        ParseRefused, ParseCancelled, HelperUnavailable, FileNotFoundError: as `parse_file`.
    """
    left = list(keys)
    with content_path.open("rb") as content:
        limits = limits_for(os.fstat(content.fileno()).st_size)
        while left:
            outcome = run_parser(
                {
                    "work": "pictures",
                    "name": name,
                    "password": password,
                    "engine": engine,
                    "keys": left,
                    "most_bytes": _BATCH_BYTES,
                    "most_seconds": _BATCH_SECONDS,
                },
                content=content.fileno(),
                limits=replace(
                    limits,
                    cpu_seconds=(limits.cpu_seconds or 0) + _MORE_SECONDS,
                    wall_seconds=limits.wall_seconds + 2 * _MORE_SECONDS,
                ),
                should_cancel=should_cancel,
            )
            found = list(_found((outcome.answer or {})["pictures"], outcome.payload))
            yield from found
            done = {picture.key for picture in found}
            left = [key for key in left if key not in done] if done else []


def _found(rows: list[tuple[str, int, int, int]], payload: bytes) -> Iterator[FoundPicture]:
    place = 0
    for key, width, height, size in rows:
        yield FoundPicture(
            key=key, width=width, height=height, content=payload[place : place + size]
        )
        place += size
