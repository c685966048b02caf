"""Documents go from one base to another: moved with all that hangs on them, or copied.

Vectors are used again where both bases compare vectors of the same model. A copy is read like any
new document; that it finds its passages with their vectors already there makes this cheap.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from accounts.services.quota import require_storage
from core.errors import Conflict, Invalid
from knowledge.access.fit import lock_base, raise_walls
from knowledge.constants import OPEN_STATES, BaseKind, ChunkKind, DocumentState
from knowledge.corrections.copying import copy_corrections
from knowledge.graph.enrichment import refresh_graph_soon
from knowledge.graph.storing import forget_document
from knowledge.ingest.index import index_chunks, lock_base as lock_index, unindex_document
from knowledge.models import (
    Chunk,
    Document,
    DocumentTag,
    Embedding,
    EvidenceRow,
    KnowledgeBase,
    Restriction,
    Tag,
)
from knowledge.organising.bulk import BulkResult, Refused, Selection, selected
from knowledge.queries import get_base
from knowledge.reembedding.soon import catch_up_soon
from knowledge.services.documents import read_again, start_reading

MOST_AT_ONCE = 200
"""Documents of one request: more are moved folder by folder."""


def move_to_base(
    actor: Actor, selection: Selection, *, target_id: UUID, folder_path: str | None = None
) -> BulkResult:
    """Move documents to another base of the space, with tags, corrections and their restrictions.

    From then on they are as open as the other base. With `folder_path` None each keeps its folder.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing both bases.
        Invalid: nothing or too much was chosen, or the bases are the same or of different kinds.
    """
    source, target = _both(actor, selection, target_id)
    documents = _few(selected(actor, selection))
    done: list[UUID] = []
    refused: list[Refused] = []
    for document in documents:
        try:
            with transaction.atomic():
                _move(actor, document, source, target, folder_path)
        except Conflict as reason:
            refused.append(Refused(name=document.name, reason=reason.message))
        else:
            done.append(document.pk)
    return BulkResult(done=tuple(done), refused=tuple(refused))


def copy_to_base(
    actor: Actor, selection: Selection, *, target_id: UUID, folder_path: str | None = None
) -> BulkResult:
    """Copy documents to another base of the space, with tags and own fields.

    What restricts a document itself is not copied: who copies it decides who reads the copy, and
    must be one who passes the restriction.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing the other base.
        Invalid: nothing or too much was chosen, or the bases are of different kinds.
        LimitReached: the space has no room for them.
    """
    target = _both(actor, selection, target_id)[1]
    documents = _few(selected(actor, selection))
    require_storage(actor.space_id, more_bytes=sum(each.size_bytes for each in documents))
    done: list[UUID] = []
    refused: list[Refused] = []
    for document in documents:
        if not document.content_hash:
            refused.append(Refused(name=document.name, reason=_("There is no file of it yet.")))
            continue
        with transaction.atomic():
            done.append(copy_document(actor, document, target, folder_path=folder_path).pk)
    return BulkResult(done=tuple(done), refused=tuple(refused))


def _both(
    actor: Actor, selection: Selection, target_id: UUID
) -> tuple[KnowledgeBase, KnowledgeBase]:
    source, target = get_base(actor, selection.base_id), get_base(actor, target_id)
    require(actor, "edit", source)
    require(actor, "edit", target)
    if source.pk == target.pk:
        raise Invalid(_("The documents are in this knowledge base already; choose another."))
    if target.kind != BaseKind.DOCUMENT:
        raise Invalid(
            _("A knowledge base of questions and answers holds no documents; choose another.")
        )
    return source, target


def _few(documents: list[Document]) -> list[Document]:
    if len(documents) > MOST_AT_ONCE:
        raise Invalid(
            _("These are %(number)s documents; choose at most %(most)s at a time.")
            % {"number": f"{len(documents):,}", "most": MOST_AT_ONCE}
        )
    return documents


def _move(
    actor: Actor,
    document: Document,
    source: KnowledgeBase,
    target: KnowledgeBase,
    folder_path: str | None,
) -> None:
    both = sorted((source.pk, target.pk))  # one order for all, so that none waits for ever
    for base_id in both:
        lock_index(base_id)
    for base_id in both:
        lock_base(base_id)
    for base in (source, target):  # their embedding models may have been switched meanwhile
        base.refresh_from_db(fields=["embedding_model", "embedding_identity"])
    document = Document.objects.select_for_update().get(pk=document.pk)
    require(actor, "change", document)
    if document.state in OPEN_STATES and not document.is_draft:
        raise Conflict(_("It is being read; stop it first, or wait."))
    if document.parent_id or document.members.exists():
        raise Conflict(_("It is one of several parts of a file, which stay together."))
    _keep_restrictions_above(document)
    was_searchable = document.searchable_at
    unindex_document(document)
    forget_document(document)
    _carry_tags([document], document, target)
    document.base = target
    document.folder_path = document.folder_path if folder_path is None else folder_path
    document.searchable_at = was_searchable
    document.save(update_fields=["base", "folder_path", "searchable_at", "updated_at"])
    Chunk.objects.filter(document=document).update(base=target)
    EvidenceRow.objects.filter(document_id=document.pk).update(base_id=target.pk)
    Restriction.objects.filter(document=document).update(base=target)
    raise_walls([document])
    _carry_vectors(document, source, target)
    refresh_graph_soon(document)
    record_audit(actor, "document.carry", target=document, old=str(source.pk), new=str(target.pk))
    record_audit(actor, "document.carry", target=source, base_id=source.pk, document=document.name)


def _keep_restrictions_above(document: Document) -> None:
    """Refuse what would open a document that a folder of its base restricts."""
    if document.walls.filter(restriction__document__isnull=True).exists():
        raise Conflict(
            _(
                "A folder above it is restricted, which would no longer hold. Restrict the document"
                " itself and take it out of the folder first."
            )
        )


def _carry_vectors(document: Document, source: KnowledgeBase, target: KnowledgeBase) -> None:
    rows = Embedding.objects.filter(chunk__document=document)
    if _same_vectors(source, target):
        # Of a change of the old base's model; a change of the new one makes its own.
        rows.exclude(identity=source.embedding_identity).delete()
        rows.update(base=target)
        KnowledgeBase.objects.filter(pk=target.pk, embedding_identity="").update(
            embedding_identity=source.embedding_identity
        )
        if document.searchable_at is not None:
            index_chunks(document)
        catch_up_soon(target.pk, embedded_with=source.embedding_identity)
        return
    rows.delete()
    Document.objects.filter(pk=document.pk).update(searchable_at=None)
    if document.state == DocumentState.COMPLETED:
        document.refresh_from_db()
        read_again(document)


def _same_vectors(source: KnowledgeBase, target: KnowledgeBase) -> bool:
    if source.embedding_model_id != target.embedding_model_id:
        return False
    return target.embedding_identity in ("", source.embedding_identity)


def copy_document(
    actor: Actor,
    document: Document,
    target: KnowledgeBase,
    *,
    folder_path: str | None = None,
    batch_id: UUID | None = None,
) -> Document:
    """Copy one document and have the copy read; the caller has asked, and is in a transaction."""
    lock_base(target.pk)
    made = Document.objects.create(
        space_id=document.space_id,
        base=target,
        name=document.name,
        folder_path=document.folder_path if folder_path is None else folder_path,
        size_bytes=document.size_bytes,
        content_hash=document.content_hash,
        source=document.source,
        source_url=document.source_url,
        is_draft=document.is_draft,
        password=document.password,
        processing=document.processing,
        metadata=document.metadata,
        owner_id=document.owner_id,
        review_by=document.review_by,
        batch_id=batch_id,
        uploaded_by_id=actor.user_id,
    )
    raise_walls([made])
    _carry_tags([made], document, target)
    if _same_vectors(document.base, target):
        _copy_passages(document, made)
    copy_corrections(document, made)
    if not made.is_draft:
        start_reading(made)
    record_audit(actor, "document.copy", target=made, old=str(document.base_id))
    return made


def _copy_passages(document: Document, made: Document) -> None:
    """Give the copy the passages and vectors that its reading would make again."""
    rows = Chunk.objects.filter(document=document, kind=ChunkKind.TEXT, parent__isnull=True)
    for chunk in rows.prefetch_related("embeddings"):
        identity = document.base.embedding_identity
        vectors = [each for each in chunk.embeddings.all() if each.identity == identity]
        twin = Chunk.objects.get(pk=chunk.pk)
        twin.pk, twin.document, twin.base, twin.picture = None, made, made.base, None
        twin._state.adding = True
        twin.save(force_insert=True)
        for vector in vectors:
            vector.pk, vector.chunk, vector.base = None, twin, made.base
            vector._state.adding = True
            vector.save(force_insert=True)


def _carry_tags(documents: Iterable[Document], old: Document, target: KnowledgeBase) -> None:
    """Put tags of the same names on the documents, made in the other base where they lack."""
    held = list(DocumentTag.objects.filter(document=old).select_related("tag"))
    known = {tag.name.casefold(): tag for tag in Tag.objects.filter(base=target)}
    for document in documents:
        if document.pk == old.pk:
            DocumentTag.objects.filter(document=old).delete()
        for row in held:
            tag = known.get(row.tag.name.casefold()) or Tag.objects.create(
                space_id=target.space_id,
                base=target,
                name=row.tag.name,
                color=row.tag.color,
                position=len(known),
            )
            known[tag.name.casefold()] = tag
            DocumentTag.objects.create(
                space_id=target.space_id, document=document, tag=tag, confidence=row.confidence
            )
