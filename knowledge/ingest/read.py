"""First step: a file becomes text, by an engine, by OCR or by a speech model; the result is kept."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from core.jobs.enqueue import enqueue
from knowledge.base_settings import base_settings_of
from knowledge.constants import DocumentSource
from knowledge.ingest.ocr import ocr_pages
from knowledge.ingest.ocr_pictures import with_words_of_pictures
from knowledge.ingest.parse import parse_file
from knowledge.ingest.stages import StageReport
from knowledge.ingest.wire import document_from_json, document_to_json
from knowledge.jobs import ADD_MEMBERS
from knowledge.models import Document
from knowledge.parsers.contract import Block, ParsedDocument, ParseRefused
from knowledge.speech.transcribe import transcribe
from knowledge.storage import PARSED_FOLDER, load_json, local_copy, store_json
from knowledge.text.pictures import without_references

READ_VERSION = "3"
"""Part of the key of a kept text: raise it when the same file would be read otherwise."""


class Notes(Protocol):
    """Takes facts about how a file is read."""

    def note(self, **detail: Any) -> None:
        """Keep them."""


NESTED = "This archive in another archive holds nothing but archives. Unpack it and upload what is in it."


class _Unheard:
    """For a reading that no timeline shows."""

    def note(self, **detail: Any) -> None:
        """Forget them."""


@dataclass(frozen=True, kw_only=True)
class Read:
    """A document's text."""

    parsed: ParsedDocument
    file_type: str


def read_document(
    document: Document, *, report: StageReport, should_cancel: Callable[[], bool]
) -> Read:
    """Return the document's text, taken over from an earlier attempt when the file is the same.

    What is inside of it (files of an archive, attachments) becomes documents by another job.

    Raises:
        ParseRefused: the file gives no text, for a reason that its owner can act on.
        ParseCancelled: `should_cancel` returned True.
        ModelError: the speech model failed in a way that may pass.
    """
    parsed = kept_text(document)
    if parsed is not None:
        report.skipped()
    else:
        with local_copy(document.space_id, document.content_hash) as path:
            parsed = _read_file(path, document, report, should_cancel)
        store_json(
            document.space_id, PARSED_FOLDER, kept_text_key(document), document_to_json(parsed)
        )
    report.note(
        parser=parsed.parser,
        pages=parsed.page_count,
        characters=len(parsed.text),
        members=len(parsed.members),
        kept=kept_text_key(document),
    )
    if parsed.members:
        _refuse_towers(document, parsed)
        enqueue(
            ADD_MEMBERS,
            dedupe_key=f"{document.pk}:{document.attempt}",
            document_id=str(document.pk),
            attempt=document.attempt,
        )
    return Read(parsed=parsed, file_type=parsed.metadata.get("type", ""))


def _refuse_towers(document: Document, parsed: ParsedDocument) -> None:
    """Refuse an archive in an archive that holds nothing but archives.

    A small file of these unfolds into thousands of lists of names, and nobody packs documents so.

    Raises:
        ParseRefused: it is one.
    """
    if document.parent_id is None or parsed.metadata.get("type") != "zip":
        return
    if all(member.path.lower().endswith(".zip") for member in parsed.members):
        raise ParseRefused("hostile", NESTED)


def read_otherwise(
    document: Document, *, engine: str, should_cancel: Callable[[], bool]
) -> ParsedDocument:
    """Return what `engine` reads from a document's file; the document stays as it is.

    The text is kept where an attempt with this engine would look for it.

    Raises:
        ParseRefused, ParseCancelled: as `read_document`.
    """
    asked = with_engine(document, engine)
    parsed = kept_text(asked)
    if parsed is None:
        with local_copy(document.space_id, document.content_hash) as path:
            parsed = _read_file(path, asked, _Unheard(), should_cancel)
        store_json(document.space_id, PARSED_FOLDER, kept_text_key(asked), document_to_json(parsed))
    return parsed


