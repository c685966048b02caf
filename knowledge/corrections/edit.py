"""Use cases of correcting a passage: edit, switch off and on, go back.

Only that passage is embedded and indexed again; its section is patched. Evidence of earlier answers
keeps what was shown then.
"""

from __future__ import annotations

import re
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound, TooLarge
from core.jobs.enqueue import enqueue
from knowledge.constants import ChunkKind, CorrectionState, RevisionKind
from knowledge.corrections.jobs import EMBED_CORRECTED
from knowledge.corrections.rows import (
    add_revision,
    around_of,
    context_of,
    correction_of,
    detail_with,
    hash_of,
    read_text,
)
from knowledge.corrections.sections import patch_section
from knowledge.enrich.summary import refresh_summary_soon
from knowledge.graph.enrichment import refresh_graph_soon
from knowledge.ingest.index import index_some
from knowledge.models import Chunk, Correction, CorrectionRevision, Document, Embedding
from knowledge.queries import get_chunk
from knowledge.text.pictures import picture_id, references_of

MOST_BYTES = 200_000
_PICTURES = re.compile(
    r"!\[[^\]]*\]\(\s*<?([^)\s>]+)|<img\b[^>]*?\bsrc\s*=\s*[\"']?([^\"'\s>]+)", re.I
)


def edit_chunk(actor: Actor, *, chunk_id: UUID, version: int, text: str) -> Chunk:
    """Let a passage say another text; returns it with its new version.

    The same text again only has it indexed again.

    Args:
        actor: who edits.
        chunk_id: the passage.
        version: the one that they saw.
        text: what it is to say.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the passage.
        Invalid: the text is blank, or shows a picture that the passage does not have.
        TooLarge: it is over `MOST_BYTES`.
        Conflict: somebody else changed the passage meanwhile; `data` has its `version` now.
    """
    cleaned = clean_text(text)
    with transaction.atomic():
        chunk = locked_chunk(actor, chunk_id=chunk_id, version=version)
        _refuse_new_pictures(chunk, cleaned)
        write_chunk(actor, chunk, text=cleaned, is_enabled=chunk.is_enabled, kind=RevisionKind.EDIT)
    return chunk


def set_enabled(actor: Actor, *, chunk_id: UUID, is_enabled: bool) -> Chunk:
    """Say whether a passage, and what was made of it, may be found.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the passage.
    """
    with transaction.atomic():
        chunk = locked_chunk(actor, chunk_id=chunk_id, version=None)
        if chunk.is_enabled != is_enabled:
            write_chunk(
                actor, chunk, text=chunk.text, is_enabled=is_enabled, kind=RevisionKind.EDIT
            )
    return chunk


def revert_chunk(actor: Actor, *, chunk_id: UUID, version: int, number: int) -> Chunk:
    """Let a passage say again what it said in a revision; 0 is what was read. A new revision.

    Raises:
        NotFound, AccessDenied: as `require` has it; or there is no such revision.
        Conflict: somebody else changed the passage meanwhile; `data` has its `version` now.
    """
    with transaction.atomic():
        chunk = locked_chunk(actor, chunk_id=chunk_id, version=version)
        text, is_enabled = read_text(chunk), True
        if number:
            revision = _revision(chunk, number)
            text, is_enabled = revision.text, revision.is_enabled
        write_chunk(actor, chunk, text=text, is_enabled=is_enabled, kind=RevisionKind.REVERT)
    return chunk


def clean_text(text: str) -> str:
    """Return the text as it is kept.

    Raises:
        Invalid: it is blank.
        TooLarge: it is over `MOST_BYTES`.
    """
    cleaned = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if not cleaned:
        raise Invalid(
            _("The passage would be empty. Switch it off instead if it is not to be found.")
        )
    size = len(cleaned.encode())
    if size > MOST_BYTES:
        raise TooLarge(
            _("The text has %(size)s bytes; it may have at most %(most)s.")
            % {"size": f"{size:,}", "most": f"{MOST_BYTES:,}"}
        )
    return cleaned


