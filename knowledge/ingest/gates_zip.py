"""Gates of containers (OOXML, ODF, EPUB): bombs, dangerous XML, sheets of empty cells.

The directory of a container can lie, so sizes are checked there and again while inflating.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from knowledge.parsers.contract import ParseRefused

_READ_BYTES = 1 << 20
_XML_SUFFIXES = (".xml", ".rels", ".opf", ".ncx", ".xhtml", ".html", ".htm")
_SMALL_CONTAINER_BYTES = 1_000_000
"""Below that the ratio says nothing: an empty form compresses well."""
_HTML_DOCTYPE = re.compile(rb"<!DOCTYPE\s+(?:html|ncx|package)\b[^\[>]*>", re.I)
_SHEET_PART = re.compile(r"xl/worksheets/[^/]+\.xml")
_CELL = re.compile(rb'<(?:\w+:)?c\b[^>]*?\sr="([A-Z]{1,3})([0-9]{1,7})"')
_MERGE = re.compile(
    rb'<(?:\w+:)?mergeCell\b[^>]*?\sref="([A-Z]{1,3}[0-9]{1,7}:[A-Z]{1,3}[0-9]{1,7})"'
)
_ODF_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OVERLAP_BYTES = 512
_MAX_MERGED_AREAS = 100_000
_SHEET_NAME = re.compile(rb"<(?:\w+:)?sheet\s")
_MAX_SHEETS = 1_000


@dataclass(frozen=True, kw_only=True)
class ZipLimits:
    """The largest container that is let through."""

    members: int
    size: int
    ratio: int


def check_container(content: bytes, limits: ZipLimits) -> None:
    """Refuse bombs, encrypted members, names that lead outside, and document type definitions.

    Raises:
        ParseRefused: hostile, encrypted, damaged.
    """
    with _open(content) as archive:
        members = archive.infolist()
        _check_directory(members, len(content), limits)
        left = limits.size
        for member in members:
            if not member.is_dir():
                left -= _inflate(archive, member, left)


def check_sheets(content: bytes, max_cells: int) -> None:
    """Refuse sheets that are small in the file and huge in memory: readers fill the whole area.

    Raises:
        ParseRefused: too_large, damaged.
    """
    with _open(content) as archive:
        for member in archive.infolist():
            cells = 0
            if _SHEET_PART.fullmatch(member.filename):
                cells = _sheet_area(archive, member)
            elif member.filename == "xl/workbook.xml":
                _check_sheet_count(archive, member)
            elif member.filename == "content.xml":
                cells = _repeated_area(archive, member)
            if cells > max_cells:
                raise _too_many_cells()


def _check_sheet_count(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    count = sum(len(_SHEET_NAME.findall(chunk)) for chunk in _chunks(archive, member))
    if count > _MAX_SHEETS:
        raise ParseRefused(
            "too_large",
            f"The table has more than {_MAX_SHEETS:,} sheets, which are not read. Split it.",
        )


def _open(content: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise _damaged() from error


def _damaged() -> ParseRefused:
    return ParseRefused(
        "damaged", "The file is a damaged container. Open it in its program and save it anew."
    )


def _bomb() -> ParseRefused:
    return ParseRefused(
        "hostile",
        "The file unpacks to far more data than a document holds. If it is an honest file, remove "
        "large pictures or split it.",
    )


def _check_directory(members: list[zipfile.ZipInfo], content_bytes: int, limits: ZipLimits) -> None:
    if len(members) > limits.members:
        raise _bomb()
    size = sum(member.file_size for member in members)
    if size > limits.size or size > max(content_bytes, _SMALL_CONTAINER_BYTES) * limits.ratio:
        raise _bomb()
    if any(member.flag_bits & 1 for member in members):
        raise ParseRefused(
            "encrypted", "The file is protected with a password. Remove it and upload it again."
        )
    for member in members:
        parts = member.filename.replace("\\", "/").split("/")
        if ".." in parts or "\0" in member.filename or parts[0] == "":
            raise ParseRefused(
                "hostile", "A part of the file has a name that leads outside of it. Save it anew."
            )


def _inflate(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> int:
    """Inflate a member without keeping it and return its true size."""
    is_xml = member.filename.lower().endswith(_XML_SUFFIXES)
    size = overlap = 0
    for chunk in _chunks(archive, member):
        size += len(chunk) - overlap
        overlap = min(len(chunk), _OVERLAP_BYTES)
        if size > most:
            raise _bomb()
        if is_xml:
            _check_doctype(chunk)
    return size


def _check_doctype(part: bytes) -> None:
    """Refuse definitions of entities; the plain doctype of a web page is none."""
    if part.count(b"\0") > len(part) // 4:
        part = part.replace(b"\0", b"")
    if b"<!" not in part:
        return
    rest = _HTML_DOCTYPE.sub(b"", part).upper()
    if b"<!DOCTYPE" in rest or b"<!ENTITY" in rest:
        raise ParseRefused(
            "hostile",
            "A part of the file defines entities, which documents never need and attacks do. "
            "Open it in its program and save it anew.",
        )


def _chunks(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a member piece by piece, each with the end of the one before."""
    tail = b""
    try:
        with archive.open(member) as stream:
            while chunk := stream.read(_READ_BYTES):
                yield tail + chunk
                tail = (tail + chunk)[-_OVERLAP_BYTES:]
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        raise _damaged() from error
    except NotImplementedError as error:
        raise ParseRefused(
            "damaged", "The file is packed in an unusual way. Open it in its program and save it."
        ) from error


def _sheet_area(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """Return rows times columns of the smallest area around all cells of an OOXML sheet."""
    rows: set[int] = set()
    columns: set[int] = set()
    areas = 0
    for chunk in _chunks(archive, member):
        cells = _CELL.findall(chunk)
        columns |= {_column(letters) for letters in {cell[0] for cell in cells}}
        numbers = {int(number) for number in {cell[1] for cell in cells}}
        if numbers:
            rows |= {min(numbers), max(numbers)}
        areas += len(_MERGE.findall(chunk))
        if areas > _MAX_MERGED_AREAS:
            raise _too_many_cells()
    if not rows or not columns:
        return 0
    return (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _repeated_area(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """Return the number of filled cells of an ODF file, repeats counted."""
    area = 0
    try:
        with archive.open(member) as stream:
            rows = etree.iterparse(
                stream,
                tag=_ODF_TABLE + "table-row",
                resolve_entities=False,
                no_network=True,
                huge_tree=False,
            )
            for _, row in rows:
                area += _repeat(row, "rows") * _filled_width(row)
                row.clear()
    except etree.XMLSyntaxError as error:
        raise _damaged() from error
    return area


def _filled_width(row: etree._Element) -> int:
    """Return the columns up to the last cell with content; empty ones at the end cost nothing."""
    width = filled = 0
    for cell in row:
        width += _repeat(cell, "columns")
        if len(cell) or any(str(name).endswith("value-type") for name in cell.attrib):
            filled = width
    return filled


def _repeat(element: etree._Element, what: str) -> int:
    count = element.get(f"{_ODF_TABLE}number-{what}-repeated", "1")
    return int(count) if count.isascii() and count.isdigit() else 1


def _too_many_cells() -> ParseRefused:
    return ParseRefused(
        "too_large",
        "A sheet of the table stretches over too many cells. Delete the empty rows and columns "
        "behind the data, or split the sheet.",
    )
