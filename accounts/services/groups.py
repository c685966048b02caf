"""Groups of a space's members, to whom access is given together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import uuid4

from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.constants import MembershipState
from accounts.models import Membership, SpaceGroup, User
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from core.names import clean_name

NAME_LENGTH = 120
SHOWN_PEOPLE = 20


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    """A group with its size."""

    group: SpaceGroup
    member_count: int


@dataclass(frozen=True, kw_only=True)
class Pick:
    """Somebody, or a group, that can be named."""

    kind: Literal["group", "user"]
    id: int
    label: str
    detail: str
    """Of a person their address, of a group blank."""

    @property
    def value(self) -> str:
        """As a form sends it."""
        return f"{self.kind}:{self.id}"


def list_groups(actor: Actor) -> list[GroupRow]:
    """Return the groups of the actor's space by name, with the number of their members.

    Machines and guests see none: who works in the space is not theirs to know.
    """
    rows = visible(actor, "view", SpaceGroup.objects.order_by("name")).annotate(
        member_count=Count("auth_group__user", filter=Q(auth_group__user__is_active=True))
    )
    return [GroupRow(group=row, member_count=row.member_count) for row in rows]


def get_group(actor: Actor, group_id: int) -> SpaceGroup:
    """Return a group of the actor's space.

    Raises:
        NotFound: there is none.
    """
    group = visible(actor, "view", SpaceGroup.objects.filter(pk=group_id)).first()
    if group is None:
        raise NotFound(_("There is no such group."))
    return group


def people_in(group: SpaceGroup) -> list[User]:
    """Return who is in the group, by name."""
    rows = User.objects.filter(groups=group.auth_group_id, is_active=True)
    return sorted(rows, key=lambda person: str(person).casefold())


def people_outside(actor: Actor, group: SpaceGroup) -> list[User]:
    """Return the active members of the space who are not in the group, by name."""
    rows = _members(actor).exclude(user__groups=group.auth_group_id)
    return sorted((row.user for row in rows), key=lambda person: str(person).casefold())


def people_and_groups(actor: Actor, query: str = "") -> list[Pick]:
    """Return groups and active members whose name or address has `query`: groups first, by name."""
    query = query.strip()[:100]
    groups = visible(actor, "view", SpaceGroup.objects.filter(name__icontains=query))
    matching = Q(user__name__icontains=query) | Q(user__email__icontains=query)
    people = _members(actor).filter(matching).order_by("user__name", "user__email")
    return [
        *(
            Pick(kind="group", id=group.pk, label=group.name, detail="")
            for group in groups[:SHOWN_PEOPLE]
        ),
        *(
            Pick(kind="user", id=row.user_id, label=str(row.user), detail=row.user.email)
            for row in people[:SHOWN_PEOPLE]
        ),
    ]


def create_group(actor: Actor, *, name: str, description: str = "") -> SpaceGroup:
    """Make an empty group.

    Raises:
        AccessDenied: the actor is not an admin.
        Invalid: the name is blank or too long.
        Conflict: there is a group of this name.
    """
    require(actor, "create", SpaceGroup)
    name = _checked_name(name)
    try:
        with transaction.atomic():
            # Django's names are unique over all spaces: the true one stands in our row.
            auth_group = Group.objects.create(name=f"space {actor.space_id}: {uuid4()}")
            group = SpaceGroup.objects.create(
                space_id=actor.space_id,
                name=name,
                description=description.strip(),
                auth_group=auth_group,
                created_by_id=actor.user_id,
            )
            record_audit(actor, "group.create", target=group)
    except IntegrityError as clash:
        raise _taken(name) from clash
    return group


def change_group(actor: Actor, *, group_id: int, name: str, description: str) -> SpaceGroup:
    """Give a group another name or description; who is in it and what it opens stays.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid, Conflict: as for `create_group`.
    """
    group = get_group(actor, group_id)
    require(actor, "change", group)
    old, group.name = group.name, _checked_name(name)
    group.description = description.strip()
    try:
        with transaction.atomic():
            group.save(update_fields=["name", "description"])
            record_audit(actor, "group.change", target=group, old=old, new=group.name)
    except IntegrityError as clash:
        raise _taken(group.name) from clash
    return group


def delete_group(actor: Actor, *, group_id: int) -> str:
    """Delete a group with all access that was given to it; return its name.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    group = get_group(actor, group_id)
    require(actor, "delete", group)
    with transaction.atomic():
        people = [person.pk for person in people_in(group)]
        record_audit(actor, "group.delete", target=group, person_ids=people)
        group.auth_group.delete()  # takes the row and what the group was given along
    return group.name


@transaction.atomic
def add_to_group(actor: Actor, *, group_id: int, user_ids: Collection[int]) -> Sequence[User]:
    """Put members of the space into a group; return those who were not in it before.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the group.
        Invalid: somebody is no active member of the space.
    """
    group = get_group(actor, group_id)
    require(actor, "change", group)
    # A membership that ends waits for these locks, and takes the person out again.
    rows = list(_members(actor).filter(user_id__in=set(user_ids)).select_for_update(of=("self",)))
    if not rows or len(rows) != len(set(user_ids)):
        raise Invalid(_("Choose active members of this space."))
    known = set(group.auth_group.user_set.values_list("pk", flat=True))
    added = [row.user for row in rows if row.user_id not in known]
    group.auth_group.user_set.add(*added)
    for person in added:
        record_audit(actor, "group.add", target=group, person=str(person), person_id=person.pk)
    return added


@transaction.atomic
def take_from_group(actor: Actor, *, group_id: int, user_id: int) -> User:
    """Take somebody out of a group; what it opens is closed to them from the next request on.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the group; or they are not in it.
    """
    group = get_group(actor, group_id)
    require(actor, "change", group)
    person = group.auth_group.user_set.filter(pk=user_id).first()
    if person is None:
        raise NotFound(_("They are not in this group."))
    group.auth_group.user_set.remove(person)
    record_audit(actor, "group.remove", target=group, person=str(person), person_id=person.pk)
    return person


def _members(actor: Actor) -> QuerySet[Membership]:
    rows = visible(actor, "view", Membership.objects.select_related("user"))
    return rows.filter(state=MembershipState.ACTIVE, user__is_active=True)


def _checked_name(name: str) -> str:
    name = clean_name(name)
    if not name:
        raise Invalid(_("A group needs a name."), name=["A group needs a name."])
    if len(name) > NAME_LENGTH:
        text = f"A name has at most {NAME_LENGTH} characters, this one has {len(name)}."
        raise Invalid(text, name=[text])
    return name


def _taken(name: str) -> Conflict:
    text = f"{name!r} is already a group of this space; choose another name."
    return Conflict(text, name=[text])
