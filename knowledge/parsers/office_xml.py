"""Parts of an office container as XML, read with every dangerous feature off."""

from __future__ import annotations

import io
import zipfile
import zlib

from lxml import etree

from knowledge.parsers.contract import ParseRefused

MOST_PICTURE_BYTES = 30_000_000
_CORE = "docProps/core.xml"
_DC_TITLE = "{http://purl.org/dc/elements/1.1/}title"


def parse_xml(content: bytes) -> etree._Element:
    """Parse one part.

    Raises:
        ParseRefused: damaged.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, recover=False
    )
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise ParseRefused(
            "damaged", "A part of the file is damaged. Open it in its program and save it anew."
        ) from error


def read_part(archive: zipfile.ZipFile, name: str) -> etree._Element | None:
    """Return a part of the container as XML, or None where there is none."""
    try:
        content = archive.read(name)
    except KeyError:
        return None
    return parse_xml(content)


def open_member(archive: zipfile.ZipFile, name: str) -> bytes | None:
    """Return a picture's bytes; None where there is none, or it is too large to be shown."""
    try:
        member = archive.getinfo(name.removeprefix("./"))
        return archive.read(member) if member.file_size <= MOST_PICTURE_BYTES else None
    except (KeyError, zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError):
        return None


def core_title(archive: zipfile.ZipFile) -> str:
    """Return the title of an OOXML file's properties."""
    root = read_part(archive, _CORE)
    return "" if root is None else (root.findtext(_DC_TITLE) or "").strip()


def open_container(content: bytes) -> zipfile.ZipFile:
    """Open a container.

    Raises:
        ParseRefused: damaged.
    """
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile as error:
        raise ParseRefused(
            "damaged", "The file is a damaged container. Open it in its program and save it anew."
        ) from error
