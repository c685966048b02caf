"""What the pages of accounts read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.db.models import Count, IntegerField, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse

from accounts.access import Actor, require, visible
from accounts.actors import active_memberships
from accounts.constants import RANK, MembershipState, Role, roles_below
from accounts.invitation_doors import paused_ids
from accounts.models import Invitation, Membership, Space, SpaceGroup, User
from core.tenancy import space_scope


@dataclass(frozen=True, kw_only=True)
class SpaceRow:
    """A space of the person's list."""

    space: Space
    role: str
    """Its label."""
    member_count: int
    is_current: bool
    may_leave: bool
    """False for a space's only owner."""


@dataclass(frozen=True, kw_only=True)
class MemberRow:
    """A member as the asking person may treat them; they leave by themselves, on another page."""

    membership: Membership
    is_self: bool
    roles: tuple[Role, ...]
    """Roles the asking person may give them; empty: none."""
    may_remove: bool
    may_hand_over: bool = False
    groups: tuple[str, ...] = ()
    """Names."""
    last_seen: datetime | None = None
    """Anywhere in the installation; only for those who manage members."""

    @property
    def dom_id(self) -> str:
        """The row's id in the page."""
        return f"member-{self.membership.pk}"


@dataclass(frozen=True, kw_only=True)
class InvitationRow:
    """An open invitation with its secret link."""

    invitation: Invitation
    link: str
    is_paused: bool
    """Who made it is suspended, or their account is off."""


def spaces_of(user: User, *, current_space_id: int | None) -> list[SpaceRow]:
    """Return the spaces that the person may enter, oldest membership first."""
    members = Membership.objects.filter(
        space=OuterRef("space"), state=MembershipState.ACTIVE, user__is_active=True
    )
    owners = members.filter(role=Role.OWNER)
    rows = active_memberships(user).annotate(
        member_count=_count(members), owner_count=_count(owners)
    )
    return [
        SpaceRow(
            space=row.space,
            role=row.get_role_display(),
            member_count=row.member_count,
            is_current=row.space_id == current_space_id,
            may_leave=row.role != Role.OWNER or row.owner_count > 1,
        )
        for row in rows
    ]


def _count(memberships: QuerySet[Membership]) -> Coalesce:
    counts = memberships.order_by().values("space").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)


def members_of(actor: Actor) -> list[MemberRow]:
    """Return the members of the actor's space, highest role first, then by name."""
    memberships = visible(actor, "view", Membership.objects.select_related("user"))
    changeable = set(
        visible(actor, "change", Membership.objects.all()).values_list("pk", flat=True)
    )
    owners = [one.pk for one in memberships if one.role == Role.OWNER]
    if len(owners) == 1:
        changeable.discard(owners[0])  # a space always has an owner
    groups = _groups_by_person(actor)
    manages = actor.rank >= RANK[Role.ADMIN]
    seen = _last_seen(one.user_id for one in memberships) if manages else {}
    rows = [
        _member_row(
            actor,
            one,
            may_change=one.pk in changeable,
            groups=tuple(groups.get(one.user_id, ())),
            last_seen=seen.get(one.user_id, one.user.last_login) if manages else None,
        )
        for one in memberships
    ]
    return sorted(rows, key=_by_role_and_name)


def member_row(actor: Actor, membership: Membership) -> MemberRow:
    """Return one row of `members_of`."""
    require(actor, "view", membership)
    return next(row for row in members_of(actor) if row.membership.pk == membership.pk)


def open_invitations(actor: Actor, *, origin: str) -> list[InvitationRow]:
    """Return the invitations that can still be accepted and that the actor may see, newest first."""
    rows = visible(actor, "view", Invitation.objects.select_related("invited_by"))
    paused = paused_ids(rows)
    return [
        InvitationRow(
            invitation=row,
            link=invitation_link(row, origin=origin),
            is_paused=row.pk in paused,
        )
        for row in rows.filter(revoked_at=None)
        if row.is_open
    ]


def invitation_link(invitation: Invitation, *, origin: str) -> str:
    """Return the address that the invited person opens."""
    return origin.rstrip("/") + reverse("invitation", args=[invitation.token])


def _member_row(
    actor: Actor,
    membership: Membership,
    *,
    may_change: bool,
    groups: tuple[str, ...],
    last_seen: datetime | None,
) -> MemberRow:
    is_self = membership.user_id == actor.user_id
    is_active = membership.state == MembershipState.ACTIVE and membership.user.is_active
    return MemberRow(
        membership=membership,
        is_self=is_self,
        roles=roles_below(actor.role) if may_change else (),
        may_remove=may_change and not is_self,
        may_hand_over=actor.role == Role.OWNER and not is_self and is_active,
        groups=groups,
        last_seen=last_seen,
    )


def _groups_by_person(actor: Actor) -> dict[int, list[str]]:
    with space_scope(actor.space_id):
        names = dict(
            visible(actor, "view", SpaceGroup.objects.order_by("name")).values_list(
                "auth_group_id", "name"
            )
        )
    pairs = User.groups.through._default_manager.filter(group_id__in=names)
    found: dict[int, list[str]] = {}
    for user_id, group_id in pairs.values_list("user_id", "group_id"):
        found.setdefault(user_id, []).append(names[group_id])
    return {user_id: sorted(each) for user_id, each in found.items()}


def _last_seen(user_ids: Iterable[int]) -> dict[int, datetime]:
    """Return when people's browsers were used last."""
    rows = UserSession.objects.filter(user_id__in=list(user_ids)).order_by()
    return dict(rows.values_list("user_id").annotate(seen=Max("last_seen_at")))


def _by_role_and_name(row: MemberRow) -> tuple[int, str, int]:
    name = str(row.membership.user).casefold()
    return -RANK[row.membership.role], name, row.membership.pk
