"""Our names of file types, and the type of a file by its content.

The name decides only between kinds of text (csv, md, txt, json, html): bytes cannot tell them
apart. Everything else shows what it is, whatever it is called.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from knowledge.parsers.containers import OLE_MAGIC, ole_type, zip_type
from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.encodings import decode_text


@dataclass(frozen=True, kw_only=True)
class FileType:
    """A kind of file that we read."""

    name: str
    label: str
    extensions: tuple[str, ...]
    media_type: str
    is_text: bool = False
    """Told by its name only, as far as the content is text at all."""


def _type(name: str, label: str, extensions: str, media_type: str, **more: bool) -> FileType:
    return FileType(
        name=name, label=label, extensions=tuple(extensions.split()), media_type=media_type, **more
    )


_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."

FILE_TYPES: dict[str, FileType] = {
    file_type.name: file_type
    for file_type in (
        _type("pdf", "PDF", "pdf", "application/pdf"),
        _type("docx", "Word", "docx docm dotx", _OOXML + "wordprocessingml.document"),
        _type("xlsx", "Excel", "xlsx xlsm xltx", _OOXML + "spreadsheetml.sheet"),
        _type("xlsb", "Excel, binary", "xlsb", "application/vnd.ms-excel.sheet.binary"),
        _type("xls", "Excel 97-2003", "xls", "application/vnd.ms-excel"),
        _type("doc", "Word 97-2003", "doc dot", "application/msword"),
        _type("ppt", "PowerPoint 97-2003", "ppt pps pot", "application/vnd.ms-powerpoint"),
        _type("msg", "Outlook message", "msg", "application/vnd.ms-outlook"),
        _type("pptx", "PowerPoint", "pptx pptm ppsx", _OOXML + "presentationml.presentation"),
        _type("odt", "OpenDocument text", "odt ott", _ODF + "text"),
        _type("ods", "OpenDocument table", "ods", _ODF + "spreadsheet"),
        _type("odp", "OpenDocument slides", "odp", _ODF + "presentation"),
        _type("xmind", "Mind map", "xmind", "application/vnd.xmind.workbook"),
        _type("zip", "ZIP archive", "zip", "application/zip"),
        _type("epub", "EPUB", "epub", "application/epub+zip"),
        _type("rtf", "Rich text", "rtf", "application/rtf"),
        _type("png", "PNG picture", "png", "image/png"),
        _type("jpg", "JPEG picture", "jpg jpeg", "image/jpeg"),
        _type("gif", "GIF picture", "gif", "image/gif"),
        _type("webp", "WebP picture", "webp", "image/webp"),
        _type("tiff", "TIFF picture", "tiff tif", "image/tiff"),
        _type("bmp", "BMP picture", "bmp", "image/bmp"),
        _type("mp3", "MP3 recording", "mp3", "audio/mpeg"),
        _type("wav", "WAV recording", "wav", "audio/wav"),
        _type("m4a", "M4A recording", "m4a mp4", "audio/mp4"),
        _type("ogg", "OGG recording", "ogg oga opus", "audio/ogg"),
        _type("flac", "FLAC recording", "flac", "audio/flac"),
        _type("webm", "WebM recording", "webm", "audio/webm"),
        _type("eml", "E-mail", "eml", "message/rfc822", is_text=True),
        _type("mhtml", "Saved web page", "mhtml mht", "multipart/related", is_text=True),
        _type("html", "Web page", "html htm xhtml", "text/html", is_text=True),
        _type("csv", "CSV table", "csv tsv", "text/csv", is_text=True),
        _type("json", "JSON", "json jsonl ndjson", "application/json", is_text=True),
        _type("md", "Markdown", "md markdown mdx", "text/markdown", is_text=True),
        _type("txt", "Plain text", "txt text log", "text/plain", is_text=True),
    )
}
BY_EXTENSION: dict[str, FileType] = {
    extension: file_type for file_type in FILE_TYPES.values() for extension in file_type.extensions
}

_MEDIA_MAGIC = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "png"),
    (re.compile(rb"\xff\xd8\xff"), "jpg"),
    (re.compile(rb"GIF8[79]a"), "gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.S), "webp"),
    (re.compile(rb"RIFF.{4}WAVE", re.S), "wav"),
    (re.compile(rb"II\*\0|MM\0\*"), "tiff"),
    # Words begin with "BM", too: the reserved bytes and the size of the header tell.
    (re.compile(rb"BM.{4}\0{4}.{4}[\x0c\x28\x34\x38\x40\x6c\x7c]\0{3}", re.S), "bmp"),
    (re.compile(rb"ID3[\x02-\x04]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]"), "mp3"),
    (re.compile(rb".{4}ftyp(?:M4A|M4B|mp4|isom|dash)", re.S), "m4a"),
    (re.compile(rb"OggS\0"), "ogg"),
    (re.compile(rb"fLaC\0"), "flac"),
    (re.compile(rb"\x1a\x45\xdf\xa3.{0,60}webm", re.S), "webm"),
)
_KNOWN_FOREIGN = (
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"SQLite format 3\0", "a database"),
    (b"RIFF", "a video"),
)
_CONTROL_BYTES = (*range(1, 9), 14, 15, 16, 17, 18, 19, 20)
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)
_MAIL_HEADER = re.compile(
    r"(?:received|return-path|mime-version|message-id|from|date|subject|to|delivered-to)\s?:", re.I
)
_SNIFFED_CHARACTERS = 4_000
_SNIFFED_BYTES = 256_000


def extension_of(name: str) -> str:
    """Return the extension in lower case without its dot, or an empty string."""
    return PurePosixPath(name.replace("\\", "/")).suffix.lower().lstrip(".")


def detect_type(content: bytes, name: str) -> str:
    """Return our name of the type of `content`.

    Raises:
        ParseRefused: type_unknown or binary (nothing we read), type_mismatch (a text that calls
            itself a PDF, say), encrypted (office file with a password).
    """
    found = _by_signature(content, name)
    return found if found else _text_type(content, name)


def mismatch_warning(file_type: str, name: str) -> str | None:
    """Return a sentence when the name promises another type than the content has."""
    extension = extension_of(name)
    promised = BY_EXTENSION.get(extension)
    if promised is None or promised.name == file_type:
        return None
    label = FILE_TYPES[file_type].label
    return f"The file is called .{extension} but is {label}; it was read as {label}."


def _by_signature(content: bytes, name: str) -> str | None:
    head = content[:1024]
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return zip_type(content)
    if head.startswith(OLE_MAGIC):
        return ole_type(content, promised=extension_of(name))
    if b"%PDF-" in head:
        return "pdf"
    if head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{\\rtf"):
        return "rtf"
    return next((media for magic, media in _MEDIA_MAGIC if magic.match(head)), None)


def _text_type(content: bytes, name: str) -> str:
    refuse_binary(content, name)
    extension = extension_of(name)
    promised = BY_EXTENSION.get(extension)
    start = decode_text(content[: _SNIFFED_CHARACTERS * 4]).text[:_SNIFFED_CHARACTERS]
    if promised is not None and promised.is_text:
        return promised.name
    sniffed = _sniffed_text_type(start)
    if promised is not None and sniffed not in {"html", "mhtml"}:
        raise ParseRefused(
            "type_mismatch",
            f"The file is called .{extension} but holds no {promised.label} data. "
            "It may be damaged, or a text with the wrong name: rename it to .txt to read it as text.",
        )
    return sniffed


def _sniffed_text_type(start: str) -> str:
    if _HTML_START.match(start):
        return "html"
    first = start.lstrip().split("\n", 1)[0]
    if (
        _MAIL_HEADER.match(first)
        and len(re.findall(rf"(?m)^{_MAIL_HEADER.pattern}", start, re.I)) >= 3
    ):
        return "mhtml" if "multipart/related" in start and "text/html" in start else "eml"
    if first.startswith(("{", "[")) and start.rstrip().endswith(("}", "]")):
        return "json"
    return "txt"


def refuse_binary(content: bytes, name: str) -> None:
    """Refuse what is no text.

    Raises:
        ParseRefused: binary.
    """
    what = next((what for magic, what in _KNOWN_FOREIGN if content.startswith(magic)), None)
    sample = content[:_SNIFFED_BYTES]
    decoded = decode_text(sample)
    odd = decoded.text.count("\ufffd")
    if not decoded.encoding.startswith(("utf-16", "utf-32")):
        odd += sum(sample.count(code) for code in _CONTROL_BYTES)
    if odd * 50 <= max(len(decoded.text), 50) and not (what and (odd or 0 in sample)):
        return
    extension = extension_of(name)
    detail = f"This is {what}" if what else "This file holds binary data"
    named = f" although it is called .{extension}" if extension in BY_EXTENSION else ""
    raise ParseRefused("binary", f"{detail}{named}. No text can be read from it.")
