"""Use cases of documents: add, read again, stop, remove."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from accounts.services.quota import require_storage
from core.errors import Conflict, Invalid, TooLarge
from core.jobs.enqueue import cancel_job, enqueue
from knowledge.access.fit import lock_base, raise_walls
from knowledge.constants import (
    OPEN_STATES,
    RETRYABLE_STATES,
    BaseKind,
    DocumentSource,
    DocumentState,
)
from knowledge.ingest.pressure import require_room_to_wait
from knowledge.jobs import INGEST_DOCUMENT
from knowledge.models import Document, KnowledgeBase
from knowledge.names import FileName, clean_file_name
from knowledge.queries import get_base, get_document
from knowledge.services.removal import remove_later
from knowledge.sources.jobs import FETCH_DOCUMENT, SCAN_DOCUMENT
from knowledge.storage import StoredFile, store_file

UNSCANNED, INFECTED = "unscanned", "infected"
"""Codes of documents whose file nobody may have: see `knowledge.sources.virus`."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a document came from, and how it differs from others of its base."""

    source: DocumentSource = DocumentSource.FILE
    url: str = ""
    is_draft: bool = False
    processing: Mapping[str, Any] = field(default_factory=dict)
    """A part of a dump of `BaseSettings`."""
    batch_id: UUID | None = None


def add_document(
    actor: Actor,
    *,
    base_id: UUID,
    name: str,
    content: bytes | BinaryIO,
    folder_path: str = "",
    origin: Origin | None = None,
) -> Document:
    """Put a file into a base and begin to read it; returns the document in state "pending".

    A draft is kept and not read.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: the name cannot be kept.
        TooLarge: the file is over `MAX_UPLOAD_BYTES`.
        LimitReached: the space has no room for it, or too many documents wait already.
        Conflict: the base holds this very file under this name; `data` has its `document_id`.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    if base.kind == BaseKind.FAQ:
        raise Invalid(
            _("“%(name)s” holds questions and answers; import the file there instead.")
            % {"name": base.name}
        )
    require_room_to_wait()
    file_name = clean_file_name(name, folder_path=folder_path)
    stream = io.BytesIO(content) if isinstance(content, bytes) else content
    require_storage(actor.space_id, more_bytes=check_size(stream, file_name.name))
    stored = store_file(actor.space_id, stream)
    with transaction.atomic():
        lock_base(base.pk)
        _refuse_second_copy(actor, base, file_name, stored)
        document = make_row(actor, base, file_name, stored, origin=origin or Origin())
        if not document.is_draft:
            start_reading(document)
        _audit(actor, "document.create", document)
    return document


def make_row(
    actor: Actor, base: KnowledgeBase, file_name: FileName, stored: StoredFile, *, origin: Origin
) -> Document:
    """Write a new document's row with its walls; called in a transaction that has the base's lock.

    Raises:
        LimitReached: the space has no room for it.
    """
    document = Document.objects.create(
        space_id=actor.space_id,
        base=base,
        name=file_name.name,
        folder_path=file_name.folder_path,
        size_bytes=stored.size_bytes,
        content_hash=stored.content_hash,
        source=origin.source,
        source_url=origin.url,
        is_draft=origin.is_draft,
        processing=dict(origin.processing),
        batch_id=origin.batch_id,
        uploaded_by_id=actor.user_id,
    )
    raise_walls([document])  # before anybody can see the row
    require_storage(actor.space_id)  # again, now that the row counts and others wait for it
    return document


def retry_document(actor: Actor, *, document_id: UUID) -> Document:
    """Read a document again, as a new attempt.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is being read already, a draft, or was refused by the virus scanner.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=document.pk)
        if document.is_draft:
            raise Conflict(
                _("“%(name)s” is a draft: publish it, and it is read.") % {"name": document.name}
            )
        if document.reason_code == INFECTED:
            raise Conflict(
                _("“%(name)s” is infected; upload a clean file in its place.")
                % {"name": document.name}
            )
        if document.state not in RETRYABLE_STATES:
            raise Conflict(_("“%(name)s” is being read already.") % {"name": document.name})
        read_again(document)
        _audit(actor, "document.retry", document)
    return document


