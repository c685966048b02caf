"""Turns a hostile archive or a directory of the server into the checked files of a skill.

Nothing is unpacked to where its names say: each file is read within limits and written into a new
archive under a checked name, so that what is stored has no links, no second meaning and no bombs.
The same files give the same archive and the same hash, whatever they came in.
"""

from __future__ import annotations

import hashlib
import json
import stat
import tempfile
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Self

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import Invalid, Refused, TooLarge
from sandbox.skills.archive import KIB, MIB, check_directory_of_zip, read_entry
from sandbox.skills.manifest import FILE_NAME, MOST_BYTES, Manifest, read_manifest

_NOISE: Final = frozenset({"__MACOSX", ".DS_Store", "__pycache__", ".git", "Thumbs.db"})
_FORBIDDEN: Final = frozenset('\\:*?"<>|')
_DATE: Final = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, kw_only=True)
class BundleLimits:
    """How much a skill may be; sizes are bytes of unpacked files."""

    total_bytes: int = 256 * MIB
    """Also of the archive itself."""
    file_bytes: int = 16 * MIB
    files: int = 1000
    path_characters: int = 200
    depth: int = 8


@dataclass(frozen=True, kw_only=True)
class BundleFile:
    """One file of a skill."""

    path: str
    """Relative, with `/`."""
    size_bytes: int
    content_hash: str
    """SHA-256, hexadecimal."""


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """A skill's checked files."""

    manifest: Manifest
    files: tuple[BundleFile, ...]
    """By path."""
    content_hash: str
    """Of paths and contents: SHA-256, hexadecimal."""
    archive: BinaryIO
    """A zip of exactly these files; closed with the bundle."""
    left_out: tuple[str, ...] = ()
    """Paths that say nothing about the skill, such as `.git`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.archive.close()

    @property
    def size_bytes(self) -> int:
        """Return the sum of the files' sizes."""
        return sum(each.size_bytes for each in self.files)


def default_limits() -> BundleLimits:
    """Return the installation's limits."""
    return BundleLimits(
        total_bytes=settings.SKILL_BUNDLE_MIB * MIB,
        file_bytes=settings.SKILL_FILE_MIB * MIB,
        files=settings.SKILL_FILES,
    )


def read_zip(source: BinaryIO, *, limits: BundleLimits | None = None) -> Bundle:
    """Return the skill in a zip; its files may lie in one directory of it.

    Raises:
        Invalid: it is no zip that can be read, or its SKILL.md cannot be used.
        TooLarge: it, a file of it or their number is beyond the limits.
        Refused: it holds links, or names that lead elsewhere.
    """
    limits = limits or default_limits()
    check_directory_of_zip(source, most_bytes=limits.total_bytes, most_files=limits.files)
    try:
        with zipfile.ZipFile(source) as archive:
            return _collect(_entries(archive, limits), limits)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, UnicodeDecodeError) as error:
        raise Invalid(_("The file is no zip that can be read, or it is damaged.")) from error


def read_directory(directory: Path, *, limits: BundleLimits | None = None) -> Bundle:
    """Return the skill in a directory of the server.

    Raises:
        Invalid, TooLarge, Refused: as `read_zip`.
    """
    limits = limits or default_limits()
    return _collect(_walk(directory, directory, limits), limits)


