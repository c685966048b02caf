from __future__ import annotations

import pytest

from core.errors import AccessDenied, Conflict, NotFound
from knowledge.constants import CorrectionState
from knowledge.corrections.edit import edit_chunk
from knowledge.corrections.lost import (
    apply_by_hand,
    candidates_of,
    count_lost,
    list_corrections,
    list_lost,
    withdraw,
)
from knowledge.models import Correction
from knowledge.organising.versions import replace_document
from tests.knowledge.corrections.conftest import TEXT, Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lost(shelf: Shelf) -> Correction:
    """Of a passage that the new file says in other words."""
    chunk = shelf.passage("ropes")
    edit_chunk(
        shelf.person.actor,
        chunk_id=chunk.pk,
        version=1,
        text=chunk.text.replace("keeper 2 counts the ropes", "Ada weighs the ropes"),
    )
    other = TEXT.replace("Every evening keeper 2 counts the ropes", "The ropes are numbered by day")
    replace_document(
        shelf.person.actor, document_id=shelf.document.pk, name="x.md", content=other.encode()
    )
    shelf.work()
    return Correction.objects.get(state=CorrectionState.LOST)


def test_lost_correction_is_listed_with_the_passages_like_it(
    shelf: Shelf, lost: Correction
) -> None:
    actor = shelf.person.actor
    assert list(list_corrections(actor, shelf.document.pk)) == [lost]
    assert list(list_lost(actor, shelf.document.base_id)) == [lost]
    assert count_lost(actor, shelf.document.pk) == 1
    assert candidates_of(lost)[0].chunk == shelf.passage("The ropes are numbered by day")


def test_lost_correction_is_put_in_by_hand_and_outlives_the_next_reading(
    shelf: Shelf, lost: Correction
) -> None:
    chunk = shelf.passage("numbered by day")
    apply_by_hand(
        shelf.person.actor,
        correction_id=lost.pk,
        chunk_id=chunk.pk,
        version=chunk.version,
        text=chunk.text.replace("numbered by day", "weighed by Ada"),
    )
    shelf.read_again()
    lost.refresh_from_db()
    assert (lost.state, lost.chunk_id) == (CorrectionState.APPLIED, chunk.pk)
    assert lost.revisions.count() == 2
    with pytest.raises(Conflict):
        apply_by_hand(
            shelf.person.actor, correction_id=lost.pk, chunk_id=chunk.pk, version=2, text="Again."
        )


def test_withdrawn_correction_is_gone_from_lists_and_readings(
    shelf: Shelf, lost: Correction
) -> None:
    withdraw(shelf.person.actor, correction_id=lost.pk)
    assert not list_corrections(shelf.person.actor, shelf.document.pk)
    shelf.read_again()
    assert Correction.objects.get().state == CorrectionState.WITHDRAWN


def test_withdrawing_an_applied_one_brings_back_what_was_read(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    edit_chunk(shelf.person.actor, chunk_id=chunk.pk, version=1, text="Other words.")
    withdraw(shelf.person.actor, correction_id=Correction.objects.get().pk)
    assert shelf.passage("ropes").text == chunk.text


def test_viewer_sees_and_withdraws_nothing_and_strangers_see_nothing(
    lost: Correction, victor: Persona, mallory: Persona
) -> None:
    with pytest.raises(AccessDenied):
        withdraw(victor.actor, correction_id=lost.pk)
    with mallory.scope(), pytest.raises(NotFound):
        withdraw(mallory.actor, correction_id=lost.pk)
