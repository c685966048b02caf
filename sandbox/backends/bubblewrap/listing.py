"""Walks through a workspace: lists for people and tools, and what is collected at the end of a turn."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from core.errors import Invalid, NotFound, TooLarge
from sandbox.backends.bubblewrap.files import opened_directory, read_open
from sandbox.backends.bubblewrap.places import Session
from sandbox.backends.gathering import Gatherer
from sandbox.backends.paths import InnerPath
from sandbox.contract import ArtifactLimits, Collection, FileEntry

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MAX_DEPTH = 64
_MAX_ENTRIES = 10_000


def list_directory(session: Session, path: InnerPath, *, limit: int) -> list[FileEntry]:
    """Return what is below a directory, sorted by path; the home directory only when asked for."""
    found: list[FileEntry] = []
    with opened_directory(session, path) as directory:
        for entry in _walk(directory, str(path), depth=_MAX_DEPTH, hide_home=not path.parts):
            found.append(entry)
            if len(found) >= _MAX_ENTRIES:
                break
    if not path.parts:
        # Inside, the inputs are mounted over an empty directory of that name.
        with opened_directory(session, InnerPath(parts=("input",))) as directory:
            found += _walk(directory, f"{path}/input", depth=_MAX_DEPTH, hide_home=False)
    return sorted(found, key=lambda entry: entry.path)[:limit]


def collect_output(session: Session, limits: ArtifactLimits) -> Collection:
    """Return the regular files below `output`, each read once."""
    gatherer = Gatherer(limits)
    try:
        with opened_directory(session, InnerPath(parts=("output",))) as directory:
            _gather(directory, (), gatherer)
    except NotFound:
        pass
    except Invalid:
        gatherer.leave_out("output", "The output directory is a link or no directory.")
    return gatherer.collection()


def _gather(directory: int, above: tuple[str, ...], gatherer: Gatherer) -> None:
    for name, information in _entries(directory):
        parts = (*above, name)
        if gatherer.is_full or not gatherer.accepts(
            parts, information.st_mode, information.st_size
        ):
            continue
        try:
            if stat.S_ISDIR(information.st_mode):
                below = os.open(name, _DIRECTORY, dir_fd=directory)
                try:
                    _gather(below, parts, gatherer)
                finally:
                    os.close(below)
            else:
                gatherer.take(parts, _read(directory, name, gatherer.room_bytes))
        except (OSError, TooLarge):
            gatherer.leave_out("/".join(parts), "It changed while it was read.")


def _read(directory: int, name: str, max_bytes: int) -> bytes:
    descriptor = os.open(name, _FILE, dir_fd=directory)
    try:
        return read_open(descriptor, max_bytes=max_bytes)
    finally:
        os.close(descriptor)


def _walk(directory: int, above: str, *, depth: int, hide_home: bool) -> Iterator[FileEntry]:
    for name, information in _entries(directory):
        if hide_home and name in {"home", "input"}:
            if name == "input":
                yield _entry(f"{above}/{name}", information)
            continue
        yield _entry(f"{above}/{name}", information)
        if not stat.S_ISDIR(information.st_mode) or depth == 0:
            continue
        try:
            below = os.open(name, _DIRECTORY, dir_fd=directory)
        except OSError:
            continue
        try:
            yield from _walk(below, f"{above}/{name}", depth=depth - 1, hide_home=False)
        finally:
            os.close(below)


def _entries(directory: int) -> list[tuple[str, os.stat_result]]:
    found = []
    for name in sorted(os.listdir(directory)):
        try:
            found.append((name, os.stat(name, dir_fd=directory, follow_symlinks=False)))
        except OSError:
            continue
    return found


def _entry(path: str, information: os.stat_result) -> FileEntry:
    mode = information.st_mode
    kinds = ((stat.S_ISREG, "file"), (stat.S_ISDIR, "directory"), (stat.S_ISLNK, "link"))
    return FileEntry(
        path=path,
        kind=next((kind for test, kind in kinds if test(mode)), "other"),
        size_bytes=information.st_size,
        modified_at=information.st_mtime,
    )