@dataclass
class _Collected:
    limits: BundleLimits
    files: dict[str, BundleFile] = field(default_factory=dict)
    folded: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    total: int = 0

    def add(self, path: str, data: bytes) -> None:
        """Take a file in under a checked name, or refuse it."""
        self.total += len(data)
        if self.total > self.limits.total_bytes:
            raise TooLarge(
                _("The skill's files are more than %(most)d MiB together.")
                % {"most": self.limits.total_bytes // MIB}
            )
        if len(self.files) >= self.limits.files:
            raise too_many(self.limits.files)
        same = self.folded.setdefault(unicodedata.normalize("NFC", path).casefold(), path)
        if path in self.files or same != path:
            raise Refused(_("The skill has two files of the name %(name)r.") % {"name": path[:120]})
        digest = hashlib.sha256(data).hexdigest()
        self.files[path] = BundleFile(path=path, size_bytes=len(data), content_hash=digest)


def too_many(most: int) -> TooLarge:
    """Return the error for more files than the limit."""
    return TooLarge(_("The skill has more than %(most)d files.") % {"most": most})


def check_path(path: str, limits: BundleLimits) -> str:
    """Return a name from outside as a relative path.

    Raises:
        Refused: it leads elsewhere, or cannot be a name everywhere.
    """
    parts = path.split("/")
    bad = (
        not path
        or len(path) > limits.path_characters
        or len(parts) > limits.depth
        or any(part in ("", ".", "..") or part != part.strip() for part in parts)
        or any(part.endswith(".") for part in parts)
        or any(c in _FORBIDDEN or unicodedata.category(c)[0] == "C" for c in path)
    )
    if bad:
        raise Refused(
            _("The skill has a file whose name cannot be used: %(name)s")
            % {"name": ascii(path[:120])}
        )
    return path


def _collect(entries: Iterator[tuple[str, bytes]], limits: BundleLimits) -> Bundle:
    found, manifest_bytes = _Collected(limits), dict[str, bytes]()
    with tempfile.SpooledTemporaryFile(max_size=4 * MIB) as spool:
        with zipfile.ZipFile(spool, "w") as packed:
            for path, data in entries:
                if _NOISE & set(path.split("/")):
                    found.left_out.append(path)
                    continue
                found.add(path, data)
                packed.writestr(zipfile.ZipInfo(path, _DATE), data)
                if path.rpartition("/")[2] == FILE_NAME and path.count("/") <= 1:
                    manifest_bytes[path] = data[: MOST_BYTES + 1]
        _check_parents(found.files)
        root = _root(found.files)
        manifest = read_manifest(manifest_bytes[root + FILE_NAME])
        return _packed(manifest, root, spool, found)


def _check_parents(files: dict[str, BundleFile]) -> None:
    for path in files:
        parent = path.rpartition("/")[0]
        while parent:
            if parent in files:
                raise Refused(
                    _("The skill has two files of the name %(name)r.") % {"name": parent[:120]}
                )
            parent = parent.rpartition("/")[0]


def _packed(
    manifest: Manifest,
    root: str,
    spool: tempfile.SpooledTemporaryFile[bytes],
    found: _Collected,
) -> Bundle:
    """Write the archive anew: sorted, without the outer directory, packed and with one date."""
    archive = tempfile.SpooledTemporaryFile(max_size=4 * MIB)  # noqa: SIM115  closed with the bundle
    files = []
    with zipfile.ZipFile(spool) as given, zipfile.ZipFile(archive, "w") as packed:
        for path in sorted(found.files):
            each = found.files[path]
            name = path.removeprefix(root)
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            packed.writestr(entry, given.read(path))
            files.append(
                BundleFile(path=name, size_bytes=each.size_bytes, content_hash=each.content_hash)
            )
    archive.seek(0)
    return Bundle(
        manifest=manifest,
        files=tuple(files),
        content_hash=content_hash_of(files),
        archive=archive,  # type: ignore[arg-type]  # a spooled file reads like any other
        left_out=tuple(found.left_out),
    )


def content_hash_of(files: list[BundleFile]) -> str:
    """Return the hash that names these files."""
    listed = json.dumps([[each.path, each.content_hash] for each in files], ensure_ascii=True)
    return hashlib.sha256(listed.encode()).hexdigest()


def _root(files: dict[str, BundleFile]) -> str:
    """Return the directory in which the skill lies, with its `/`; empty for the top."""
    if FILE_NAME in files:
        return ""
    tops = {path.partition("/")[0] for path in files}
    if len(tops) == 1:
        root = f"{tops.pop()}/"
        if root + FILE_NAME in files:
            return root
    raise Invalid(
        _("There is no SKILL.md at the top of the files, or in the one directory they lie in."),
        field=FILE_NAME,
    )


def _entries(archive: zipfile.ZipFile, limits: BundleLimits) -> Iterator[tuple[str, bytes]]:
    for info in archive.infolist():
        # The library cuts a name at a NUL and turns other separators; the name as sent decides.
        if info.is_dir():
            check_path(info.orig_filename.rstrip("/"), limits)
            continue
        path = check_path(info.orig_filename, limits)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise Refused(
                _("%(name)r is a link or a device; a skill may only have files.")
                % {"name": path[:120]}
            )
        yield path, read_entry(archive, info, most_bytes=limits.file_bytes)


def _walk(directory: Path, root: Path, limits: BundleLimits) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(directory.iterdir()):
        path = check_path(entry.relative_to(root).as_posix(), limits)
        if entry.name in _NOISE:
            continue
        kind = stat.S_IFMT(entry.lstat().st_mode)
        if kind == stat.S_IFDIR:
            yield from _walk(entry, root, limits)
        elif kind != stat.S_IFREG:
            raise Refused(
                _("%(name)r is a link or a device; a skill may only have files.")
                % {"name": path[:120]}
            )
        elif entry.lstat().st_size > limits.file_bytes:
            raise TooLarge(
                _("%(name)r is larger than %(most)d KiB, the most for one file.")
                % {"name": path[:120], "most": limits.file_bytes // KIB}
            )
        else:
            yield path, entry.read_bytes()
