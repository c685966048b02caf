"""Words and icons for what the pages of knowledge show."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _, ngettext

from core.wording import listed
from knowledge.models import Document, KnowledgeBase
from knowledge.parsers.filetypes import FILE_TYPES

_ICONS = {
    "xlsx": "file-spreadsheet",
    "xls": "file-spreadsheet",
    "xlsb": "file-spreadsheet",
    "ods": "file-spreadsheet",
    "csv": "file-spreadsheet",
    "pptx": "presentation",
    "odp": "presentation",
    "html": "globe",
    "mhtml": "globe",
    "json": "file-code",
    "eml": "mail",
    "png": "image",
    "jpg": "image",
}
NAMED_TYPES = ("pdf", "docx", "xlsx", "pptx", "html", "md", "txt", "csv", "json")
"""The types that are named where files are chosen; more are read."""


def icon_of(file_type: str) -> str:
    """Return the sprite's icon for a type."""
    return _ICONS.get(file_type, "file-text")


def label_of(file_type: str) -> str:
    """Return what people call a type; nothing for one that was not looked at yet."""
    known = FILE_TYPES.get(file_type)
    return _(known.label) if known else ""


def upload_facts() -> dict[str, Any]:
    """Return what the drop zone says about files."""
    extensions = sorted({each for known in FILE_TYPES.values() for each in known.extensions})
    return {
        "accept": ",".join(f".{each}" for each in extensions),
        "type_names": listed(label_of(each) for each in NAMED_TYPES),
        "max_bytes": settings.MAX_UPLOAD_BYTES,
        "batch_files": settings.BATCH_FILES,
        "batch_bytes": settings.BATCH_BYTES,
        "max_label": f"{settings.MAX_UPLOAD_BYTES // 1_000_000} MB",
    }


def base_facts(base: KnowledgeBase, *, documents: int, passages: int) -> str:
    """Return one line about a base."""
    parts = [
        ngettext("%(n)s document", "%(n)s documents", documents) % {"n": f"{documents:,}"},
        ngettext("%(n)s passage", "%(n)s passages", passages) % {"n": f"{passages:,}"},
    ]
    if base.embedding_model is not None:
        parts.append(base.embedding_model.name)
    return " · ".join(parts)


def entry_facts(base: KnowledgeBase, *, entries: int) -> str:
    """Return one line about a base of questions and answers."""
    parts = [ngettext("%(n)s entry", "%(n)s entries", entries) % {"n": f"{entries:,}"}]
    if base.embedding_model is not None:
        parts.append(base.embedding_model.name)
    return " · ".join(parts)


def document_facts(document: Document) -> str:
    """Return one line about a document."""
    parts = [label_of(document.file_type), filesizeformat(document.size_bytes)]
    if document.page_count:
        pages = ngettext("%(n)s page", "%(n)s pages", document.page_count)
        parts.append(pages % {"n": document.page_count})
    count = document.chunk_count
    parts.append(ngettext("%(n)s passage", "%(n)s passages", count) % {"n": f"{count:,}"})
    return " · ".join(part for part in parts if part)


def page_label(page_from: int | None, page_to: int | None) -> str:
    """Return "p. 3" or "p. 3–4"; nothing where a format has no pages."""
    if page_from is None:
        return ""
    if page_to is None or page_to == page_from:
        return _("p. %(page)s") % {"page": page_from}
    return _("p. %(first)s–%(last)s") % {"first": page_from, "last": page_to}
