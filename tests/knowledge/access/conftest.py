"""A base of cora's with folders, and a group of members."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from django.contrib.auth.models import Group

from accounts.access import Actor, visible
from accounts.models import Space, SpaceGroup
from knowledge.models import Document, KnowledgeBase
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


def make_group(space: Space, *people: Persona, name: str = "Legal") -> SpaceGroup:
    """Make a group of a space with these members."""
    auth_group = Group.objects.create(name=f"{space.pk}:{name}")
    for person in people:
        person.user.groups.add(auth_group)
    return SpaceGroup(space=space, name=name, auth_group=auth_group)


@dataclass(kw_only=True)
class Shelf:
    """Cora's base with a document at the root and in two folders, one inside of the other."""

    base: KnowledgeBase
    root: Document
    outer: Document
    inner: Document
    people: dict[str, Persona] = field(default_factory=dict)

    def readers(self, document: Document) -> set[str]:
        """Return who of the people sees the document."""
        return {name for name, one in self.people.items() if sees(one.actor, document)}


def sees(actor: Actor, document: Document) -> bool:
    """Whether the actor finds the document in a list."""
    rows = visible(actor, "view", Document.objects.filter(pk=document.pk))
    return rows.count() == 1


@pytest.fixture
def shelf(
    olivia: Persona, adam: Persona, cora: Persona, victor: Persona, mallory: Persona
) -> Shelf:
    base = make_base(olivia.space, name="Shelf", created_by=cora.user)
    people = (olivia, adam, cora, victor, mallory)
    return Shelf(
        base=base,
        root=make_document(base, name="root.txt", texts=["The door is open."]),
        outer=make_document(
            base, name="outer.txt", texts=["The key is red."], folder_path="Law/2026"
        ),
        inner=make_document(
            base, name="inner.txt", texts=["The safe is blue."], folder_path="Law/2026/Cases"
        ),
        people=dict(zip(("olivia", "adam", "cora", "victor", "mallory"), people, strict=True)),
    )


@pytest.fixture
def group_of(space_a: Space) -> Callable[..., SpaceGroup]:
    """Make groups of space A."""

    def make(*people: Persona, name: str = "Legal") -> SpaceGroup:
        group = make_group(space_a, *people, name=name)
        group.save()
        return group

    return make
