"""ZIP archives: a list of what is in them; each file becomes a document of its own."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from knowledge.parsers.contract import Block, Member, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.office_xml import open_container

_LEFT_OUT_NAMES = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
_LEFT_OUT_FOLDERS = frozenset({"__macosx", ".git", ".svn"})
_LISTED = 1_000
_UTF8_FLAG = 0x800


def parse_archive(content: bytes, _name: str) -> ParsedDocument:
    """Return the list of files; the gate has refused bombs and names that lead outside.

    Raises:
        ParseRefused: damaged, or no_text when nothing is in it.
    """
    with open_container(content) as archive:
        kept = _files(archive)
        links = sum(_is_link(info) for info in archive.infolist())
    if not kept:
        raise ParseRefused("no_text", "There are no files in this archive.")
    names = [name for name, _ in kept]
    lines = [f"- {name}" for name in names[:_LISTED]]
    if len(names) > _LISTED:
        lines.append(f"- and {len(names) - _LISTED:,} more")
    warnings = []
    if links:
        warnings.append(f"{links:,} links to other places were left out: they hold no content.")
    return ParsedDocument(
        blocks=(Block(markdown="\n".join(lines)),),
        warnings=tuple(warnings),
        members=tuple(Member(path=name, size_bytes=info.file_size) for name, info in kept),
    )


def open_members(content: bytes) -> Iterator[bytes]:
    """Yield the content of each listed file.

    Raises:
        ParseRefused: damaged.
    """
    with open_container(content) as archive:
        for _, info in _files(archive):
            try:
                yield archive.read(info)
            except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError) as error:
                raise ParseRefused(
                    "damaged", f"{info.filename!r} in the archive is damaged. Pack it anew."
                ) from error


def _files(archive: zipfile.ZipFile) -> list[tuple[str, zipfile.ZipInfo]]:
    """Return the files by their readable names, without what operating systems leave behind."""
    found = []
    for info in archive.infolist():
        name = _readable(info)
        parts = PurePosixPath(name).parts
        skipped = {part.lower() for part in parts[:-1]} & _LEFT_OUT_FOLDERS
        if info.is_dir() or not parts or skipped or _is_link(info) or not info.file_size:
            continue
        if parts[-1].lower() not in _LEFT_OUT_NAMES and not parts[-1].startswith("._"):
            found.append((name, info))
    return found


def _readable(info: zipfile.ZipInfo) -> str:
    """Names without the mark of UTF-8 are in the code page of the machine that packed them."""
    name = info.filename.replace("\\", "/")
    if info.flag_bits & _UTF8_FLAG or name.isascii():
        return name
    raw = name.encode("cp437", "replace")
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return name


def _is_link(info: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)


PARSER = Parser(
    name="archive",
    version="1",
    file_types=frozenset({"zip"}),
    parse=parse_archive,
    label="Files of the archive",
    open_members=open_members,
)
