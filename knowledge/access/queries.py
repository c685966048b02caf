"""Reads about restrictions: which hold where, and who may read a document now and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.access import Actor, require, visible
from accounts.constants import RANK, MembershipState, Role
from accounts.guests import guests_of, reading_again
from accounts.models import Membership, SpaceGroup, User
from core.tenancy import space_scope, unscoped
from core.wording import listed
from knowledge.access.fit import folders_above
from knowledge.access.walls import closed_walls, sealed_ids, sealed_to
from knowledge.constants import DocumentState
from knowledge.models import (
    Document,
    DocumentWall,
    KnowledgeBase,
    RemovedDocument,
    Restriction,
    RestrictionGroupGrant,
    RestrictionUserGrant,
)
from knowledge.queries import get_base, get_document


@dataclass(frozen=True, kw_only=True)
class Named:
    """A restriction with whom it names."""

    id: UUID
    document_id: UUID | None
    folder_path: str
    users: tuple[User, ...]
    groups: tuple[SpaceGroup, ...]


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A member who may read the document now."""

    user: User
    role: Role
    via: str
    """`role`, `creator`, `open` (nothing restricts it), `name`, or the names of groups."""


def restrictions_above(
    actor: Actor, *, base_id: UUID, folder_path: str, document_id: UUID | None = None
) -> list[Named]:
    """Return the restrictions that hold for a place, outermost folder first, the document's last.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
    """
    require(actor, "share", get_base(actor, base_id))
    above = Q(document__isnull=True, folder_path__in=folders_above(folder_path))
    own = Q(document_id=document_id) if document_id is not None else Q(pk__in=[])
    rows = Restriction.objects.filter(above | own, base_id=base_id)
    return sorted(
        _with_names(rows), key=lambda each: (each.document_id is not None, len(each.folder_path))
    )


def restricted_folders(actor: Actor, *, base_id: UUID) -> list[Named]:
    """Return the base's restrictions of folders, by path.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the base.
    """
    require(actor, "share", get_base(actor, base_id))
    rows = Restriction.objects.filter(base_id=base_id, document__isnull=True)
    return sorted(_with_names(rows), key=lambda each: each.folder_path)


def who_may_read(actor: Actor, *, document_id: UUID) -> list[Reader]:
    """Return the members who may read the document now, highest role first, and why.

    It follows the same rule as the policy; a test compares the two for every persona.

    Raises:
        NotFound, AccessDenied: as `require` has it for sharing the document's base.
    """
    document = get_document(actor, document_id)
    require(actor, "share", document.base)
    walls = DocumentWall.objects.filter(document=document).values_list("restriction_id", flat=True)
    return _readers(document.base, _with_names(Restriction.objects.filter(pk__in=list(walls))))


def restricted_ids(document_ids: Collection[UUID]) -> set[UUID]:
    """Return those of the documents that somebody is kept from, for a badge; one query."""
    rows = DocumentWall.objects.filter(document_id__in=document_ids)
    return set(rows.values_list("document_id", flat=True).distinct())


def _with_names(rows: QuerySet[Restriction]) -> list[Named]:
    restrictions = list(rows)
    ids = [row.pk for row in restrictions]
    users: dict[UUID, list[User]] = {}
    grants = RestrictionUserGrant._default_manager.filter(content_object__in=ids)
    for grant in grants.select_related("user").order_by("user__name", "user_id"):
        users.setdefault(grant.content_object_id, []).append(grant.user)
    pairs = list(
        RestrictionGroupGrant._default_manager.filter(content_object__in=ids).values_list(
            "content_object_id", "group_id"
        )
    )
    known = SpaceGroup.objects.filter(auth_group__in={group for _, group in pairs}).order_by("name")
    by_auth = {group.auth_group_id: group for group in known}
    return [
        Named(
            id=row.pk,
            document_id=row.document_id,
            folder_path=row.folder_path,
            users=tuple(users.get(row.pk, ())),
            groups=tuple(group for auth_id, group in by_auth.items() if (row.pk, auth_id) in pairs),
        )
        for row in restrictions
    ]


