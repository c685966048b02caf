"""Files in and out of a container, as archives through commands of its own user.

The engine's own calls for files run as root and follow links; a command inside reads only what the
sandbox itself may read.
"""

from __future__ import annotations

import io
import stat
import tarfile
import tempfile
from typing import IO

from sandbox.backends.gathering import Gatherer
from sandbox.backends.paths import InnerPath
from sandbox.contract import ArtifactLimits, Collection, FileEntry

LIST_FORMAT = r"%y\t%s\t%T@\t%p\0"
_KINDS = {"f": "file", "d": "directory", "l": "link"}
_MEMORY_BYTES = 4 * 1024 * 1024


class FileSink:
    """Keeps an archive, on disk when it is large."""

    def __init__(self, limit: int) -> None:
        """Take at most `limit` bytes."""
        self.limit, self.total = limit, 0
        self.file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=_MEMORY_BYTES)  # noqa: SIM115

    def add(self, data: bytes) -> None:
        """Take what came."""
        self.total += len(data)
        if not self.flooded:
            self.file.write(data)

    @property
    def flooded(self) -> bool:
        """Whether it is more than may be."""
        return self.total > self.limit


def packed(path: InnerPath, data: bytes) -> bytes:
    """Return an archive with one file and the directories above it, relative to the workspace."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("/".join(path.parts))
        member.size, member.mode = len(data), 0o644
        archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def first_file(stream: IO[bytes], *, max_bytes: int) -> bytes | None:
    """Return the regular file that an archive begins with; None when it is none or too large."""
    stream.seek(0)
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            member = archive.next()
            if member is None or not member.isreg() or member.size > max_bytes:
                return None
            content = archive.extractfile(member)
            return content.read(max_bytes + 1) if content is not None else None
    except tarfile.TarError:
        return None


def collected(stream: IO[bytes], limits: ArtifactLimits) -> Collection:
    """Return the regular files of an archive of the output directory; nothing is ever unpacked."""
    gatherer = Gatherer(limits)
    refused: set[tuple[str, ...]] = set()
    stream.seek(0)
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                _gather(archive, member, gatherer, refused)
    except tarfile.TarError:
        gatherer.leave_out("output", "It changed while it was read, or is too large.")
    return gatherer.collection()


def listed(data: bytes, *, limit: int) -> list[FileEntry]:
    """Return the entries of a list in `LIST_FORMAT`, sorted by path."""
    entries = []
    for line in data.split(b"\0")[:-1]:
        kind, size, modified, path = line.decode("utf-8", "surrogateescape").split("\t", 3)
        entries.append(
            FileEntry(
                path=path,
                kind=_KINDS.get(kind, "other"),
                size_bytes=int(size),
                modified_at=float(modified),
            )
        )
    return sorted(entries, key=lambda entry: entry.path)[:limit]


def _gather(
    archive: tarfile.TarFile,
    member: tarfile.TarInfo,
    gatherer: Gatherer,
    refused: set[tuple[str, ...]],
) -> None:
    parts = tuple(part for part in member.name.split("/") if part != ".")[1:]
    if not parts:
        if not member.isdir():
            gatherer.leave_out("output", "The output directory is a link or no directory.")
        return
    if gatherer.is_full or any(parts[:depth] in refused for depth in range(1, len(parts))):
        return
    if not gatherer.accepts(parts, _mode(member), member.size):
        refused.add(parts)
        return
    if member.isdir():
        return
    content = archive.extractfile(member)
    if content is not None:
        gatherer.take(parts, content.read(gatherer.room_bytes))


def _mode(member: tarfile.TarInfo) -> int:
    if member.isdir():
        return stat.S_IFDIR
    return stat.S_IFREG if member.isreg() else stat.S_IFLNK
