"""What people say about a document: its name, its owner, when it is to be looked at again, own fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.constants import MembershipState
from accounts.models import Membership
from accounts.services.audit import record_audit
from core.errors import Invalid
from knowledge.access.fit import lock_base
from knowledge.models import Document
from knowledge.names import clean_file_name
from knowledge.queries import get_document

MetadataValue = str | int | float | bool
MOST_FIELDS = 20
LONGEST_KEY = 64
LONGEST_VALUE = 1000


@dataclass(frozen=True, kw_only=True)
class Details:
    """What stands about a document after a change."""

    name: str
    owner_id: int | None = None
    review_by: date | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)


def set_details(actor: Actor, *, document_id: UUID, details: Details) -> Document:
    """Write what people say about a document.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Invalid: the name, the owner or a field cannot be kept; says which.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    document.name = clean_file_name(details.name).name
    document.owner_id = _owner(document, details.owner_id)
    document.review_by = details.review_by
    document.metadata = clean_metadata(details.metadata)
    with transaction.atomic():
        lock_base(document.base_id)
        document.save(update_fields=["name", "owner", "review_by", "metadata", "updated_at"])
        record_audit(
            actor,
            "document.details",
            target=document,
            owner=document.owner_id,
            review_by=details.review_by.isoformat() if details.review_by else None,
            fields=sorted(document.metadata),
        )
    return document


def clean_metadata(metadata: Mapping[str, object]) -> dict[str, MetadataValue]:
    """Return the fields as they are kept; those without a value are left out.

    Raises:
        Invalid: there are too many, a key or value is too long, or a value is none of text, number
            and yes or no.
    """
    found: dict[str, MetadataValue] = {}
    for name, value in metadata.items():
        key = " ".join(str(name).replace("\x00", "").split())
        if not 1 <= len(key) <= LONGEST_KEY:
            raise Invalid(
                _("The name of a field has 1 to %(most)s characters, not %(n)s.")
                % {"most": LONGEST_KEY, "n": len(key)}
            )
        if key in found:
            raise Invalid(_("The field “%(name)s” is there twice.") % {"name": key})
        if value is None or value == "":
            continue
        found[key] = _clean_value(key, value)
    if len(found) > MOST_FIELDS:
        raise Invalid(
            _("A document has at most %(most)s custom fields; these are %(n)s.")
            % {"most": MOST_FIELDS, "n": len(found)}
        )
    return found


def _clean_value(key: str, value: object) -> MetadataValue:
    if isinstance(value, str):
        text = value.replace("\x00", "").strip()
        if len(text) > LONGEST_VALUE:
            raise Invalid(
                _("The field “%(name)s” has %(n)s characters; it may have at most %(most)s.")
                % {"name": key, "n": f"{len(text):,}", "most": f"{LONGEST_VALUE:,}"}
            )
        return text
    if isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise Invalid(_("The field “%(name)s” takes text, a number, or yes or no.") % {"name": key})


def _owner(document: Document, owner_id: int | None) -> int | None:
    if owner_id is None or owner_id == document.owner_id:
        return owner_id
    member = Membership.objects.filter(
        space_id=document.space_id,
        user_id=owner_id,
        state=MembershipState.ACTIVE,
        user__is_active=True,
    )
    if not member.exists():
        raise Invalid(_("The owner is not an active member of this space; choose somebody else."))
    return owner_id
