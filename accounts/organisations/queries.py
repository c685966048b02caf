"""What the pages of organisations show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q

from accounts.access import Actor, may, visible
from accounts.constants import OrganisationRole, RequestState
from accounts.models import JoinRequest, Organisation, OrganisationSpace
from accounts.organisations.founding import has_valid_code
from accounts.organisations.joining import is_above
from accounts.organisations.places import get_place
from accounts.organisations.sharing import ShareRow, shares_in


@dataclass(frozen=True, kw_only=True)
class OrganisationCard:
    """An organisation of the actor's space, in the list."""

    organisation: Organisation
    role: str
    """The space's role there, in words."""
    space_count: int
    waiting_count: int
    """Requests that the actor can decide."""


@dataclass(frozen=True, kw_only=True)
class SpaceRow:
    """A space of an organisation."""

    space_id: int
    name: str
    role: OrganisationRole
    is_owner: bool
    is_own: bool
    """The actor's own space."""
    joined_at: datetime
    roles: tuple[OrganisationRole, ...] = ()
    """Roles that the actor may give it; empty: none."""

    @property
    def dom_id(self) -> str:
        """The row's id in the page."""
        return f"space-{self.space_id}"


@dataclass(frozen=True, kw_only=True)
class OrganisationPage:
    """Everything that the page of an organisation shows."""

    organisation: Organisation
    place: OrganisationSpace
    spaces: Sequence[SpaceRow]
    shares: Sequence[ShareRow]
    requests: Sequence[JoinRequest]
    """Open ones, for who may decide them."""
    own_request: JoinRequest | None
    """The actor's space waits for a higher role."""
    higher_roles: tuple[OrganisationRole, ...]
    """For which the actor may ask."""
    may_manage: bool
    may_delete: bool
    may_leave: bool
    code_works: bool


def list_organisations(actor: Actor) -> list[OrganisationCard]:
    """Return the organisations of the actor's space, by name."""
    places = visible(actor, "view", OrganisationSpace.objects.select_related("organisation"))
    managed = set(
        visible(actor, "manage", OrganisationSpace.objects.all()).values_list("pk", flat=True)
    )
    waiting = Count(
        "organisation__requests",
        filter=Q(organisation__requests__state=RequestState.PENDING),
        distinct=True,
    )
    rows = places.annotate(
        spaces=Count("organisation__members", distinct=True), waiting=waiting
    ).order_by("organisation__name")
    return [
        OrganisationCard(
            organisation=place.organisation,
            role=place.get_role_display(),
            space_count=place.spaces,
            waiting_count=place.waiting if place.pk in managed else 0,
        )
        for place in rows
    ]


def own_requests(actor: Actor) -> list[JoinRequest]:
    """Return what the actor's space asked for and waits for, newest first; for its admins."""
    if not may(actor, "create", OrganisationSpace):
        return []
    rows = JoinRequest.objects.filter(member_id=actor.space_id, state=RequestState.PENDING)
    return list(rows.select_related("organisation", "requested_by"))


def organisation_page(actor: Actor, organisation_id: UUID) -> OrganisationPage:
    """Return the page of an organisation.

    Raises:
        NotFound: the actor's space is not in it.
    """
    place = get_place(actor, organisation_id)
    organisation = place.organisation
    may_manage = may(actor, "manage", place)
    may_change = may(actor, "change", place)
    pending = JoinRequest.objects.filter(organisation=organisation, state=RequestState.PENDING)
    own = pending.filter(member_id=actor.space_id).first()
    higher = tuple(each for each in OrganisationRole if is_above(each, place.role))
    return OrganisationPage(
        organisation=organisation,
        place=place,
        spaces=_spaces(actor, organisation, may_manage=may_manage),
        shares=shares_in(actor, organisation_id=organisation_id),
        requests=list(pending.select_related("member", "requested_by")) if may_manage else (),
        own_request=own if may_change else None,
        higher_roles=higher if may_change and own is None else (),
        may_manage=may_manage,
        may_delete=may(actor, "delete", place),
        may_leave=may_change and organisation.owner_space_id != actor.space_id,
        code_works=has_valid_code(organisation),
    )


def _spaces(actor: Actor, organisation: Organisation, *, may_manage: bool) -> list[SpaceRow]:
    rows = organisation.members.select_related("member").order_by("member__name")
    return [
        SpaceRow(
            space_id=row.member_id,
            name=row.member.name,
            role=OrganisationRole(row.role),
            is_owner=row.member_id == organisation.owner_space_id,
            is_own=row.member_id == actor.space_id,
            joined_at=row.joined_at,
            roles=tuple(OrganisationRole)
            if may_manage and row.member_id != organisation.owner_space_id
            else (),
        )
        for row in rows
    ]
