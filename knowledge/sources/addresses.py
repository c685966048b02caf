"""Use cases of documents that come from a web address: add one, fetch it again."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from accounts.services.quota import require_storage
from core.addresses import AddressRefused
from core.dialling import check_outgoing
from core.errors import Conflict, Invalid
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobContext
from knowledge.access.fit import lock_base
from knowledge.constants import OPEN_STATES, DocumentSource, DocumentState
from knowledge.models import Document
from knowledge.names import FileName, clean_file_name
from knowledge.organising.versions import remember_version
from knowledge.queries import get_base, get_document
from knowledge.services.documents import Origin, make_row, start_reading
from knowledge.sources.jobs import FETCH_DOCUMENT
from knowledge.sources.url import (
    NothingThere,
    WebFile,
    as_stream,
    clean_url,
    fetch_file,
    name_of_url,
)
from knowledge.storage import StoredFile, store_file

NOTHING_YET = StoredFile(content_hash="", size_bytes=0)


def add_address(actor: Actor, *, base_id: UUID, url: str, folder_path: str = "") -> Document:
    """Add what is at a web address; a job fetches it.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: it is no address that can be fetched from here.
        Conflict: the base has a document of this address; `data` has its `document_id`.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    cleaned = clean_url(url)
    try:
        check_outgoing(cleaned)
    except AddressRefused as refusal:
        raise Invalid(refusal.message) from refusal
    name = clean_file_name(name_of_url(cleaned), folder_path=folder_path)
    with transaction.atomic():
        lock_base(base.pk)
        _refuse_second(actor, base.pk, cleaned)
        document = make_row(
            actor,
            base,
            FileName(name=name.name, folder_path=name.folder_path),
            NOTHING_YET,
            origin=Origin(source=DocumentSource.URL, url=cleaned),
        )
        start_reading(document)
        record_audit(actor, "document.create", target=document, folder=document.folder_path)
    return document


def fetch_again(actor: Actor, *, document_id: UUID) -> Document:
    """Fetch a document's address again; what is new there becomes a new version.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Conflict: it has no address, or is being read.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    if document.source != DocumentSource.URL:
        raise Conflict(_("“%(name)s” did not come from a web address.") % {"name": document.name})
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=document.pk)
        if document.state in OPEN_STATES:
            raise Conflict(_("“%(name)s” is being read already.") % {"name": document.name})
        document.attempt += 1
        document.state = DocumentState.PENDING
        document.reason_code = document.reason = ""
        document.job_id = enqueue(
            FETCH_DOCUMENT, document_id=str(document.pk), attempt=document.attempt
        )
        document.save(update_fields=["attempt", "state", "reason_code", "reason", "job_id"])
        record_audit(actor, "document.fetch", target=document)
    return document


def fetch_document(context: JobContext, *, document_id: UUID, attempt: int) -> None:
    """Fetch what is at the address of a document, and have it read.

    Raises:
        ServiceFailed: the address does not answer; says whether to retry.
    """
    rows = Document.objects.filter(pk=document_id, attempt=attempt, state__in=OPEN_STATES)
    document = rows.first()
    if document is None:
        return
    try:
        file = fetch_file(document.source_url)
    except NothingThere as nothing:
        rows.update(**_end(nothing.code, nothing.reason))
        return
    except AddressRefused as refusal:
        rows.update(**_end("not_open", refusal.message))
        return
    context.check()
    stored = store_file(document.space_id, as_stream(file))
    with transaction.atomic():
        context.check_lease()
        document = rows.select_for_update().first()
        if document is not None:
            _keep(document, file, stored)


def _keep(document: Document, file: WebFile, stored: StoredFile) -> None:
    """Make what was fetched the document's file; another one than before is a new version."""
    if stored.content_hash != document.content_hash:
        is_first = not document.content_hash
        if is_first:
            document.name = clean_file_name(file.name).name
        else:
            remember_version(document, user_id=document.uploaded_by_id)
            document.version += 1
        document.content_hash, document.size_bytes = stored.content_hash, stored.size_bytes
        document.file_type = ""
        document.save(update_fields=["name", "content_hash", "size_bytes", "file_type", "version"])
        require_storage(document.space_id)
        if not is_first:
            remember_version(document, user_id=document.uploaded_by_id)
    start_reading(document)


def _end(code: str, reason: str) -> dict[str, object]:
    state = DocumentState.FAILED if code in ("not_there", "not_open") else DocumentState.REFUSED
    return {
        "state": state,
        "reason_code": code,
        "reason": reason,
        "updated_at": timezone.now(),
    }


def _refuse_second(actor: Actor, base_id: UUID, url: str) -> None:
    same = visible(
        actor,
        "view",
        Document.objects.filter(base_id=base_id, source=DocumentSource.URL, source_url=url),
    ).first()
    if same is not None:
        raise Conflict(
            _("This address is already a document of the knowledge base; fetch it again there."),
            document_id=str(same.pk),
        )
