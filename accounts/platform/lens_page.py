"""What the lens' two pages show: the same for a space's admins and for the installation's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.models import User
from accounts.platform.lens import (
    LensKind,
    Look,
    Seen,
    Standing,
    Thing,
    explain_access,
    find_person,
    find_thing,
    find_things,
    lens_kind,
    lens_kinds,
    list_seen,
    people_of,
)
from core.errors import NotFound


@dataclass(frozen=True, kw_only=True)
class LensPage:
    """Everything on the page."""

    space_name: str
    people: Sequence[User]
    kinds: Sequence[LensKind]
    person: User | None = None
    kind: LensKind | None = None
    words: str = ""
    things: Sequence[Thing] = ()
    """To choose from, when a kind and no thing is chosen."""
    thing: Thing | None = None
    standings: Sequence[Standing] = ()
    """Of the chosen thing; empty with `thing`: it does not exist for the person."""
    seen: Sequence[Seen] | None = None
    """With a person and no kind: what they see; empty: they are no member."""


def read_lens_page(look: Look, query: Mapping[str, str]) -> LensPage:
    """Return the page for what was asked: `person`, `kind`, `q` (words) and `thing`.

    Raises:
        NotFound: one of them is not there.
    """
    people, kinds, words = people_of(look), lens_kinds(), query.get("q", "").strip()[:200]
    person = _person(look, query.get("person", ""))
    kind = lens_kind(query["kind"]) if query.get("kind") else None
    start = {"space_name": look.space.name, "people": people, "kinds": kinds}
    if person is None:
        return LensPage(**start, kind=kind, words=words)  # type: ignore[arg-type]  # three known types
    if kind is None:
        seen = list_seen(look, person=person)
        return LensPage(**start, person=person, seen=seen)  # type: ignore[arg-type]  # as above
    if not query.get("thing"):
        things = find_things(look, kind, words=words)
        return LensPage(**start, person=person, kind=kind, words=words, things=things)  # type: ignore[arg-type]  # as above
    row = find_thing(look, kind, thing_id=query["thing"])
    return LensPage(
        **start,  # type: ignore[arg-type]  # as above
        person=person,
        kind=kind,
        words=words,
        thing=Thing(id=str(row.pk), name=kind.called(row)),
        standings=explain_access(look, person=person, kind=kind, row=row),
    )


def _person(look: Look, asked: str) -> User | None:
    """Return the person by their number, or by their address as an administrator may type it."""
    if not asked:
        return None
    if asked.isdecimal():
        return find_person(look, user_id=int(asked))
    found = User.objects.filter(email__iexact=asked.strip()).values_list("pk", flat=True).first()
    if found is None:
        raise NotFound(_("There is no such person here."))
    return find_person(look, user_id=found)
