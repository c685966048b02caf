"""Texts that are written here, in Markdown: drafts that only editors see, and published ones."""

from __future__ import annotations

import io
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from accounts.services.quota import require_storage
from core.errors import Conflict, Invalid, TooLarge
from knowledge.constants import DocumentSource, DocumentState
from knowledge.models import Document
from knowledge.names import clean_file_name
from knowledge.organising.versions import replace_document
from knowledge.queries import get_document
from knowledge.services.documents import Origin, add_document, read_again
from knowledge.services.removal import release_file
from knowledge.storage import open_file, store_file

LONGEST_TEXT = 1_000_000
"""Characters of a text that somebody writes in a browser."""
_SUFFIX = ".md"


def write_text(
    actor: Actor,
    *,
    base_id: UUID,
    title: str,
    text: str,
    folder_path: str = "",
    publish: bool = True,
    source: DocumentSource = DocumentSource.MANUAL,
) -> Document:
    """Make a document of a text; as a draft it is kept and not indexed.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: title or text is blank.
        TooLarge, LimitReached: the text is too long, or the space has no room for it.
        Conflict: the base holds this very text under this title.
    """
    return add_document(
        actor,
        base_id=base_id,
        name=_name(title),
        content=_bytes(text),
        folder_path=folder_path,
        origin=Origin(source=source, is_draft=not publish),
    )


def read_text(actor: Actor, *, document_id: UUID) -> str:
    """Return the text of a document that was written here, as it was written.

    Raises:
        NotFound: there is none.
        Conflict: it is a file, which is not edited here.
    """
    document = _written(actor, document_id)
    with open_file(document.space_id, document.content_hash) as content:
        return content.read().decode("utf-8", "replace")


def rewrite_text(
    actor: Actor, *, document_id: UUID, title: str, text: str, publish: bool
) -> Document:
    """Change a text. A draft is overwritten; a published one gets a new version and is read again.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Invalid, TooLarge, LimitReached: as `write_text` has it.
        Conflict: it is no text that was written here, or it is being read.
    """
    document = _written(actor, document_id)
    require(actor, "change", document)
    if document.is_draft:
        document = _overwrite(actor, document, title=title, text=text)
        return publish_text(actor, document_id=document.pk) if publish else document
    if not publish:
        raise Conflict(
            _("It is published already: a change to it is published at once. Choose Publish.")
        )
    name, content = _name(title), _bytes(text)
    if name != document.name:
        document.name = name
        document.save(update_fields=["name", "updated_at"])
    return replace_document(actor, document_id=document.pk, name=name, content=content)


def publish_text(actor: Actor, *, document_id: UUID) -> Document:
    """Let everybody who sees the base find a draft: it is read and indexed.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Conflict: it is no draft.
    """
    require(actor, "change", get_document(actor, document_id))
    document = _written(actor, document_id)
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=document.pk)
        if not document.is_draft:
            raise Conflict(_("“%(name)s” is published already.") % {"name": document.name})
        document.is_draft = False
        document.save(update_fields=["is_draft"])
        read_again(document)
        record_audit(actor, "document.publish", target=document)
    return document


def is_written_here(document: Document) -> bool:
    """Whether the document is a text of this house, which people edit."""
    return document.source in (DocumentSource.MANUAL, DocumentSource.PASTE) and bool(
        document.name.endswith(_SUFFIX)
    )


def _written(actor: Actor, document_id: UUID) -> Document:
    document = get_document(actor, document_id)
    if not is_written_here(document):
        raise Conflict(
            _("“%(name)s” was not written here; upload a new version of the file.")
            % {"name": document.name}
        )
    return document


def _overwrite(actor: Actor, document: Document, *, title: str, text: str) -> Document:
    content = _bytes(text)
    require_storage(actor.space_id, more_bytes=max(0, len(content) - document.size_bytes))
    stored = store_file(document.space_id, io.BytesIO(content))
    space_id, before = document.space_id, document.content_hash
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=document.pk)
        if not document.is_draft or document.state == DocumentState.PROCESSING:
            raise Conflict(_("Somebody published it in the meantime; open it again."))
        document.name = _name(title)
        document.content_hash, document.size_bytes = stored.content_hash, stored.size_bytes
        document.save(update_fields=["name", "content_hash", "size_bytes", "updated_at"])
        record_audit(actor, "document.edit", target=document)
        release_file(space_id, before)
    return document


def _name(title: str) -> str:
    cleaned = " ".join(title.replace("/", " ").replace("\\", " ").split()).strip(". ")
    if not cleaned:
        raise Invalid(_("A text needs a title."))
    name = cleaned if cleaned.endswith(_SUFFIX) else f"{cleaned}{_SUFFIX}"
    return clean_file_name(name).name


def _bytes(text: str) -> bytes:
    plain = text.replace("\r\n", "\n").replace("\x00", "")
    if not plain.strip():
        raise Invalid(_("The text is empty; write something first."))
    if len(plain) > LONGEST_TEXT:
        raise TooLarge(
            _(
                "The text has %(n)s characters; at most %(most)s can be written here. Upload it as"
                " a file."
            )
            % {"n": f"{len(plain):,}", "most": f"{LONGEST_TEXT:,}"}
        )
    return plain.encode("utf-8", "replace")
