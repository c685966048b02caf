"""The access lens: what a person may do with something and why, and what they see; without being them.

It asks `accounts.access` with the person's own actor, as every door does, and opens nothing: kinds of
things are registered by the composition root with the name that the lens may show. Who looks sees at
most what they may see themselves; administrators of the installation see names, never content. Each
look is in the audit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.translation import gettext as _

from accounts.access import Action, Actor, Verdict, explain, require, visible
from accounts.actors import find_actor
from accounts.guests import guests_by_address
from accounts.models import Space, User
from accounts.platform.administrators import require_administrator
from accounts.platform.settings_kinds import Text
from accounts.services.audit import record_audit
from accounts.services.platform_audit import record_platform_audit
from core.errors import NotFound
from core.tenancy import space_scope

MOST_LISTED = 200


@dataclass(frozen=True, kw_only=True)
class LensKind:
    """One kind of thing that the lens looks at."""

    name: str
    label: Text
    model: type[models.Model]
    actions: tuple[Action, ...]
    called: Callable[[Any], str] = str
    """What a row is called; never what is in it."""
    find: Callable[[int], models.QuerySet[Any]]
    """The rows of a space, newest or first ones first."""
    search_field: str = ""
    """By which part of its name a row is found; empty: by its id alone."""
    guest_argument: str = ""
    """Name of the argument of addresses by which guests come to such a row; empty: they do not."""
    is_listed: bool = True
    """Whether "what that person sees" lists them."""


@dataclass(frozen=True, kw_only=True)
class Thing:
    """One row to look at."""

    id: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """The answer about one action."""

    action: Action
    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class Standing:
    """As whom the person comes, and what they may do so."""

    role: str
    """Their role in the space; empty for a guest."""
    home: str
    """Of a guest: the space they come from."""
    lines: tuple[Line, ...]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a person sees of one kind."""

    kind: LensKind
    things: tuple[Thing, ...]
    is_cut: bool
    """Whether there is more than is listed."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """Who looks into which space: somebody of the space, or an administrator of the installation."""

    space: Space
    actor: Actor | None
    """None: an administrator of the installation, who is in no space for this."""
    user: User


_kinds: dict[str, LensKind] = {}


def register_lens_kind(kind: LensKind) -> None:
    """Let the lens look at a kind of thing; called from an app's `ready`."""
    if kind.name in _kinds:
        raise RuntimeError(f"the lens knows {kind.name} already")
    _kinds[kind.name] = kind


def lens_kinds() -> tuple[LensKind, ...]:
    """Return every kind, in the order in which they were registered."""
    return tuple(_kinds.values())


def lens_kind(name: str) -> LensKind:
    """Return a kind.

    Raises:
        NotFound: there is none of this name.
    """
    try:
        return _kinds[name]
    except KeyError:
        raise NotFound(_("The lens does not look at “%(name)s”.") % {"name": name}) from None


def look_as_member(actor: Actor, user: User) -> Look:
    """Return the look of a space's admin into their own space.

    Raises:
        AccessDenied: the actor does not manage the space.
    """
    space = Space.objects.get(pk=actor.space_id)
    require(actor, "manage", space)
    return Look(space=space, actor=actor, user=user)


def look_as_administrator(user: User, *, space_id: int) -> Look:
    """Return the look of an administrator of the installation into a space.

    Raises:
        AccessDenied: they do not administer it.
        NotFound: there is no such space.
    """
    require_administrator(user)
    space = Space.objects.filter(pk=space_id).first()
    if space is None:
        raise NotFound(_("There is no such space."))
    return Look(space=space, actor=None, user=user)


def people_of(look: Look) -> list[User]:
    """Return the space's members, to choose from."""
    return list(
        User.objects.filter(memberships__space=look.space).order_by("email").distinct()[:1000]
    )


