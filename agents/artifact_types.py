"""Which files an agent may publish, what they are called, and how they may be shown."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath
from typing import Literal

from core.errors import Invalid

Preview = Literal["markdown", "table", "page", "text", "image", "none"]
MAX_BYTES = 8 * 1024 * 1024
MAX_NAME = 120
_TYPES: dict[str, str] = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "log": "text/plain",
    "rst": "text/plain",
    "tex": "text/x-tex",
    "html": "text/html",
    "htm": "text/html",
    "svg": "image/svg+xml",
    "xml": "application/xml",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "toml": "application/toml",
    "ini": "text/plain",
    "py": "text/x-python",
    "js": "text/javascript",
    "ts": "text/plain",
    "css": "text/css",
    "sql": "application/sql",
    "sh": "text/x-shellscript",
    "r": "text/plain",
    "ics": "text/calendar",
    "vcf": "text/vcard",
    "diff": "text/x-diff",
    "patch": "text/x-diff",
    "mmd": "text/plain",
    "dot": "text/plain",
}
_COLLECTED_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "zip": "application/zip",
}
"""Files that only a sandbox makes; others are sent as bytes without a meaning."""
BYTES = "application/octet-stream"
_ENDING_OF = {
    "text/markdown": "md",
    "text/x-markdown": "md",
    "text/csv": "csv",
    "text/html": "html",
    "image/svg+xml": "svg",
    "application/json": "json",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/plain": "txt",
}
_FORBIDDEN = re.compile(r'[\\/:*?"<>|]+')
_PREVIEWS: dict[str, Preview] = {
    "text/markdown": "markdown",
    "text/csv": "table",
    "text/tab-separated-values": "table",
    "text/html": "page",
    "image/svg+xml": "page",
    "image/png": "image",
    "image/jpeg": "image",
    "image/gif": "image",
    "image/webp": "image",
    BYTES: "none",
    **{each: "none" for each in _COLLECTED_TYPES.values() if not each.startswith("image/")},
}


def safe_name(name: str, *, media_type: str = "") -> str:
    """Return a name that is one on every system: no folders, no invisible or forbidden characters.

    A name without an ending gets that of its media type.

    Raises:
        Invalid: nothing is left of it, or files of this ending cannot be published.
    """
    plain = _plain(name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1])
    if not plain.strip("_"):
        raise Invalid("The file needs a name, such as report.md.", field="name")
    stem, ending = PurePosixPath(plain).stem, PurePosixPath(plain).suffix.lstrip(".").lower()
    if not ending:
        ending = _ENDING_OF.get(media_type.split(";")[0].strip().lower(), "txt")
    if ending not in _TYPES:
        known = ", ".join(sorted(_TYPES))
        raise Invalid(f"Files of type .{ending} cannot be published; these can: {known}.")
    return f"{stem[: MAX_NAME - len(ending) - 1].rstrip('. ')}.{ending}"


def collected_name(path: str) -> str:
    """Return the name of a file that a sandbox made; folders become a part of it. Any ending goes."""
    plain = _plain(path.replace("/", " – ")).strip("_") or "file"
    stem, suffix = PurePosixPath(plain).stem, PurePosixPath(plain).suffix[:20].lower()
    return f"{stem[: MAX_NAME - len(suffix)].rstrip('. ')}{suffix}"


def _plain(name: str) -> str:
    visible = "".join(each for each in name if unicodedata.category(each)[0] != "C")
    return " ".join(_FORBIDDEN.sub("_", unicodedata.normalize("NFC", visible)).split()).strip(". ")


def media_type_of(name: str) -> str:
    """Return the media type of a safe name: its ending decides, never what a model claims."""
    ending = PurePosixPath(name).suffix.lstrip(".").lower()
    return _TYPES.get(ending) or _COLLECTED_TYPES.get(ending, BYTES)


def preview_of(media_type: str) -> Preview:
    """Return how a file of this type is shown to people."""
    return _PREVIEWS.get(media_type, "text")
