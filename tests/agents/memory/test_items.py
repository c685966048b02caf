"""Writing items: what replaces what, what is forgotten for good, and how much there is room for."""

from __future__ import annotations

import pytest

from agents.constants import MemoryKind, MemoryOrigin, MemoryState
from agents.memory.forgetting import (
    confirm_item,
    forget_everything,
    forget_item,
    restore_item,
)
from agents.memory.items import Draft, write_item
from agents.memory.owners import own_memory
from agents.models import MemoryItem, MemorySettings, MemoryTombstone
from core.errors import Gone, NotFound
from tests.agents.memory.conftest import keep
from tests.personas import Persona


def texts(persona: Persona, state: str = MemoryState.ACTIVE) -> list[str]:
    owner = own_memory(persona.actor)
    return sorted(
        MemoryItem.objects.filter(owner=owner, state=state).values_list("text", flat=True)
    )


def learn(persona: Persona, text: str, **fields: object) -> object:
    values = {"kind": MemoryKind.FACT, "origin": MemoryOrigin.EXTRACTED, **fields}
    return write_item(own_memory(persona.actor), Draft(text=text, **values)).outcome  # type: ignore[arg-type]


def test_the_same_topic_replaces_what_was_known(cora_remembers: Persona) -> None:
    old = keep(cora_remembers, "I sit in Berlin", kind=MemoryKind.PROFILE, topic="Office")
    new = keep(cora_remembers, "My desk is in Rome", kind=MemoryKind.PROFILE, topic=" office!")
    old.refresh_from_db()
    assert (old.state, old.superseded_by) == (MemoryState.SUPERSEDED, new)
    assert old.invalid_at is not None
    assert texts(cora_remembers) == ["My desk is in Rome"]


def test_the_same_topic_of_another_kind_is_another_matter(cora_remembers: Persona) -> None:
    keep(cora_remembers, "I work on tax", kind=MemoryKind.PROFILE, topic="tax")
    keep(cora_remembers, "The tax report is late", kind=MemoryKind.TASK, topic="tax")
    assert len(texts(cora_remembers)) == 2


def test_what_is_contained_in_another_is_one_item(cora_remembers: Persona) -> None:
    keep(cora_remembers, "The plant makes valves")
    keep(cora_remembers, "The plant makes valves and pumps")
    assert texts(cora_remembers) == ["The plant makes valves and pumps"]
    assert learn(cora_remembers, "the plant makes pumps") == "known"


def test_a_denial_replaces_what_it_denies(cora_remembers: Persona) -> None:
    keep(cora_remembers, "I like green tea", kind=MemoryKind.PREFERENCE)
    keep(cora_remembers, "I do not like green tea", kind=MemoryKind.PREFERENCE)
    assert texts(cora_remembers) == ["I do not like green tea"]
    keep(cora_remembers, "I like green tea", kind=MemoryKind.PREFERENCE)
    assert texts(cora_remembers) == ["I like green tea"]


def test_secrets_are_not_kept(cora_remembers: Persona) -> None:
    owner = own_memory(cora_remembers.actor)
    draft = Draft(
        kind=MemoryKind.FACT, text="sk-abcdefghijklmnop1234", origin=MemoryOrigin.EXPLICIT
    )
    written = write_item(owner, draft)
    assert (written.outcome, written.item) == ("rejected", None)
    assert "secret" in written.reason


def test_a_full_memory_sets_the_least_important_aside(cora_remembers: Persona) -> None:
    MemorySettings.objects.update(capacity=10)
    for number in range(10):
        keep(cora_remembers, f"Machine number {number} stands in hall {number}", importance=3)
    keep(cora_remembers, "The cat is grey", importance=1)
    keep(cora_remembers, "The director is called Mira", importance=5)
    assert len(texts(cora_remembers)) == 10
    assert "The cat is grey" in texts(cora_remembers, MemoryState.ARCHIVED)
    assert "The director is called Mira" in texts(cora_remembers)


def test_what_was_forgotten_is_not_learnt_again_unless_the_person_says_so(
    cora_remembers: Persona,
) -> None:
    item = keep(cora_remembers, "The plant is in Ulm")
    forget_item(cora_remembers.actor, item_id=item.pk)
    assert learn(cora_remembers, "the plant is in ULM!") == "rejected"
    keep(cora_remembers, "The plant is in Ulm", origin=MemoryOrigin.EXPLICIT)
    assert texts(cora_remembers) == ["The plant is in Ulm"]
    assert not MemoryTombstone.objects.exists()


def test_forgetting_erases_the_older_versions_too(cora_remembers: Persona) -> None:
    items = [
        keep(cora_remembers, f"I sit in {place}", topic="office")
        for place in ("Paris", "Berlin", "Rome")
    ]
    forget_item(cora_remembers.actor, item_id=items[-1].pk)
    assert not MemoryItem.objects.exists()
    assert learn(cora_remembers, "I sit in Paris", topic="office") == "rejected"


def test_forgetting_can_be_undone_for_a_while(cora_remembers: Persona) -> None:
    item = keep(cora_remembers, "The plant is in Ulm", importance=5)
    token = forget_item(cora_remembers.actor, item_id=item.pk)
    assert texts(cora_remembers) == []
    restored = restore_item(cora_remembers.actor, token=token)
    assert restored is not None
    assert (restored.text, restored.importance) == ("The plant is in Ulm", 5)
    with pytest.raises(Gone):
        restore_item(cora_remembers.actor, token=token + "x")


def test_another_person_cannot_restore_into_their_memory(
    cora_remembers: Persona, adam: Persona
) -> None:
    item = keep(cora_remembers, "The plant is in Ulm")
    token = forget_item(cora_remembers.actor, item_id=item.pk)
    with pytest.raises(Gone):
        restore_item(adam.actor, token=token)


def test_inferred_items_wait_for_the_person(cora_remembers: Persona) -> None:
    keep(cora_remembers, "I sit in Berlin", topic="office")
    assert learn(cora_remembers, "I sit in Rome", topic="office", is_sure=False) == "added"
    assert texts(cora_remembers) == ["I sit in Berlin"]
    pending = MemoryItem.objects.get(state=MemoryState.PENDING)
    confirm_item(cora_remembers.actor, item_id=pending.pk)
    assert texts(cora_remembers) == ["I sit in Rome"]


def test_nobody_else_reaches_an_item(
    cora_remembers: Persona, adam: Persona, olivia: Persona, mallory: Persona
) -> None:
    item = keep(cora_remembers, "The plant is in Ulm")
    for other in (adam, olivia, mallory):
        with pytest.raises(NotFound):
            forget_item(other.actor, item_id=item.pk)
        with pytest.raises(NotFound):
            confirm_item(other.actor, item_id=item.pk)
    assert forget_everything(adam.actor) == 0
    assert texts(cora_remembers) == ["The plant is in Ulm"]


def test_forgetting_everything_leaves_nothing_but_the_switch(cora_remembers: Persona) -> None:
    keep(cora_remembers, "The plant is in Ulm")
    forget_item(cora_remembers.actor, item_id=keep(cora_remembers, "The cat is grey").pk)
    assert forget_everything(cora_remembers.actor) == 1
    assert not MemoryItem.objects.exists()
    assert not MemoryTombstone.objects.exists()
    assert own_memory(cora_remembers.actor).read_until is not None
