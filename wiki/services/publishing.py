"""Use cases of publishing a wiki to everybody: on, off; it is off until somebody says so."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid
from wiki.models import WikiSettings
from wiki.queries import get_wiki


def publish_wiki(
    actor: Actor, *, base_id: UUID, name: str, with_titles: bool = False, is_indexed: bool = False
) -> WikiSettings:
    """Let whoever has the address read the published pages of a wiki, or change how they do.

    `name` stands in the address; `with_titles` names the documents that sentences rest on.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
        Invalid: the name cannot stand in an address; `data["fields"]` says so.
        Conflict: another wiki has the name.
    """
    row = get_wiki(actor, base_id)
    require(actor, "share", row.base)
    row.public_name = name.strip().lower()
    if not row.public_name:
        raise _wrong_name(_("A published wiki needs a name for its address."))
    try:
        row.clean_fields(exclude=[f.name for f in row._meta.fields if f.name != "public_name"])
    except ValidationError:
        raise _wrong_name(
            _("Letters of a to z, digits and dashes, 80 characters at most.")
        ) from None
    row.is_public, row.public_titles, row.public_indexed = True, with_titles, is_indexed
    try:
        with transaction.atomic():
            row.save(update_fields=[*_FIELDS, "updated_at"])
            record_audit(
                actor,
                "wiki.public_on",
                target=row.base,
                base_id=base_id,
                name=row.public_name,
                with_titles=with_titles,
                is_indexed=is_indexed,
            )
    except IntegrityError as error:
        if "one_wiki_per_public_name" not in str(error):
            raise
        raise Conflict(
            _("The name “%(name)s” is taken; choose another.") % {"name": row.public_name}
        ) from error
    return row


def unpublish_wiki(actor: Actor, *, base_id: UUID) -> WikiSettings:
    """End it: the public addresses lead nowhere from now on. The name stays for another time.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
    """
    row = get_wiki(actor, base_id)
    require(actor, "share", row.base)
    if row.is_public:
        row.is_public = False
        with transaction.atomic():
            row.save(update_fields=["is_public", "updated_at"])
            record_audit(
                actor, "wiki.public_off", target=row.base, base_id=base_id, name=row.public_name
            )
    return row


_FIELDS = ("is_public", "public_name", "public_titles", "public_indexed")


def _wrong_name(text: str) -> Invalid:
    return Invalid(text, fields={"public_name": [text]})
