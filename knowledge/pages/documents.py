"""Contexts of a document's pages: its head, its tabs, what stands about it."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from accounts.access import Actor, may
from accounts.constants import MembershipState
from accounts.models import Membership
from knowledge.access.queries import restricted_ids
from knowledge.models import Document
from knowledge.organising.details import MOST_FIELDS
from knowledge.organising.tags import list_tags
from knowledge.pages.health import strip_context
from knowledge.pages.labels import document_facts
from knowledge.pages.rows import row_of
from knowledge.sources.manual import is_written_here

SPARE_FIELDS = 3


def document_head(actor: Actor, document: Document, *, tab: str) -> dict[str, Any]:
    """Return what `_document_head.html` and `_document_tabs.html` take."""
    row = row_of(
        document,
        may_change=may(actor, "change", document),
        is_restricted=bool(restricted_ids([document.pk])),
    )
    may_share = may(actor, "share", document.base)
    return {
        "base": document.base,
        "document": row,
        "facts": document_facts(document),
        "is_busy": row.is_busy,
        "tab": tab,
        "tags": [each.tag for each in document.tag_rows.select_related("tag")],
        "summary": document.summary,
        "owner": str(document.owner) if document.owner else "",
        "review_by": document.review_by,
        "source_url": document.source_url,
        "file_url": reverse("document_file", args=[document.pk]) if document.content_hash else "",
        "access_url": reverse("document_access", args=[document.pk]) if may_share else "",
        "text_url": _text_url(document) if row.can_delete else "",
        "may_change": row.can_delete,
        "may_share": may_share,
        "is_draft": document.is_draft,
        **strip_context(actor, document.pk),
    }


def details_context(actor: Actor, document: Document) -> dict[str, Any]:
    """Return what `document_details.html` takes beside the head."""
    held = {row.tag_id for row in document.tag_rows.all()}
    rows = [{"key": key, "value": shown_value(value)} for key, value in document.metadata.items()]
    spare = min(SPARE_FIELDS, MOST_FIELDS - len(rows))
    return {
        **document_head(actor, document, tab="details"),
        "choices": [
            {"id": tag.pk, "name": tag.name, "color": tag.color, "is_chosen": tag.pk in held}
            for tag in list_tags(actor, document.base_id)
        ],
        "people": _people(document),
        "owner_id": document.owner_id,
        "fields": [*rows, *({"key": "", "value": ""} for _ in range(spare))],
    }


def shown_value(value: object) -> str:
    """Return a field's value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _people(document: Document) -> list[tuple[int, str]]:
    rows = Membership.objects.filter(
        space_id=document.space_id, state=MembershipState.ACTIVE, user__is_active=True
    ).select_related("user")
    return sorted(((row.user_id, str(row.user)) for row in rows), key=lambda pair: pair[1])


def _text_url(document: Document) -> str:
    return reverse("document_text", args=[document.pk]) if is_written_here(document) else ""
