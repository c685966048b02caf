"""A small OLE container for tests: every stream below 4,096 bytes, so all are in the mini stream."""

from __future__ import annotations

import struct

from knowledge.parsers.containers import OLE_MAGIC

_SECTOR, _MINI, _CUT_OFF = 512, 64, 4_096
_FREE = _NONE = 0xFFFFFFFF
_END, _TABLE = 0xFFFFFFFE, 0xFFFFFFFD
_ROOT, _FOLDER, _STREAM = 5, 1, 2


def ole_container(streams: dict[str, bytes]) -> bytes:
    """Return a container of `streams` by their paths ("folder/name")."""
    minis = b""
    starts: dict[str, int] = {}
    mini_table: list[int] = []
    for path, content in streams.items():
        if len(content) >= _CUT_OFF:
            raise ValueError("large streams are not written here")
        count = -(-len(content) // _MINI)
        starts[path] = len(mini_table) if count else _END
        mini_table += _chain(len(mini_table), count)
        minis += content.ljust(count * _MINI, b"\0")
    starts[""] = 0
    entries = _entries(streams)
    sizes = {path: len(content) for path, content in streams.items()} | {"": len(minis)}
    parts = [
        minis,
        struct.pack(f"<{len(mini_table)}I", *mini_table),
        b"".join(_entry(path, links, starts, sizes) for path, links in entries),
    ]
    body = b""
    places: list[int] = []
    table: list[int] = []
    for part, filler in zip(parts, (b"\0", b"\xff", b"\0"), strict=True):
        count = -(-len(part) // _SECTOR)
        places.append(len(table))
        table += _chain(len(table), count)
        body += part.ljust(count * _SECTOR, filler)
    table.append(_TABLE)
    if len(table) > _SECTOR // 4:
        raise ValueError("more than one sector of the table is not written here")
    body += struct.pack(f"<{len(table)}I", *table).ljust(_SECTOR, b"\xff")
    return _header(places[2], places[1], fat=len(table) - 1) + body


def _entries(streams: dict[str, bytes]) -> list[tuple[str, tuple[int, int, int]]]:
    """Return path and (kind, next sibling, first child) of each entry; siblings are a chain."""
    paths = [""]
    for path in streams:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            if (above := "/".join(parts[:depth])) not in paths:
                paths.append(above)
    found = []
    for path in paths:
        parent = path.rpartition("/")[0]
        children = [p for p in paths if p and p.rpartition("/")[0] == path]
        siblings = [p for p in paths if p and p.rpartition("/")[0] == parent] if path else []
        after = siblings[siblings.index(path) + 1 :] if path else []
        kind = _ROOT if not path else _STREAM if path in streams else _FOLDER
        links = (
            kind,
            paths.index(after[0]) if after else _NONE,
            paths.index(children[0]) if children else _NONE,
        )
        found.append((path, links))
    return found


def _entry(
    path: str, links: tuple[int, int, int], starts: dict[str, int], sizes: dict[str, int]
) -> bytes:
    name = path.rpartition("/")[2] or "Root Entry"
    kind, after, child = links
    encoded = name.encode("utf-16-le") + b"\0\0"
    return struct.pack(
        "<64sHBBIII16sI8s8sIII",
        *(encoded, len(encoded), kind, 1, _NONE, after, child),
        *(b"", 0, b"", b"", starts.get(path, _END), sizes.get(path, 0), 0),
    )


def _chain(first: int, count: int) -> list[int]:
    return [*range(first + 1, first + count), _END] if count else []


def _header(directory: int, mini_table: int, *, fat: int) -> bytes:
    fixed = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII",
        *(OLE_MAGIC, b"", 0x3E, 3, 0xFFFE, 9, 6, b""),
        *(0, 1, directory, 0, _CUT_OFF, mini_table, 1, _END, 0),
    )
    return fixed + struct.pack("<109I", fat, *[_FREE] * 108)
