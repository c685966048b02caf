"""The spaces of an organisation: invited, given another role, taken out, leaving."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.constants import OrganisationRole, RequestState
from accounts.models import JoinRequest, Organisation, OrganisationSpace, Space
from accounts.organisations.joining import MOST_FOUND, enter
from accounts.organisations.notices import tell_of_invitation
from accounts.organisations.places import get_place, lock
from accounts.organisations.trail import record_in_spaces
from accounts.shares import close_all, close_of_space
from core.errors import Conflict, Invalid, NotFound


@dataclass(frozen=True, kw_only=True)
class FoundSpace:
    """A space as who looks for one to invite sees it: no people, no counts."""

    id: int
    name: str


def find_spaces(actor: Actor, *, organisation_id: UUID, text: str) -> list[FoundSpace]:
    """Return spaces that are not in the organisation, by a part of their name; at most 50.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for managing.
    """
    organisation = get_place(actor, organisation_id, action="manage").organisation
    wanted = text.replace("\x00", "").strip()[:200]
    if not wanted:
        return []
    rows = Space.objects.filter(name__icontains=wanted).exclude(
        organisations__organisation=organisation
    )
    return [FoundSpace(id=row.pk, name=row.name) for row in rows.order_by("name")[:MOST_FOUND]]


@transaction.atomic
def invite_space(
    actor: Actor, *, organisation_id: UUID, space_id: int, role: str = OrganisationRole.VIEWER
) -> OrganisationSpace:
    """Bring a space in. It gives nothing away by that, and its admins can leave at once.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for managing; NotFound, too: no such space.
        Invalid: there is no such role.
        Conflict: it is in already.
        LimitReached: the organisation is full.
    """
    organisation = get_place(actor, organisation_id, action="manage").organisation
    space = Space.objects.filter(pk=space_id).first()
    if space is None:
        raise NotFound(_("There is no such space."))
    place = enter(organisation, space_id=space.pk, role=_checked_role(role))
    JoinRequest.objects.filter(
        organisation=organisation, member=space, state=RequestState.PENDING
    ).update(state=RequestState.APPROVED, decided_by_id=actor.user_id)
    record_in_spaces(
        actor,
        "organisation.invite",
        target=organisation,
        spaces=[space.pk, organisation.owner_space_id],
        space=space.name,
        role=role,
    )
    tell_of_invitation(place)
    return place


@transaction.atomic
def set_role(actor: Actor, *, organisation_id: UUID, space_id: int, role: str) -> OrganisationSpace:
    """Give a space another role; one that becomes a viewer shares nothing from now on.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for managing; NotFound, too: no such member.
        Invalid: there is no such role.
        Conflict: it is the space that owns the organisation, or the actor's own.
    """
    organisation = lock(get_place(actor, organisation_id, action="manage").organisation)
    place = _member(organisation, space_id)
    if space_id == organisation.owner_space_id:
        raise Conflict(_("The space that owns the organisation stays its admin."))
    old, place.role = place.role, _checked_role(role)
    if old != place.role:
        place.save(update_fields=["role"])
        record_in_spaces(
            actor,
            "organisation.role",
            target=organisation,
            spaces=[space_id, organisation.owner_space_id],
            space=str(place.member),
            old=old,
            new=place.role,
        )
    return place


@transaction.atomic
def take_out(actor: Actor, *, organisation_id: UUID, space_id: int) -> Space:
    """Take a space out: what it shared here is closed, and what was shared with it, too.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for managing; NotFound, too: no such member.
        Conflict: it is the space that owns the organisation.
    """
    organisation = lock(get_place(actor, organisation_id, action="manage").organisation)
    return _end(actor, _member(organisation, space_id), action="organisation.remove")


@transaction.atomic
def leave(actor: Actor, *, organisation_id: UUID) -> Organisation:
    """Take the actor's own space out.

    Raises:
        NotFound, AccessDenied: as `get_place` has it for changing the place.
        Conflict: the space owns the organisation.
    """
    organisation = lock(get_place(actor, organisation_id, action="change").organisation)
    _end(actor, _member(organisation, actor.space_id), action="organisation.leave")
    return organisation


def forget_space(space_id: int) -> None:
    """Remove a space that is being deleted from every organisation; its own ones end.

    Shares in them are rows of other spaces, which no cascade inside of one scope reaches.
    """
    for organisation in Organisation.objects.filter(owner_space_id=space_id):
        close_all(organisation)
    for place in OrganisationSpace.objects.filter(member_id=space_id):
        close_of_space(place.organisation_id, place.member_id)
        place.delete()


def _end(actor: Actor, place: OrganisationSpace, *, action: str) -> Space:
    organisation, space = place.organisation, place.member
    if space.pk == organisation.owner_space_id:
        raise Conflict(_("This space owns the organisation. Delete the organisation instead."))
    closed = close_of_space(place.organisation_id, place.member_id)
    JoinRequest.objects.filter(
        organisation=organisation, member=space, state=RequestState.PENDING
    ).update(state=RequestState.WITHDRAWN)
    place.delete()
    record_in_spaces(
        actor,
        action,
        target=organisation,
        spaces=[space.pk, organisation.owner_space_id],
        space=str(space),
        shares_closed=closed,
    )
    return space


def _member(organisation: Organisation, space_id: int) -> OrganisationSpace:
    rows = organisation.members.select_related("member", "organisation")
    place = rows.filter(member_id=space_id).first()
    if place is None:
        raise NotFound(_("This space is not in the organisation."))
    return place


def _checked_role(role: str) -> OrganisationRole:
    if role not in OrganisationRole.values:
        known = ", ".join(OrganisationRole.values)
        raise Invalid(f"There is no role {role!r} in an organisation; choose one of {known}.")
    return OrganisationRole(role)
