"""What changes a page, or whether there is a wiki, changes what is searched."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver

from core.jobs.enqueue import enqueue
from core.tenancy import space_scope
from knowledge.constants import DocumentSource
from knowledge.models import Document
from knowledge.signals import document_indexed, document_removed
from knowledge.sources.made import register_home
from wiki.constants import PageStatus
from wiki.models import WikiPage, WikiSettings
from wiki.search.documents import address_of, settle_basis
from wiki.search.jobs import SEARCH_PAGE, SEARCH_WIKI
from wiki.signals import page_removed, page_written


@receiver(page_written, dispatch_uid="wiki.search.written")
@receiver(page_removed, dispatch_uid="wiki.search.removed")
def page_changed(*, page_id: UUID, **_more: Any) -> None:
    """Have a job bring what is searched up to date; one that waits already does it."""
    enqueue(SEARCH_PAGE, dedupe_key=str(page_id), page_id=str(page_id))


@receiver(post_save, sender=WikiSettings, dispatch_uid="wiki.search.settings")
def settings_changed(*, instance: WikiSettings, **_more: Any) -> None:
    """Take the pages of a wiki that was switched off out of searches, or put them back."""
    pages = WikiPage.objects.filter(base_id=instance.base_id)
    if pages.filter(document__isnull=instance.is_enabled).exists():
        base_id, space_id = str(instance.base_id), instance.space_id

        def begin() -> None:
            with space_scope(space_id):
                enqueue(SEARCH_WIKI, dedupe_key=base_id, base_id=base_id)

        transaction.on_commit(begin)


@receiver(document_indexed, dispatch_uid="wiki.search.indexed")
def document_is_indexed(*, document_id: UUID, **_more: Any) -> None:
    """Once a page's present text is what is found, who finds it follows from that alone."""
    rows = Document.objects.filter(pk=document_id, source=DocumentSource.WIKI)
    document = rows.first()
    if document is not None:
        settle_basis(document)


@receiver(document_removed, dispatch_uid="wiki.search.document_removed")
def document_is_removed(*, base_id: UUID, **_more: Any) -> None:
    """Have pages found again that lost their document with another: to an erasure, or its walls."""
    pages = WikiPage.objects.filter(
        base_id=base_id,
        base__wiki__is_enabled=True,
        base__deleted_at__isnull=True,
        document__isnull=True,
        status=PageStatus.PUBLISHED,
        trashed_at__isnull=True,
    )
    for page_id in pages.values_list("pk", flat=True):
        enqueue(SEARCH_PAGE, dedupe_key=str(page_id), page_id=str(page_id))


register_home(DocumentSource.WIKI, address_of)