def read_again(document: Document) -> None:
    """Begin a new attempt at a document; the caller has asked, and is in a transaction."""
    if document.job_id:
        cancel_job(document.job_id)
    document.attempt += 1
    document.state = DocumentState.PENDING
    document.reason_code = document.reason = ""
    document.save(update_fields=["attempt", "state", "reason_code", "reason", "updated_at"])
    start_reading(document)


def start_reading(document: Document) -> None:
    """Have the present attempt done: fetch what is not here, scan it, then read it."""
    if document.source == DocumentSource.URL and not document.content_hash:
        job = FETCH_DOCUMENT
    elif settings.CLAMD_ADDRESS:
        job = SCAN_DOCUMENT
        document.reason_code = UNSCANNED
        document.reason = gettext_noop("It waits for the virus scanner.")
    else:
        job = INGEST_DOCUMENT
        document.reason_code = document.reason = ""
    document.job_id = enqueue(job, document_id=str(document.pk), attempt=document.attempt)
    document.save(update_fields=["job_id", "reason_code", "reason"])


def set_password(actor: Actor, *, document_id: UUID, password: str) -> Document:
    """Keep what opens an encrypted file, and read it with that.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: it is blank or too long.
        Conflict: it is being read already.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    if not password or len(password) > 500:
        raise Invalid(_("Enter the password of the file, at most 500 characters."))
    with transaction.atomic():
        document.password = password
        document.save(update_fields=["password"])
        _audit(actor, "document.password", document)
        return retry_document(actor, document_id=document.pk)


def set_processing(actor: Actor, *, document_id: UUID, processing: Mapping[str, Any]) -> Document:
    """Set what is done differently with this document than its base has it.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    with transaction.atomic():
        document.processing = dict(processing)
        document.save(update_fields=["processing", "updated_at"])
        record_audit(actor, "document.settings", target=document, settings=sorted(processing))
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
            raise Conflict(
                _("“%(name)s” is not being read: there is nothing to stop.")
                % {"name": document.name}
            )
        document.state = DocumentState.CANCELLED
        document.reason_code, document.reason = "cancelled", gettext_noop("Stopped by a person.")
        document.save(update_fields=["state", "reason_code", "reason", "updated_at"])
        if document.job_id:
            cancel_job(document.job_id)
        _audit(actor, "document.cancel", document)
    return document


def delete_document(actor: Actor, *, document_id: UUID) -> None:
    """Take a document out of everybody's sight now; a job removes its rows and file.

    It does not go by way of the trash: `knowledge.organising.trash` is what people are offered.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    document = get_document(actor, document_id)
    require(actor, "delete", document)
    with transaction.atomic():
        remove_later(document)
        _audit(actor, "document.delete", document)


def check_size(stream: BinaryIO, name: str) -> int:
    """Return how many bytes the file has, if they are not too many.

    Raises:
        TooLarge: it is over `MAX_UPLOAD_BYTES`.
    """
    size = stream.seek(0, io.SEEK_END)
    if size > settings.MAX_UPLOAD_BYTES:
        limit = settings.MAX_UPLOAD_BYTES // 1_000_000
        raise TooLarge(
            _(
                "“%(name)s” has %(size)s MB; %(limit)s MB are the most. Split it, or ask your administrator to raise WEKNORA_MAX_UPLOAD_MB."
            )
            % {"name": name, "size": size // 1000000, "limit": limit}
        )
    return size


def _refuse_second_copy(
    actor: Actor, base: KnowledgeBase, file_name: FileName, stored: StoredFile
) -> None:
    """Refuse what is there already; a copy that the actor may not see is not told of."""
    same = visible(
        actor,
        "view",
        Document.objects.filter(
            base=base,
            content_hash=stored.content_hash,
            name=file_name.name,
            folder_path=file_name.folder_path,
        ),
    ).first()
    if same is not None:
        raise Conflict(
            _("“%(name)s” is already in this knowledge base, byte for byte.")
            % {"name": file_name.name},
            document_id=str(same.pk),
        )


def _audit(actor: Actor, action: str, document: Document) -> None:
    record_audit(actor, action, target=document, folder=document.folder_path)