def _readers(base: KnowledgeBase, walls: Sequence[Named]) -> list[Reader]:
    members = list(
        Membership.objects.filter(
            space_id=base.space_id, state=MembershipState.ACTIVE, user__is_active=True
        ).select_related("user")
    )
    of_group = _groups_of(walls)
    found = [
        Reader(user=member.user, role=Role(member.role), via=via)
        for member in members
        if (via := _reason(base, member, walls, of_group))
    ]
    return sorted(found, key=lambda each: (-RANK[each.role], str(each.user).casefold()))


def _groups_of(walls: Sequence[Named]) -> dict[int, set[int]]:
    """Return the members of the groups that are named, by Django's group."""
    ids = {group.auth_group_id for wall in walls for group in wall.groups}
    found: dict[int, set[int]] = {each: set() for each in ids}
    pairs = User.groups.through._default_manager.filter(group_id__in=ids)
    for group_id, user_id in pairs.values_list("group_id", "user_id"):
        found[group_id].add(user_id)
    return found


def _reason(
    base: KnowledgeBase,
    member: Membership,
    walls: Sequence[Named],
    of_group: dict[int, set[int]],
) -> str:
    """Return why the member passes every wall; blank when they do not."""
    rank = RANK[member.role]
    if rank >= RANK[Role.ADMIN]:
        return "role"
    if base.created_by_id == member.user_id and rank >= RANK[Role.CONTRIBUTOR]:
        return "creator"
    if not walls:
        return "open"
    ways = [_way(member.user_id, wall, of_group) for wall in walls]
    return ways[-1] if all(ways) else ""


def _way(user_id: int, wall: Named, of_group: dict[int, set[int]]) -> str:
    if any(user.pk == user_id for user in wall.users):
        return "name"
    names = [g.name for g in wall.groups if user_id in of_group.get(g.auth_group_id, ())]
    return listed(names)


def has_closed(actor: Actor) -> bool:
    """Say whether any restriction of the space keeps the actor out of something."""
    walls = closed_walls(actor)
    if walls is None:
        return False
    where = sealed_to(actor)
    return walls.exists() or (where is not None and RemovedDocument.objects.filter(where).exists())


def closed_documents(actor: Actor, document_ids: Collection[UUID]) -> set[UUID]:
    """Return those of the documents, gone ones too, that are closed to the actor now.

    A restriction keeps them out, or the document is another space's and not, or no longer, shared.
    """
    if not document_ids:
        return set()
    closed = sealed_ids(actor, document_ids) | _closed_elsewhere(actor, document_ids)
    walls = closed_walls(actor)
    if walls is None:
        return closed
    rows = walls.filter(document_id__in=document_ids).order_by()
    return closed | set(rows.values_list("document_id", flat=True))


def _closed_elsewhere(actor: Actor, document_ids: Collection[UUID]) -> set[UUID]:
    """Return those of other spaces' documents that are not open to the actor as a guest there.

    A document that is gone there, unrestricted, is as open as its base is.
    """
    with unscoped(reason="what was read as a guest lies in the space that shared it"):
        rows = Document.objects.filter(pk__in=document_ids).exclude(space_id=actor.space_id)
        there = dict(rows.exclude(state=DocumentState.DELETING).values_list("pk", "base_id"))
        traces = RemovedDocument.objects.filter(document_id__in=document_ids)
        gone = list(traces.exclude(space_id=actor.space_id))
    if not there and not gone:
        return set()
    open_bases: set[UUID | None] = set()
    seen: set[UUID] = set()
    bases = set(there.values()) | {row.base_id for row in gone if row.base_id}
    for guest in guests_of(reading_again(actor), kind="base", object_ids=bases):
        open_bases |= {shared.object_id for shared in guest.shared}
        with space_scope(guest.space_id):
            open_rows = visible(guest, "view", Document.objects.filter(pk__in=there))
            seen |= set(open_rows.values_list("pk", flat=True))
    closed = {
        row.document_id for row in gone if row.was_restricted or row.base_id not in open_bases
    }
    return closed | (there.keys() - seen)
