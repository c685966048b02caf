"""Which kind of document a container (ZIP, OLE) is, told by the parts in it."""

from __future__ import annotations

import io
import re
import zipfile

import olefile  # type: ignore[import-untyped]  # ships no types

from knowledge.parsers.contract import ParseRefused

OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
PROTECTED = (
    "The file is protected with a password. Enter the password, or upload a copy without one."
)
_SNIFFED_BYTES = 256_000
_ODF = "application/vnd.oasis.opendocument."
_BY_MEDIA_TYPE = {
    _ODF + "text": "odt",
    _ODF + "spreadsheet": "ods",
    _ODF + "presentation": "odp",
    "application/epub+zip": "epub",
}
_MAIN_PARTS = (
    (b"wordprocessingml", "docx"),
    (b"spreadsheetml", "xlsx"),
    (b"sheet.binary", "xlsb"),
    (b"sheet.macroEnabled", "xlsx"),
    (b"presentationml", "pptx"),
    (b"ms-word.document.macroEnabled", "docx"),
    (b"ms-powerpoint.presentation.macroEnabled", "pptx"),
)
_OLE_PARTS = (
    ("EncryptedPackage", "encrypted"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("__properties_version1.0", "msg"),
)


def zip_type(content: bytes) -> str:
    """Return our name of the type of a ZIP container; "zip" for an archive of files.

    Raises:
        ParseRefused: damaged, or an Office container of no known kind.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
            if "[Content_Types].xml" in names:
                return _ooxml_type(_start_of(archive, "[Content_Types].xml"))
            if "mimetype" in names:
                media_type = _start_of(archive, "mimetype").strip().decode("ascii", "replace")
                known = _BY_MEDIA_TYPE.get(media_type.removesuffix("-template"))
                if known:
                    return known
            if "META-INF/container.xml" in names:
                return "epub"
            return "xmind" if _is_mind_map(names) else "zip"
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise ParseRefused(
            "damaged", "The file is a damaged ZIP container. Save it again and upload the new copy."
        ) from error


def ole_type(content: bytes, *, promised: str) -> str:
    """Return our name of the type of an OLE container.

    Raises:
        ParseRefused: encrypted (an Office file with a password), or type_unknown.
    """
    parts = _root_parts(content)
    kind = next((kind for part, kind in _OLE_PARTS if part in parts), "")
    if kind == "encrypted" or (not kind and promised in {"docx", "xlsx", "pptx"}):
        raise ParseRefused("encrypted", PROTECTED)
    if not kind:
        raise ParseRefused(
            "type_unknown",
            "This is an old Office container of a kind that is not read. Save it as PDF.",
        )
    return kind


def _root_parts(content: bytes) -> set[str]:
    """Return the names at the root; in a damaged container, those that are anywhere in it."""
    try:
        with olefile.OleFileIO(content) as container:
            return {path[0] for path in container.listdir() if len(path) == 1}
    except (OSError, ValueError, IndexError, TypeError, AttributeError):
        return {part for part, _ in _OLE_PARTS if part.encode("utf-16-le") in content}


def _start_of(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as member:
        return member.read(_SNIFFED_BYTES)


def _is_mind_map(names: set[str]) -> bool:
    new = {"content.json", "metadata.json"} <= names
    return new or ("content.xml" in names and bool({"styles.xml", "meta.xml"} & names))


def _ooxml_type(content_types: bytes) -> str:
    mains = b" ".join(
        re.findall(rb'ContentType="([^"]*main\+xml|[^"]*sheet\.binary[^"]*)"', content_types)
    )
    for sign, file_type in _MAIN_PARTS:
        if sign in (mains or content_types):
            return file_type
    raise ParseRefused(
        "type_unknown",
        "This is an Office container that is neither a document, a table nor slides.",
    )
