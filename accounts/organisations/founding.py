"""Organisations: made, renamed, opened to others by a code, deleted."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.constants import OrganisationRole
from accounts.models import Organisation, OrganisationSpace
from accounts.organisations.places import get_place
from accounts.organisations.trail import record_in_spaces
from accounts.shares import close_all
from core.errors import Invalid
from core.names import clean_name

NAME_LENGTH = 255
DESCRIPTION_LENGTH = 1000
CODE_DAYS = (0, 1, 7, 30)
"""For how long an invite code may be valid; 0: until it is renewed."""
DEFAULT_CODE_DAYS = 7


@transaction.atomic
def create_organisation(actor: Actor, *, name: str, description: str = "") -> Organisation:
    """Make an organisation that the actor's space owns and administers.

    Raises:
        AccessDenied: the actor is no admin of their space.
        Invalid: the name is blank, or a text too long.
    """
    require(actor, "create", OrganisationSpace)
    organisation = Organisation.objects.create(
        name=_checked_name(name),
        description=_checked_description(description),
        owner_space_id=actor.space_id,
        created_by_id=actor.user_id,
        invite_code_expires_at=_end_of(DEFAULT_CODE_DAYS),
    )
    OrganisationSpace.objects.create(
        organisation=organisation,
        member_id=actor.space_id,
        role=OrganisationRole.ADMIN,
        representative_id=actor.user_id,
    )
    record_in_spaces(actor, "organisation.create", target=organisation)
    return organisation


@transaction.atomic
def update_organisation(
    actor: Actor,
    *,
    organisation_id: UUID,
    name: str,
    description: str,
    require_approval: bool,
    is_searchable: bool,
) -> Organisation:
    """Change what an organisation is called and how spaces come in.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for managing.
        Invalid: the name is blank, or a text too long.
    """
    organisation = get_place(actor, organisation_id, action="manage").organisation
    wanted = {
        "name": _checked_name(name),
        "description": _checked_description(description),
        "require_approval": require_approval,
        "is_searchable": is_searchable,
    }
    changed = {
        field: {"old": getattr(organisation, field), "new": value}
        for field, value in wanted.items()
        if getattr(organisation, field) != value
    }
    if changed:
        for field, value in wanted.items():
            setattr(organisation, field, value)
        organisation.save(update_fields=list(wanted))
        record_in_spaces(
            actor,
            "organisation.change",
            target=organisation,
            spaces=[organisation.owner_space_id],
            changed=changed,
        )
    return organisation


@transaction.atomic
def renew_code(actor: Actor, *, organisation_id: UUID, days: int) -> Organisation:
    """Give an organisation another invite code; the old one opens nothing from now on.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for managing.
        Invalid: `days` is none of `CODE_DAYS`.
    """
    organisation = get_place(actor, organisation_id, action="manage").organisation
    if days not in CODE_DAYS:
        known = ", ".join(map(str, CODE_DAYS))
        raise Invalid(f"A code cannot be valid for {days} days; choose one of {known}.")
    organisation.invite_code = secrets.token_hex(8)
    organisation.invite_code_expires_at = _end_of(days)
    organisation.save(update_fields=["invite_code", "invite_code_expires_at"])
    record_in_spaces(
        actor,
        "organisation.renew_code",
        target=organisation,
        spaces=[organisation.owner_space_id],
        days=days,
    )
    return organisation


@transaction.atomic
def delete_organisation(actor: Actor, *, organisation_id: UUID) -> None:
    """Delete an organisation: from now on nothing that was shared in it is open to others.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for the space that owns it.
    """
    organisation = get_place(actor, organisation_id, action="delete").organisation
    members = list(organisation.members.values_list("member_id", flat=True))
    record_in_spaces(actor, "organisation.delete", target=organisation, spaces=members)
    close_all(organisation)


def has_valid_code(organisation: Organisation) -> bool:
    """Say whether spaces can still come in by the organisation's code."""
    ends = organisation.invite_code_expires_at
    return ends is None or ends > timezone.now()


def _end_of(days: int) -> datetime | None:
    return timezone.now() + timedelta(days=days) if days else None


def _checked_name(name: str) -> str:
    cleaned = clean_name(name)
    if not cleaned:
        raise Invalid(_("An organisation needs a name."))
    if len(cleaned) > NAME_LENGTH:
        raise Invalid(
            _("A name has at most %(limit)s characters, this one %(count)s.")
            % {"limit": NAME_LENGTH, "count": len(cleaned)}
        )
    return cleaned


def _checked_description(description: str) -> str:
    cleaned = description.replace("\x00", "").strip()
    if len(cleaned) > DESCRIPTION_LENGTH:
        raise Invalid(
            _("A description has at most %(limit)s characters, this one %(count)s.")
            % {"limit": DESCRIPTION_LENGTH, "count": len(cleaned)}
        )
    return cleaned