def locked_chunk(actor: Actor, *, chunk_id: UUID, version: int | None) -> Chunk:
    """Return a passage to be changed, locked with its document until the transaction ends.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the passage.
        Invalid: it is none that people correct.
        Conflict: it has another version than the one seen.
    """
    found = get_chunk(actor, chunk_id)
    require(actor, "change", found)
    if found.kind != ChunkKind.TEXT:
        raise Invalid(_("Only passages of the document's own text are corrected here."))
    # A reading that ends now holds this lock while it puts corrections in their places.
    document = Document.objects.select_for_update().get(pk=found.document_id)
    chunk = Chunk.objects.select_for_update(of=("self",)).filter(pk=chunk_id).first()
    if chunk is None:
        raise NotFound(_("The passage is gone: the document was read again in the meantime."))
    chunk.document = document
    if version is not None and version != chunk.version:
        raise Conflict(
            _("Somebody else changed this passage while you were editing."), version=chunk.version
        )
    return chunk


def write_chunk(
    actor: Actor, chunk: Chunk, *, text: str, is_enabled: bool, kind: RevisionKind
) -> Correction | None:
    """Write a passage and its correction; the caller holds the locks of `locked_chunk`."""
    read, was = read_text(chunk), chunk.text
    if text == was and is_enabled == chunk.is_enabled:
        _index_again(chunk)
        return None
    chunk.text, chunk.content_hash = text, hash_of(text)
    chunk.is_enabled, chunk.version = is_enabled, chunk.version + 1
    chunk.detail = detail_with(chunk, read=read, around=around_of(chunk))
    chunk.save(update_fields=["text", "content_hash", "is_enabled", "version", "detail"])
    correction = _say(actor, chunk, read=read, kind=kind)
    if text != was:
        Embedding.objects.filter(chunk=chunk).delete()
        _index_again(chunk)
        patch_section(chunk)
        _follow_pictures(chunk)
    refresh_summary_soon(chunk.document)
    refresh_graph_soon(chunk.document)
    record_audit(
        actor,
        "chunk.edit" if text != was else "chunk.enable" if is_enabled else "chunk.disable",
        target=chunk.document,
        passage=chunk.position + 1,
        chunk=str(chunk.pk),
        kind=kind.value,
    )
    return correction


def _say(actor: Actor, chunk: Chunk, *, read: str, kind: RevisionKind) -> Correction:
    """Write the correction that the passage now has; back to what was read it is withdrawn."""
    row = correction_of(chunk.pk) or Correction(
        space_id=chunk.space_id, document_id=chunk.document_id
    )
    is_none = chunk.text == read and chunk.is_enabled
    row.state = CorrectionState.WITHDRAWN if is_none else CorrectionState.APPLIED
    row.chunk, row.original_text = chunk, read
    row.text, row.is_enabled = chunk.text, chunk.is_enabled
    row.before, row.after = context_of(chunk)
    row.heading_path, row.page = list(chunk.heading_path), chunk.page_from
    row.updated_by_id = actor.user_id
    row.save()
    add_revision(row, kind=kind, author_id=actor.user_id)
    return row


def _revision(chunk: Chunk, number: int) -> CorrectionRevision:
    row = correction_of(chunk.pk)
    found = row.revisions.filter(number=number).first() if row else None
    if found is None:
        raise NotFound(_("There is no such revision of this passage."))
    return found


def _index_again(chunk: Chunk) -> None:
    """Have keywords at once and the vector soon; until then it is found by its words."""
    index_some(chunk.document, chunk_ids=[chunk.pk])
    enqueue(EMBED_CORRECTED, dedupe_key=str(chunk.document_id), document_id=str(chunk.document_id))


def _follow_pictures(chunk: Chunk) -> None:
    """Let what was made of a picture be found only while the passage shows the picture."""
    made = Chunk.objects.filter(parent=chunk, picture__isnull=False)
    shown = {picture_id(chunk.document_id, each.key) for each in references_of(chunk.text)}
    made.update(is_enabled=False)
    made.filter(picture_id__in=shown).update(is_enabled=True)


def _refuse_new_pictures(chunk: Chunk, text: str) -> None:
    known = _pictures(chunk.text) | _pictures(read_text(chunk))
    new = sorted(_pictures(text) - known)
    if new:
        raise Invalid(
            _("The passage has no picture “%(picture)s”. Pictures come from the file alone.")
            % {"picture": new[0][:80]}
        )


def _pictures(text: str) -> set[str]:
    return {one or other for one, other in _PICTURES.findall(text)}
