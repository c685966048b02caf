"""First step: a file becomes text, by its parser or, page by page, by OCR; the result is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from knowledge.ingest.ocr import ocr_pages
from knowledge.ingest.parse import parse_file
from knowledge.ingest.stages import StageReport
from knowledge.ingest.wire import document_from_json, document_to_json
from knowledge.models import Document
from knowledge.parsers.contract import Block, ParsedDocument, ParseRefused
from knowledge.storage import load_json, local_copy, store_json

READ_VERSION = "1"
"""Part of the key of a kept text: raise it when the same file would be read otherwise."""
_FOLDER = "parsed"


@dataclass(frozen=True, kw_only=True)
class Read:
    """A document's text."""

    parsed: ParsedDocument
    file_type: str


def read_document(
    document: Document, *, report: StageReport, should_cancel: Callable[[], bool]
) -> Read:
    """Return the document's text, taken over from an earlier attempt when the file is the same.

    Raises:
        ParseRefused: the file gives no text, for a reason that its owner can act on.
        ParseCancelled: `should_cancel` returned True.
    """
    key = _key(document)
    kept = load_json(document.space_id, _FOLDER, key)
    if kept is not None:
        report.skipped()
        parsed = document_from_json(kept)
    else:
        with local_copy(document.space_id, document.content_hash) as path:
            parsed = _read_file(path, document.name, report, should_cancel)
        store_json(document.space_id, _FOLDER, key, document_to_json(parsed))
    report.note(parser=parsed.parser, pages=parsed.page_count, characters=len(parsed.text))
    return Read(parsed=parsed, file_type=parsed.metadata.get("type", ""))


def _key(document: Document) -> str:
    """Name the text by the bytes, the name (it decides between kinds of text) and our version."""
    whole = f"{document.content_hash}\n{document.name}\n{READ_VERSION}"
    return hashlib.sha256(whole.encode()).hexdigest()


def _read_file(
    path: Path, name: str, report: StageReport, should_cancel: Callable[[], bool]
) -> ParsedDocument:
    parsed = parse_file(path, name, should_cancel=should_cancel)
    if parsed.pages_without_text:
        parsed = _with_ocr(parsed, path, report, should_cancel)
    if not parsed.text.strip():
        raise ParseRefused(
            "no_text",
            "No text was found in this file, and none on its pictures. If it is a scan, scan it"
            " again at 200 dpi or more.",
        )
    return parsed


def _with_ocr(
    parsed: ParsedDocument, path: Path, report: StageReport, should_cancel: Callable[[], bool]
) -> ParsedDocument:
    """Read the pages that hold a picture but no text, and put what they say in its place."""
    report.note(ocr_pages=len(parsed.pages_without_text))
    read = ocr_pages(path, parsed.pages_without_text, should_cancel=should_cancel)
    found = {page: blocks for page, blocks in read.items() if blocks}
    unread = tuple(page for page in parsed.pages_without_text if page not in found)
    return replace(parsed, blocks=_in_page_order(parsed.blocks, found), pages_without_text=unread)


def _in_page_order(
    blocks: tuple[Block, ...], found: dict[int, tuple[Block, ...]]
) -> tuple[Block, ...]:
    by_page = [block for page in found.values() for block in page]
    return tuple(sorted((*blocks, *by_page), key=lambda block: block.page or 0))