def find_person(look: Look, *, user_id: int) -> User:
    """Return the person to ask about.

    Raises:
        NotFound: there is none, or a space's admin asks about somebody who is no member.
    """
    rows = User.objects.filter(pk=user_id)
    if look.actor is not None:
        rows = rows.filter(memberships__space=look.space)
    person = rows.first()
    if person is None:
        raise NotFound(_("There is no such person here."))
    return person


def find_things(look: Look, kind: LensKind, *, words: str = "") -> list[Thing]:
    """Return rows of a kind to choose from, some only."""
    with space_scope(look.space.pk):
        rows = _open_to(look, kind)
        if words and kind.search_field:
            rows = rows.filter(**{f"{kind.search_field}__icontains": words})
        return [_thing(kind, row) for row in rows[:50]]


def find_thing(look: Look, kind: LensKind, *, thing_id: str) -> Any:
    """Return one row.

    Raises:
        NotFound: there is none in the space, or who looks may not see it themselves.
    """
    with space_scope(look.space.pk):
        try:
            row = _open_to(look, kind).filter(pk=kind.model._meta.pk.to_python(thing_id)).first()
        except (ValueError, TypeError, ValidationError):
            row = None
    if row is None:
        raise NotFound(_("There is no such thing, or you may not see it yourself."))
    return row


def explain_access(look: Look, *, person: User, kind: LensKind, row: Any) -> list[Standing]:
    """Return what a person may do with a row and why, once for each way in which they come to it.

    Empty: they are no member and nothing is shared with them; for them it does not exist.
    """
    with transaction.atomic():
        _record(look, "lens.explain", person, kind=kind.name, thing=str(row.pk))
    found = []
    for actor, home in _ways(look, person, kind, row):
        with space_scope(actor.space_id):
            lines = tuple(
                Line(action=action, verdict=explain(actor, action, row)) for action in kind.actions
            )
        found.append(Standing(role=actor.role or "", home=home, lines=lines))
    return found


def list_seen(look: Look, *, person: User) -> list[Seen]:
    """Return what a person sees in the space, by kind; of it, what who looks may see themselves."""
    with transaction.atomic():
        _record(look, "lens.list", person)
    actor = find_actor(person, space_id=look.space.pk)
    if actor is None:
        return []
    found = []
    with space_scope(look.space.pk):
        for kind in lens_kinds():
            if kind.is_listed:
                rows = list(visible(actor, "view", _open_to(look, kind))[: MOST_LISTED + 1])
                things = tuple(_thing(kind, row) for row in rows[:MOST_LISTED])
                found.append(Seen(kind=kind, things=things, is_cut=len(rows) > MOST_LISTED))
    return found


def _open_to(look: Look, kind: LensKind) -> models.QuerySet[Any]:
    rows = kind.find(look.space.pk)
    return rows if look.actor is None else visible(look.actor, "view", rows)


def _ways(look: Look, person: User, kind: LensKind, row: Any) -> list[tuple[Actor, str]]:
    own = find_actor(person, space_id=look.space.pk)
    found = [(own, "")] if own is not None else []
    if not kind.guest_argument or not person.is_active:
        return found
    homes = person.memberships.exclude(space=look.space).select_related("space")
    for membership in homes.order_by("joined_at"):
        actor = find_actor(person, space_id=membership.space_id)
        if actor is None:
            continue
        guests = guests_by_address(actor, argument=kind.guest_argument, values=[row.pk])
        found += [
            (guest, membership.space.name) for guest in guests if guest.space_id == look.space.pk
        ]
    return found


def _thing(kind: LensKind, row: Any) -> Thing:
    return Thing(id=str(row.pk), name=kind.called(row))


def _record(look: Look, action: str, person: User, **details: Any) -> None:
    if look.actor is not None:
        record_audit(look.actor, action, target=person, **details)
    else:
        record_platform_audit(
            look.user,
            action,
            target=person,
            space=look.space.pk,
            space_name=look.space.name,
            **details,
        )
