"""Documents that were read or removed go to the queue of building; published proposals to the tidying."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.dispatch import receiver

from knowledge.models import Document, EvidenceRow, KnowledgeBase
from knowledge.signals import document_indexed, document_removed
from wiki.build.queue import put_operation
from wiki.build.reading import is_of_a_page
from wiki.build.working import tidy_soon
from wiki.constants import AuthorKind, BuildMode, ChangeState, OperationKind
from wiki.models import WikiChange, WikiPage, WikiSettings
from wiki.signals import change_moved


@receiver(document_indexed)
def build_in_later(document_id: UUID, **_: Any) -> None:
    """Let a document wait for building, where that happens by itself."""
    document = Document.objects.filter(pk=document_id).select_related("base").first()
    if document is None or is_of_a_page(document):
        return
    settings = WikiSettings.objects.filter(base_id=document.base_id, is_enabled=True).first()
    if settings is not None and settings.build_mode == BuildMode.AUTOMATIC:
        put_operation(document.base, document.pk, OperationKind.INGEST, name=document.name)


@receiver(document_removed)
def take_out_later(document_id: UUID, base_id: UUID, **_: Any) -> None:
    """Let what rests on a removed document be taken out, however building is begun otherwise."""
    base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=True).first()
    if base is None or not WikiSettings.objects.filter(base_id=base_id, is_enabled=True).exists():
        return
    row = EvidenceRow.objects.filter(document_id=document_id).first()
    is_cited = EvidenceRow.objects.filter(
        document_id=document_id,
        origin_id__in=WikiPage.objects.filter(base_id=base_id).values("pk"),
    ).exists()
    is_proposed = EvidenceRow.objects.filter(
        document_id=document_id,
        origin_id__in=WikiChange.objects.filter(base_id=base_id).values("pk"),
    ).exists()
    if is_cited or is_proposed:
        name = row.document_name if row else ""
        put_operation(base, document_id, OperationKind.RETRACT, name=name)


@receiver(change_moved)
def tidy_later(change_id: UUID, **_: Any) -> None:
    """Have links and the index looked at when a proposal of building was published."""
    change = WikiChange.objects.filter(pk=change_id, state=ChangeState.PUBLISHED).first()
    if change is not None and change.author_kind == AuthorKind.PIPELINE:
        tidy_soon(change.base_id)
