"""Use cases of tags: make, change, order, delete, put on documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from knowledge.models import Document, DocumentTag, KnowledgeBase, Tag
from knowledge.queries import get_base, get_document

COLORS = ("", "accent", "info", "ok", "warn", "bad")
"""Names of the palette; blank is grey."""
MOST_TAGS = 500
"""Of one base: more are not kept apart by anybody."""


def list_tags(actor: Actor, base_id: UUID) -> QuerySet[Tag]:
    """Return the tags of a base in their order, with `document_total` as far as seen."""
    seen = visible(actor, "view", Document.objects.filter(base_id=base_id)).values("pk")
    counted = Count("document_rows", filter=Q(document_rows__document__in=seen))
    rows = Tag.objects.filter(base_id=base_id).annotate(document_total=counted)
    return visible(actor, "view", rows)


def create_tag(actor: Actor, *, base_id: UUID, name: str, color: str = "") -> Tag:
    """Make a tag, last in the order.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Invalid: it has no name, or a color that is none of ours, or there are too many.
        Conflict: the base has a tag of this name, whatever its case.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    known = Tag.objects.filter(base=base).aggregate(number=Count("pk"), last=Max("position"))
    if known["number"] >= MOST_TAGS:
        raise Invalid(
            _("A knowledge base has at most %(most)s tags; delete some that nobody uses.")
            % {"most": MOST_TAGS}
        )
    tag = Tag(
        space_id=base.space_id,
        base=base,
        name=_clean_name(name),
        color=_clean_color(color),
        position=0 if known["last"] is None else known["last"] + 1,
    )
    _save(actor, "tag.create", tag)
    return tag


def change_tag(actor: Actor, *, tag_id: int, name: str, color: str) -> Tag:
    """Give a tag another name and color.

    Raises:
        NotFound, AccessDenied, Invalid, Conflict: as `create_tag` has it.
    """
    tag = _own_tag(actor, tag_id)
    tag.name, tag.color = _clean_name(name), _clean_color(color)
    _save(actor, "tag.change", tag)
    return tag


def order_tags(actor: Actor, *, base_id: UUID, tag_ids: Sequence[int]) -> None:
    """Bring the tags of a base into this order; those not named come behind, as they were.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    base = get_base(actor, base_id)
    require(actor, "edit", base)
    with transaction.atomic():
        rows = list(Tag.objects.select_for_update().filter(base=base))
        place = {pk: number for number, pk in enumerate(tag_ids)}
        rows.sort(key=lambda row: (place.get(row.pk, len(place)), row.position))
        for position, row in enumerate(rows):
            row.position = position
        Tag.objects.bulk_update(rows, ["position"])
        record_audit(actor, "tag.order", target=base, base_id=base.pk)


def delete_tag(actor: Actor, *, tag_id: int) -> int:
    """Delete a tag and take it off all documents; returns off how many.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    tag = _own_tag(actor, tag_id)
    with transaction.atomic():
        number = DocumentTag.objects.filter(tag=tag).count()
        base = tag.base
        record_audit(
            actor, "tag.delete", target=base, base_id=base.pk, tag=tag.name, documents=number
        )
        tag.delete()
    return number


def set_document_tags(actor: Actor, *, document_id: UUID, tag_ids: Iterable[int]) -> None:
    """Let a document have exactly these tags; those a model put on and a person keeps are theirs.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Invalid: a tag is not one of its base.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    wanted = tags_of_base(document.base, tag_ids)
    with transaction.atomic():
        rows = DocumentTag.objects.filter(document=document)
        rows.exclude(tag__in=wanted).delete()
        rows.update(confidence=None)
        put_tags([document], wanted)
        names = sorted(tag.name for tag in wanted)
        record_audit(actor, "document.tag", target=document, tags=names)


def put_tags(documents: Iterable[Document], tags: Sequence[Tag]) -> None:
    """Put the tags on the documents; one that has them keeps its row."""
    DocumentTag.objects.bulk_create(
        [
            DocumentTag(space_id=document.space_id, document=document, tag=tag)
            for document in documents
            for tag in tags
        ],
        batch_size=1_000,
        ignore_conflicts=True,
    )


def tags_of_base(base: KnowledgeBase, tag_ids: Iterable[int]) -> list[Tag]:
    """Return these tags of the base.

    Raises:
        Invalid: one is not of this base.
    """
    wanted = set(tag_ids)
    found = list(Tag.objects.filter(base=base, pk__in=wanted))
    if len(found) != len(wanted):
        raise Invalid(_("A chosen tag is not one of this knowledge base any more; choose again."))
    return found


def _own_tag(actor: Actor, tag_id: int) -> Tag:
    rows = Tag.objects.filter(pk=tag_id).select_related("base")
    tag = visible(actor, "view", rows).first()
    if tag is None:
        raise NotFound(_("There is no such tag."))
    require(actor, "change", tag)
    return tag


def _clean_name(name: str) -> str:
    cleaned = " ".join(name.replace("\x00", "").split())
    if not 1 <= len(cleaned) <= 64:
        raise Invalid(_("A tag has a name of 1 to 64 characters."))
    return cleaned


def _clean_color(color: str) -> str:
    if color not in COLORS:
        raise Invalid(
            _("“%(color)s” is not a color of tags; choose one from the list.") % {"color": color}
        )
    return color


def _save(actor: Actor, action: str, tag: Tag) -> None:
    base = tag.base
    try:
        with transaction.atomic():
            tag.save()
            record_audit(actor, action, target=base, base_id=base.pk, tag=tag.name)
    except IntegrityError as error:
        raise Conflict(
            _("“%(name)s” is already a tag of this knowledge base.") % {"name": tag.name}
        ) from error
