"""What the page about a place's readers shows: who is named, what folders above say, who reads."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.constants import MembershipState
from accounts.models import Membership, SpaceGroup
from core.wording import listed
from knowledge.access.fit import folders_above
from knowledge.access.queries import (
    Named,
    Reader,
    restricted_folders,
    restrictions_above,
    who_may_read,
)
from knowledge.access.restrict import Place
from knowledge.models import Document, KnowledgeBase
from knowledge.pages.heads import head_of
from knowledge.queries import list_documents

SHOWN_PEOPLE = 50
SHOWN_FOLDERS = 500


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A person or group that can be named."""

    value: str
    label: str
    detail: str
    is_checked: bool
    icon: str = "user"


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What stands in the form."""

    user_ids: frozenset[int] = frozenset()
    group_ids: frozenset[int] = frozenset()
    search: str = ""


def place_context(actor: Actor, base: KnowledgeBase, place: Place, wish: Wish | None) -> Any:
    """Return what `knowledge/access.html` shows of one place."""
    document = _document_of(actor, place)
    folder = document.folder_path if document else place.folder_path
    holding = restrictions_above(
        actor, base_id=base.pk, folder_path=folder, document_id=place.document_id
    )
    own = next((each for each in holding if _is_of(each, place)), None)
    if wish is None:
        wish = _wish_of(own)
    return {
        "place_label": _label(place, document),
        "is_restricted": own is not None,
        "above": [_line(each) for each in holding if each is not own],
        "choices": choices_of(actor, wish),
        "search": wish.search,
        "readers": readers_of(who_may_read(actor, document_id=document.pk)) if document else None,
    }


def folders_context(actor: Actor, base: KnowledgeBase) -> dict[str, Any]:
    """Return the folders of a base, with who is named where; the whole base comes first."""
    named = {each.folder_path: each for each in restricted_folders(actor, base_id=base.pk)}
    paths = list_documents(actor, base.pk).order_by().values_list("folder_path", flat=True)
    known = {above for path in paths.distinct()[:SHOWN_FOLDERS] for above in folders_above(path)}
    rows = [
        {
            "path": path,
            "label": path or _("All documents of this knowledge base"),
            "named": _line(named[path])["named"] if path in named else "",
            "is_restricted": path in named,
        }
        for path in sorted(known | set(named) | {""})
    ]
    return {**head_of(actor, base), "folders": rows}


def choices_of(actor: Actor, wish: Wish) -> list[Choice]:
    """Return the groups and people to choose from: those chosen first, then those that match."""
    groups = SpaceGroup.objects.filter(space_id=actor.space_id)
    members = Membership.objects.filter(
        space_id=actor.space_id, state=MembershipState.ACTIVE, user__is_active=True
    ).select_related("user")
    matching = Q(user__name__icontains=wish.search) | Q(user__email__icontains=wish.search)
    chosen = Q(user_id__in=wish.user_ids)
    people = [
        *members.filter(chosen).order_by("user__name"),
        *members.filter(matching).exclude(chosen).order_by("user__name")[:SHOWN_PEOPLE],
    ]
    named = groups.filter(Q(name__icontains=wish.search) | Q(pk__in=wish.group_ids))
    return [
        *(
            Choice(
                value=f"group:{group.pk}",
                label=group.name,
                detail=_("Group"),
                is_checked=group.pk in wish.group_ids,
                icon="users",
            )
            for group in named
        ),
        *(
            Choice(
                value=f"user:{member.user_id}",
                label=str(member.user),
                detail=member.user.email,
                is_checked=member.user_id in wish.user_ids,
            )
            for member in people
        ),
    ]


def readers_of(readers: Sequence[Reader]) -> list[dict[str, str]]:
    """Return who reads a document now, with the reason in words."""
    words = {
        "role": _("administers the space"),
        "creator": _("created the knowledge base"),
        "open": _("member of the space"),
        "name": _("named"),
    }
    return [
        {
            "name": str(each.user),
            "initials": each.user.initials,
            "why": words.get(each.via) or _("in %(groups)s") % {"groups": each.via},
        }
        for each in readers
    ]


def wish_in(values: Collection[str], *, search: str) -> Wish:
    """Read the checked boxes of the form; what is none of ours is left out."""
    users: set[int] = set()
    groups: set[int] = set()
    for value in values:
        kind, _colon, number = value.partition(":")
        if number.isascii() and number.isdigit() and len(number) < 10:
            (users if kind == "user" else groups).add(int(number))
    return Wish(user_ids=frozenset(users), group_ids=frozenset(groups), search=search.strip()[:100])


def _wish_of(own: Named | None) -> Wish:
    if own is None:
        return Wish()
    return Wish(
        user_ids=frozenset(user.pk for user in own.users),
        group_ids=frozenset(group.pk for group in own.groups),
    )


def _document_of(actor: Actor, place: Place) -> Document | None:
    if place.document_id is None:
        return None
    return list_documents(actor, place.base_id).get(pk=place.document_id)


def _is_of(named: Named, place: Place) -> bool:
    if place.document_id is not None:
        return named.document_id == place.document_id
    return named.document_id is None and named.folder_path == place.folder_path


def _label(place: Place, document: Document | None) -> str:
    if document is not None:
        return document.name
    return place.folder_path or _("All documents of this knowledge base")


def _line(named: Named) -> dict[str, str]:
    people = [*(group.name for group in named.groups), *(str(user) for user in named.users)]
    return {
        "path": named.folder_path,
        "label": named.folder_path or _("All documents of this knowledge base"),
        "named": listed(people) or _("nobody but its administrators"),
    }


def document_place(document: Document) -> Place:
    """Return the place that a document is."""
    return Place(base_id=document.base_id, document_id=document.pk)


def folder_place(base_id: UUID, path: str) -> Place:
    """Return the place that a folder is, as documents keep theirs."""
    return Place(base_id=base_id, folder_path="/".join(p for p in path.split("/") if p.strip(" .")))
