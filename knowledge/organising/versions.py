"""Versions of a document: another file takes its place; what was there stays and can come back."""

from __future__ import annotations

import copy
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from accounts.services.quota import require_storage
from core.errors import Conflict, Invalid, NotFound, TooLarge
from core.textdiff import Row, diff_lines
from knowledge.constants import OPEN_STATES
from knowledge.ingest.parse import parse_file
from knowledge.ingest.read import kept_text_key
from knowledge.ingest.wire import document_from_json
from knowledge.models import Chunk, Document, DocumentVersion
from knowledge.names import clean_file_name
from knowledge.parsers.contract import ParseRefused
from knowledge.queries import get_document
from knowledge.services.documents import check_size, read_again
from knowledge.storage import PARSED_FOLDER, StoredFile, load_json, local_copy, store_file
from knowledge.stored_reasons import told

CONTEXT_LINES = 3
_MOST_LINES = 20_000
_MOST_PAIRS = 5_000_000
"""Of equal lines on both sides: the time to compare grows with them."""


@dataclass(frozen=True, kw_only=True)
class VersionDiff:
    """Two versions of a document's text side by side."""

    old: DocumentVersion
    new: DocumentVersion
    rows: tuple[Row, ...]


def replace_document(
    actor: Actor, *, document_id: UUID, name: str, content: bytes | BinaryIO, note: str = ""
) -> Document:
    """Let another file take a document's place; it is read anew and keeps everything else.

    The passages of the old file are found until those of the new one are there. The document keeps
    its name unless the new file is of another kind.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Invalid: the name cannot be kept, or the note is too long.
        TooLarge, LimitReached: the file is too large, or the space has no room for it.
        Conflict: it is the very same file, or the document is being read.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    stream = io.BytesIO(content) if isinstance(content, bytes) else content
    cleaned = clean_file_name(name).name
    require_storage(actor.space_id, more_bytes=check_size(stream, cleaned))
    stored = store_file(actor.space_id, stream)
    if stored.content_hash == document.content_hash:
        raise Conflict(_("This is the file that is there already, byte for byte."))
    return _take_file(actor, document, _kept_name(document.name, cleaned), stored, note=note)


def go_back(actor: Actor, *, document_id: UUID, number: int) -> Document:
    """Make the file of an earlier version the document's again, as a new version.

    Raises:
        NotFound, AccessDenied: as `require` has it; or there is no such version.
        Conflict: it is the newest already, or the document is being read.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    version = get_version(actor, document, number)
    if version.content_hash == document.content_hash:
        raise Conflict(_("This is the file that is there already."))
    require_storage(actor.space_id, more_bytes=version.size_bytes)
    stored = StoredFile(content_hash=version.content_hash, size_bytes=version.size_bytes)
    return _take_file(
        actor, document, version.name, stored, note=_("As version %(n)s") % {"n": number}
    )


def list_versions(actor: Actor, document: Document) -> QuerySet[DocumentVersion]:
    """Return the versions of a document, newest first; none of one that was never replaced."""
    rows = DocumentVersion.objects.filter(document=document).select_related("uploaded_by")
    return visible(actor, "view", rows).order_by("-number")


def get_version(actor: Actor, document: Document, number: int) -> DocumentVersion:
    """Return one version.

    Raises:
        NotFound: there is none of this number.
    """
    version = list_versions(actor, document).filter(number=number).first()
    if version is None:
        raise NotFound(_("There is no such version of this document."))
    return version


def diff_versions(actor: Actor, *, document_id: UUID, old: int, new: int) -> VersionDiff:
    """Return what changed between the texts of two versions.

    Raises:
        NotFound: there is no such document or version.
        Invalid: a text cannot be read, or they are too long to be compared line by line.
    """
    document = get_document(actor, document_id)
    before, after = get_version(actor, document, old), get_version(actor, document, new)
    texts = [_lines(_text_of(document, version)) for version in (before, after)]
    _refuse_endless(*texts)
    rows = diff_lines("\n".join(texts[0]), "\n".join(texts[1]), context=CONTEXT_LINES)
    return VersionDiff(old=before, new=after, rows=rows)


def remember_version(document: Document, *, user_id: int | None, note: str = "") -> None:
    """Write down the file that the document has now, under its present number."""
    DocumentVersion.objects.get_or_create(
        document=document,
        number=document.version,
        defaults={
            "space_id": document.space_id,
            "name": document.name,
            "content_hash": document.content_hash,
            "size_bytes": document.size_bytes,
            "file_type": document.file_type,
            "note": note,
            "uploaded_by_id": user_id,
        },
    )


def _take_file(
    actor: Actor, document: Document, name: str, stored: StoredFile, *, note: str
) -> Document:
    if len(note) > 500:
        raise Invalid(
            _("The note has %(n)s characters; it may have at most 500.") % {"n": len(note)}
        )
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=document.pk)
        if document.state in OPEN_STATES:
            raise Conflict(
                _("“%(name)s” is being read; stop it first, or wait.") % {"name": document.name}
            )
        remember_version(document, user_id=document.uploaded_by_id)
        document.version += 1
        document.name, document.file_type = name, ""
        document.content_hash, document.size_bytes = stored.content_hash, stored.size_bytes
        document.save(update_fields=["version", "name", "file_type", "content_hash", "size_bytes"])
        require_storage(actor.space_id)  # again, now that others wait for the row
        remember_version(document, user_id=actor.user_id, note=note)
        read_again(document)
        record_audit(actor, "document.replace", target=document, version=document.version)
    return document


def _kept_name(old: str, new: str) -> str:
    same = PurePosixPath(old).suffix.casefold() == PurePosixPath(new).suffix.casefold()
    return old if same else new


def _text_of(document: Document, version: DocumentVersion) -> str:
    """Return a version's text: as it was kept when it was read, else read again in isolation."""
    asked = copy.copy(document)
    asked.name, asked.content_hash = version.name, version.content_hash
    kept = load_json(document.space_id, PARSED_FOLDER, kept_text_key(asked))
    if kept is not None:
        return document_from_json(kept).text
    if version.number == document.version:
        texts = Chunk.objects.filter(document=document, kind="text").order_by("position")
        return "\n".join(texts.values_list("text", flat=True))
    try:
        with local_copy(document.space_id, version.content_hash) as path:
            return parse_file(path, version.name).text
    except (ParseRefused, TooLarge) as refusal:
        raise Invalid(
            _("The text of version %(n)s cannot be read: %(reason)s")
            % {"n": version.number, "reason": told(str(refusal))}
        ) from refusal


def _lines(text: str) -> list[str]:
    """Return the lines that say something: blank ones match everywhere and mean nothing."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _refuse_endless(old: list[str], new: list[str]) -> None:
    on_one_side, on_the_other = Counter(old), Counter(new)
    pairs = sum(number * on_the_other[line] for line, number in on_one_side.items())
    if max(len(old), len(new)) > _MOST_LINES or pairs > _MOST_PAIRS:
        raise Invalid(
            _(
                "These texts are too long to be compared here, line by line. Download both files"
                " and compare them with a program of your own."
            )
        )
