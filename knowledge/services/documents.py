"""Use cases of documents: add, read again, stop, remove."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import transaction

from accounts.access import Actor, require
from core.errors import Conflict, Invalid, TooLarge
from core.jobs.enqueue import cancel_job, enqueue
from knowledge.constants import OPEN_STATES, RETRYABLE_STATES, DocumentState
from knowledge.jobs import INGEST_DOCUMENT, REMOVE_DOCUMENT
from knowledge.models import Document, KnowledgeBase
from knowledge.queries import get_base, get_document
from knowledge.storage import StoredFile, store_file


@dataclass(frozen=True, kw_only=True)
class FileName:
    """A file's name and folder, both safe to show and to keep."""

    name: str
    folder_path: str


def add_document(
    actor: Actor,
    *,
    base_id: UUID,
    name: str,
    content: bytes | BinaryIO,
    folder_path: str = "",
) -> Document:
    """Put a file into a base and begin to read it; returns the document in state "pending".

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the base.
        Invalid: the name cannot be kept.
        TooLarge: the file is over `MAX_UPLOAD_BYTES`.
        Conflict: the base holds this very file under this name; `data` has its `document_id`.
    """
    base = get_base(actor, base_id)
    require(actor, "change", base)
    file_name = clean_file_name(name, folder_path=folder_path)
    stream = io.BytesIO(content) if isinstance(content, bytes) else content
    _check_size(stream, file_name.name)
    stored = store_file(actor.space_id, stream)
    with transaction.atomic():
        _refuse_second_copy(base, file_name, stored)
        document = Document.objects.create(
            space_id=actor.space_id,
            base=base,
            name=file_name.name,
            folder_path=file_name.folder_path,
            size_bytes=stored.size_bytes,
            content_hash=stored.content_hash,
            uploaded_by_id=actor.user_id,
        )
        _start(document)
    return document


def retry_document(actor: Actor, *, document_id: UUID) -> Document:
    """Read a document again, as a new attempt.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is being read already.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=document.pk)
        if document.state not in RETRYABLE_STATES:
            raise Conflict(f"{document.name!r} is being read already.")
        document.attempt += 1
        document.state = DocumentState.PENDING
        document.reason_code = document.reason = ""
        document.save(update_fields=["attempt", "state", "reason_code", "reason", "updated_at"])
        _start(document)
    return document


def cancel_document(actor: Actor, *, document_id: UUID) -> Document:
    """Stop reading a document; what was found before stays, "read again" goes on from there.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: nothing is being done with it.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=document.pk)
        if document.state not in OPEN_STATES:
            raise Conflict(f"{document.name!r} is not being read: there is nothing to stop.")
        document.state = DocumentState.CANCELLED
        document.reason_code, document.reason = "cancelled", "Stopped by a person."
        document.save(update_fields=["state", "reason_code", "reason", "updated_at"])
        if document.job_id:
            cancel_job(document.job_id)
    return document


def delete_document(actor: Actor, *, document_id: UUID) -> None:
    """Take a document out of everybody's sight now; a job removes its rows and file.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    document = get_document(actor, document_id)
    require(actor, "delete", document)
    with transaction.atomic():
        if document.job_id:
            cancel_job(document.job_id)
        Document.objects.filter(pk=document.pk).update(
            state=DocumentState.DELETING, searchable_at=None
        )
        enqueue(REMOVE_DOCUMENT, dedupe_key=str(document.pk), document_id=str(document.pk))


def clean_file_name(name: str, *, folder_path: str = "") -> FileName:
    r"""Return the name without its folders, and the folders without "..".

    Raises:
        Invalid: nothing is left, or a character cannot be kept (NUL, control characters).
    """
    whole = f"{folder_path}/{name}".replace("\\", "/")
    if any(ord(character) < 32 or 0xD800 <= ord(character) <= 0xDFFF for character in whole):
        raise Invalid(
            f"The file name {name!r} has a character that cannot be kept; rename the file."
        )
    parts = [part.strip() for part in PurePosixPath(whole).parts if part.strip(" /.")]
    if not parts or PurePosixPath(name.replace("\\", "/")).name in ("", ".", ".."):
        raise Invalid(f"{name!r} is not a file name; rename the file.")
    folder = "/".join(parts[:-1])
    if len(folder) > 1000:
        raise Invalid("The folders above the file have over 1,000 characters; use fewer of them.")
    return FileName(name=_shorten(parts[-1]), folder_path=folder)


def _shorten(name: str) -> str:
    """Cut a long name in its middle: the extension says what it is."""
    if len(name) <= 255:
        return name
    suffix = PurePosixPath(name).suffix[:20]
    return name[: 255 - len(suffix)] + suffix


def _check_size(stream: BinaryIO, name: str) -> None:
    size = stream.seek(0, io.SEEK_END)
    if size > settings.MAX_UPLOAD_BYTES:
        limit = settings.MAX_UPLOAD_BYTES // 1_000_000
        raise TooLarge(
            f"{name!r} has {size // 1_000_000} MB; {limit} MB are the most. Split it, or ask your"
            " administrator to raise MAX_UPLOAD_BYTES."
        )


def _refuse_second_copy(base: KnowledgeBase, file_name: FileName, stored: StoredFile) -> None:
    KnowledgeBase.objects.select_for_update().get(pk=base.pk)
    same = (
        Document.objects.filter(
            base=base,
            content_hash=stored.content_hash,
            name=file_name.name,
            folder_path=file_name.folder_path,
        )
        .exclude(state=DocumentState.DELETING)
        .first()
    )
    if same is not None:
        raise Conflict(
            f"{file_name.name!r} is already in this base, byte for byte.", document_id=str(same.pk)
        )


def _start(document: Document) -> None:
    document.job_id = enqueue(
        INGEST_DOCUMENT, document_id=str(document.pk), attempt=document.attempt
    )
    document.save(update_fields=["job_id"])
