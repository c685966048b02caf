"""The bare repository of a mirrored wiki: what it holds already, and adding commits to it.

Each commit names in its trailers the revision, the page and where the page's file lies from then on.
What is done is read from there and nowhere else: a reference moves only when its commits are whole,
so that a run that died half way left nothing behind that is done twice or not at all.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from django.conf import settings

from wiki.mirror.git import git

BRANCH: Final = "refs/heads/mirror"
_STAMP: Final = "wiki-mirror.json"
_MAIL: Final = "users.noreply.invalid"
_COMMITTER: Final = f"wiki <wiki@{_MAIL}>"
_FIELDS: Final = "%x00%H%x1f%ct" + "".join(
    f"%x1f%(trailers:key={name},valueonly,separator=%x2C)" for name in ("Revision", "Page", "Path")
)


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A step of the history."""

    page_id: str
    revision_id: str
    """Blank of a deletion or a move: they make no revision done."""
    path: str
    """Where the file lies afterwards; blank: there is none any more."""
    text: str
    author: str
    """A name, as Git has it: see `clean_name`."""
    address: str
    """What stands before the “@”."""
    seconds: int
    """Since 1970, UTC: when it became part of the wiki."""
    subject: str
    written_seconds: int | None = None
    """When it was written, where that was earlier, at its origin."""


@dataclass(kw_only=True)
class Held:
    """What a repository holds."""

    tip: str = ""
    """Of the branch; blank: no commit yet."""
    commits: int = 0
    seconds: int = 0
    """Of the newest commit."""
    done: set[str] = field(default_factory=set)
    """Revisions."""
    paths: dict[str, str] = field(default_factory=dict)
    """Pages -> their files in the newest commit."""
    last_revision: str = ""


def folder_of(space_id: int, base_id: object) -> Path:
    """Return where the repository of a base is, whether or not there is one."""
    return Path(settings.WIKI_MIRRORS) / str(space_id) / f"{base_id}.git"


def drop(folder: Path) -> None:
    """Take a repository away with all that it held."""
    if folder.exists():
        shutil.rmtree(folder)


@contextmanager
def locked(folder: Path) -> Iterator[bool]:
    """Let one process work at a repository; yields False while another does."""
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with folder.with_suffix(".lock").open("a", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def prepare(folder: Path, stamp: str) -> bool:
    """See that there is a repository with the stamp; say whether another's history was dropped.

    The stamp says what may be in the history; another one means that something must leave it.
    """
    file = folder / _STAMP
    there = folder.exists()
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    if known == stamp:
        return False
    drop(folder)
    git(folder, "init", "--quiet", "--bare", "--template=", str(folder))
    git(folder, "symbolic-ref", "HEAD", BRANCH)
    file.write_text(json.dumps(stamp), encoding="utf-8")
    return there and known is not None


def read(folder: Path) -> Held:
    """Return what the repository holds."""
    held = Held()
    if not git(folder, "for-each-ref", "--format=%(objectname)", BRANCH).strip():
        return held
    said = git(folder, "log", "--reverse", f"--format={_FIELDS}", BRANCH, "--")
    for entry in said.decode().split("\0")[1:]:
        tip, seconds, revision, page, path = (part.strip("\n") for part in entry.split("\x1f"))
        held.tip, held.seconds = tip, int(seconds)
        held.commits += 1
        if revision:
            held.last_revision = revision
            held.done.add(revision)
        held.paths.pop(page, None)
        if path:
            held.paths[page] = path
    return held


def add(
    folder: Path, held: Held, commits: Sequence[Commit], *, check: Callable[[], None] | None = None
) -> None:
    """Add commits after the newest one, all of them or none; `held` knows of them afterwards."""
    if not commits:
        return
    stream = bytearray(b"feature done\n")
    paths, tip = dict(held.paths), held.tip
    for number, commit in enumerate(commits):
        stream += _command(
            commit, was=paths.pop(commit.page_id, ""), parent=tip if not number else ""
        )
        if commit.path:
            paths[commit.page_id] = commit.path
    stream += b"done\n"
    git(folder, "fast-import", "--quiet", "--date-format=raw", given=bytes(stream), check=check)
    held.tip = git(folder, "rev-parse", BRANCH).decode().strip()
    held.commits += len(commits)
    held.seconds = commits[-1].seconds
    held.paths = paths
    for commit in commits:
        if commit.revision_id:
            held.done.add(commit.revision_id)
            held.last_revision = commit.revision_id


def clean_name(name: str) -> str:
    """Return a name as it can stand in a commit; blank when nothing is left."""
    return " ".join(name.translate({ord(sign): " " for sign in "<>\0\n\r"}).split()).strip(
        ".,:;\"'"
    )


def _command(commit: Commit, *, was: str, parent: str) -> bytes:
    trailers = [
        *([f"Revision: {commit.revision_id}"] if commit.revision_id else []),
        f"Page: {commit.page_id}",
        *([f"Path: {commit.path}"] if commit.path else []),
    ]
    message = "\n".join([" ".join(commit.subject.split()) or "-", "", *trailers, ""])
    written = commit.seconds if commit.written_seconds is None else commit.written_seconds
    lines = [
        f"commit {BRANCH}",
        f"author {commit.author} <{commit.address}@{_MAIL}> {max(0, written)} +0000",
        f"committer {_COMMITTER} {commit.seconds} +0000",
    ]
    made = "\n".join(lines).encode() + b"\n" + _data(message.encode())
    if parent:
        made += f"from {parent}\n".encode()
    if was and was != commit.path:
        made += f"D {was}\n".encode()
    if commit.path:
        made += f"M 100644 inline {commit.path}\n".encode() + _data(commit.text.encode())
    return made


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)
