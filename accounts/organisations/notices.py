"""Mails about organisations, to the people who can do something about them."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from accounts.constants import MembershipState, OrganisationRole, Role
from accounts.models import JoinRequest, Membership, OrganisationSpace, User
from accounts.notices.mail import send_mail


def tell_of_request(request: JoinRequest) -> None:
    """Tell the admins of the organisation's admin spaces that somebody asks; after the commit."""
    spaces = OrganisationSpace.objects.filter(
        organisation=request.organisation, role=OrganisationRole.ADMIN
    )
    to = _admins_of(spaces.values_list("member_id", flat=True))
    _send(to, "notices/organisation_request.txt", request)


def tell_of_decision(request: JoinRequest) -> None:
    """Tell who asked what became of it; after the commit."""
    to = [request.requested_by] if request.requested_by is not None else []
    _send(to, "notices/organisation_decision.txt", request)


def tell_of_invitation(place: OrganisationSpace) -> None:
    """Tell the admins of a space that it was brought into an organisation; after the commit."""
    to = _admins_of([place.member_id])
    _send(to, "notices/organisation_invitation.txt", place)


def _admins_of(space_ids: Iterable[int]) -> list[User]:
    rows = Membership.objects.filter(
        space_id__in=list(space_ids),
        role__in=(Role.OWNER, Role.ADMIN),
        state=MembershipState.ACTIVE,
        user__is_active=True,
    ).select_related("user")
    return list({row.user_id: row.user for row in rows}.values())


def _send(people: Iterable[User], template: str, about: JoinRequest | OrganisationSpace) -> None:
    context = {"organisation": about.organisation, "space": about.member, "about": about}
    addresses = [person.email for person in people]

    def send() -> None:
        for address in addresses:
            send_mail(to=address, template=template, context=context)

    transaction.on_commit(send)
