"""The packed state: everything comes back, what only grows is stored once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents.engine.state import RunState
from agents.models import MessageBlob
from agents.runs.blobs import SOURCES_A_PAGE, forget, pack_state, sources_in, unpack_state
from providers.contracts.chat import ChatMessage
from tests.personas import Persona


@pytest.fixture
def space_id(cora: Persona) -> Iterator[int]:
    forget()
    with cora.scope():
        yield cora.space.pk


def state_with(*, sources: int, messages: int) -> RunState:
    state = RunState.begin("Why?", system="Answer.")
    for number in range(sources):
        state.aliases.chunk(f"chunk-{number}", document_id="d", title=f"Report {number}")
    for number in range(messages):
        state.messages.append(ChatMessage(role="assistant", content=f"Message {number}"))
    return state


@pytest.mark.parametrize(
    "sources", [0, 1, SOURCES_A_PAGE - 1, SOURCES_A_PAGE, SOURCES_A_PAGE * 3 + 7]
)
def test_packed_state_comes_back_whole(space_id: int, sources: int) -> None:
    state = state_with(sources=sources, messages=3)
    back = unpack_state(pack_state(space_id, state))
    assert back == state
    assert list(back.aliases.sources) == list(state.aliases.sources)
    assert back.aliases.chunk("chunk-new") == f"c{sources + 1}"


def test_meaning_of_aliases_is_read_without_the_messages(space_id: int) -> None:
    state = state_with(sources=SOURCES_A_PAGE + 1, messages=0)
    assert sources_in(pack_state(space_id, state)) == state.aliases.sources
    assert sources_in({}) == {}


def test_packing_again_stores_nothing_and_a_new_message_one_row(
    space_id: int,
) -> None:
    state = state_with(sources=SOURCES_A_PAGE, messages=20)
    pack_state(space_id, state)
    rows = MessageBlob.objects.count()
    pack_state(space_id, state)
    assert MessageBlob.objects.count() == rows == 2 + 20 + 1
    state.messages.append(ChatMessage(role="user", content="And?"))
    pack_state(space_id, state)
    assert MessageBlob.objects.count() == rows + 1


def test_row_of_the_run_grows_by_hashes_only(space_id: int) -> None:
    short = len(str(pack_state(space_id, state_with(sources=0, messages=0))))
    long = len(str(pack_state(space_id, state_with(sources=SOURCES_A_PAGE * 20, messages=200))))
    assert long - short < 220 * 70


def test_lost_rows_are_stored_again(space_id: int) -> None:
    """What this process remembers of hashes is never taken for what the database holds."""
    state = state_with(sources=SOURCES_A_PAGE, messages=2)
    pack_state(space_id, state)
    MessageBlob.objects.all().delete()
    assert unpack_state(pack_state(space_id, state)) == state
