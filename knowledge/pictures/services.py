"""Use cases of pictures: open one, describe one."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Invalid, NotFound
from knowledge.constants import DocumentState
from knowledge.enrich.plan import enqueue_enrichment
from knowledge.models import DocumentPicture
from knowledge.pictures.enrichment import ENRICHMENT
from knowledge.pictures.passages import place_texts
from knowledge.pictures.reading import LONGEST_CAPTION


def get_picture(actor: Actor, picture_id: UUID) -> DocumentPicture:
    """Return one picture with its document.

    Raises:
        NotFound: there is none, or the actor may not see its document.
    """
    rows = DocumentPicture.objects.filter(pk=picture_id).select_related("document__base")
    picture = visible(actor, "view", rows).first()
    if picture is None:
        raise NotFound(_("There is no such picture."))
    return picture


def describe_picture(actor: Actor, *, picture_id: UUID, caption: str) -> DocumentPicture:
    """Keep a person's description of a picture: found by its words now, by its meaning soon.

    No model overwrites it. A blank one takes the description away.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Invalid: it is too long.
    """
    picture = get_picture(actor, picture_id)
    require(actor, "change", picture)
    caption = " ".join(caption.split())
    if len(caption) > LONGEST_CAPTION:
        raise Invalid(
            _("A description has at most %(most)s characters; this one has %(count)s.")
            % {"most": LONGEST_CAPTION, "count": len(caption)}
        )
    document = picture.document
    with transaction.atomic():
        picture.caption, picture.caption_is_edited = caption, True
        picture.save(update_fields=["caption", "caption_is_edited"])
        place_texts(document, picture_ids=[picture.pk])
        record_audit(actor, "document.describe_picture", target=document, picture=str(picture.pk))
        if document.state == DocumentState.COMPLETED:
            enqueue_enrichment(document, ENRICHMENT)
    return picture
