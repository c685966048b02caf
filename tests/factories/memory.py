"""Memories for tests. Each function opens the space of what it makes."""

from __future__ import annotations

from typing import Any

from accounts.models import Space, User
from agents.constants import MemoryKind, MemoryOrigin
from agents.models import FamiliarDocument, MemoryItem, MemoryOwner, MemoryTopic
from core.tenancy import space_scope
from knowledge.models import Document


def make_owner(space: Space, *, user: User) -> MemoryOwner:
    """Return a person's memory in the space."""
    with space_scope(space.pk):
        return MemoryOwner.objects.get_or_create(
            space=space, principal=f"user:{user.pk}", defaults={"user": user}
        )[0]


def make_memory(
    space: Space, *, user: User, text: str = "I like tea.", **fields: Any
) -> MemoryItem:
    """Make one thing that is remembered of the person."""
    fields = {"kind": MemoryKind.PREFERENCE, "origin": MemoryOrigin.EXPLICIT, **fields}
    owner = make_owner(space, user=user)
    with space_scope(space.pk):
        return MemoryItem.objects.create(space=space, owner=owner, text=text, **fields)


def make_topic(space: Space, *, user: User, name: str = "Flaps") -> MemoryTopic:
    """Make a topic that came up once."""
    owner = make_owner(space, user=user)
    with space_scope(space.pk):
        return MemoryTopic.objects.create(space=space, owner=owner, key=name.lower(), name=name)


def make_familiar(space: Space, *, user: User, document: Document) -> FamiliarDocument:
    """Make a document that was cited to the person twice."""
    owner = make_owner(space, user=user)
    with space_scope(space.pk):
        return FamiliarDocument.objects.create(
            space=space, owner=owner, document=document, citations=2
        )