def with_engine(document: Document, engine: str) -> Document:
    """Return a copy, never to be saved, of which `engine` reads the file."""
    asked = copy.copy(document)
    parsing = document.processing.get("parsing", {})
    engines = {**parsing.get("engines", {}), document.file_type: engine}
    asked.processing = {**document.processing, "parsing": {**parsing, "engines": engines}}
    return asked


def kept_text(document: Document) -> ParsedDocument | None:
    """Return what was read from this very file with these very engines before."""
    kept = load_json(document.space_id, PARSED_FOLDER, kept_text_key(document))
    return None if kept is None else document_from_json(kept)


def kept_text_key(document: Document) -> str:
    """Name the text by the bytes, the name (it decides between kinds of text), engines, version."""
    whole = f"{document.content_hash}\n{document.name}\n{READ_VERSION}"
    if engines := engines_of(document):
        whole += f"\n{json.dumps(engines, sort_keys=True)}"
    return hashlib.sha256(whole.encode()).hexdigest()


def engines_of(document: Document) -> dict[str, str]:
    """Return the engines that are asked first, by type: the upload's own before those of the base."""
    chosen = base_settings_of(document.base).parsing.engines
    parsing = document.processing.get("parsing", {})
    own = parsing.get("engines", {}) if isinstance(parsing, dict) else {}
    return {**chosen, **{str(key): str(name) for key, name in dict(own).items()}}


def _read_file(
    path: Path, document: Document, report: Notes, should_cancel: Callable[[], bool]
) -> ParsedDocument:
    # A lost key of encryption leaves something that is no text.
    password = document.password if isinstance(document.password, str) else ""
    parsed = parse_file(
        path,
        _file_name_of(document),
        password=password,
        engines=engines_of(document),
        should_cancel=should_cancel,
    )
    if parsed.speech_type:
        report.note(speech=True)
        blocks = transcribe(path, document.name, media_type=parsed.speech_type)
        parsed = replace(parsed, blocks=(*parsed.blocks, *blocks))
    if parsed.pages_without_text:
        parsed = _with_ocr(parsed, path, password, report, should_cancel)
    parsed = with_words_of_pictures(
        parsed, path, document.name, password=password, should_cancel=should_cancel
    )
    if not without_references(parsed.text).strip():
        raise ParseRefused("no_text", _no_text_reason(parsed))
    return parsed


def _file_name_of(document: Document) -> str:
    """Return the name by which kinds of text are told apart: a wiki page's is only its title."""
    return f"{document.name}.md" if document.source == DocumentSource.WIKI else document.name


def _no_text_reason(parsed: ParsedDocument) -> str:
    if parsed.speech_type:
        return "No words were heard in this recording. Check that it plays elsewhere."
    return (
        "No text was found in this file, and none on its pictures. If it is a scan, scan it"
        " again at 200 dpi or more."
    )


def _with_ocr(
    parsed: ParsedDocument,
    path: Path,
    password: str,
    report: Notes,
    should_cancel: Callable[[], bool],
) -> ParsedDocument:
    """Read the pages that hold a picture but no text, and put what they say in its place."""
    report.note(ocr_pages=len(parsed.pages_without_text))
    scores: dict[int, float] = {}
    read = ocr_pages(
        path,
        parsed.pages_without_text,
        password=password,
        should_cancel=should_cancel,
        scores=scores,
    )
    found = {page: blocks for page, blocks in read.items() if blocks}
    unread = tuple(page for page in parsed.pages_without_text if page not in found)
    return replace(
        parsed,
        blocks=_in_page_order(parsed.blocks, found),
        pages_without_text=unread,
        ocr_scores=scores,
    )


def _in_page_order(
    blocks: tuple[Block, ...], found: dict[int, tuple[Block, ...]]
) -> tuple[Block, ...]:
    by_page = [block for page in found.values() for block in page]
    return tuple(sorted((*blocks, *by_page), key=lambda block: block.page or 0))
