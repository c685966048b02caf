"""A correction outlives every reading of its document, or is put before a person."""

from __future__ import annotations

import pytest
from django.db import transaction

from knowledge.constants import ChunkKind, CorrectionState, RevisionKind
from knowledge.corrections.edit import edit_chunk, revert_chunk, set_enabled
from knowledge.models import Chunk, Correction
from knowledge.organising.carry import copy_document
from knowledge.organising.versions import replace_document
from tests.factories.knowledge import make_base
from tests.knowledge.corrections.conftest import IN_PARTS, LARGE, SMALL, TEXT, TINY, Shelf

pytestmark = pytest.mark.django_db(transaction=True)


def correct(shelf: Shelf, part: str, old: str, new: str) -> Chunk:
    chunk = shelf.passage(part)
    return edit_chunk(
        shelf.person.actor,
        chunk_id=chunk.pk,
        version=chunk.version,
        text=chunk.text.replace(old, new),
    )


def replace(shelf: Shelf, text: str) -> None:
    replace_document(
        shelf.person.actor, document_id=shelf.document.pk, name="new.md", content=text.encode()
    )
    shelf.work()


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("processing", [LARGE, TINY, SMALL], ids=["larger", "smaller", "same"])
def test_correction_survives_other_settings(shelf: Shelf, processing: dict[str, object]) -> None:
    correct(shelf, "ropes", "keeper 2 counts", "Ada weighs")
    wanted = TEXT.replace("keeper 2 counts", "Ada weighs")
    shelf.read_again(processing)
    assert squeezed(shelf.text()) == squeezed(wanted)
    shelf.read_again(SMALL)
    assert squeezed(shelf.text()) == squeezed(wanted)
    row = Correction.objects.get(state=CorrectionState.APPLIED)
    assert row.chunk == shelf.passage("Ada weighs")


def test_same_reading_changes_nothing(shelf: Shelf) -> None:
    chunk = correct(shelf, "ropes", "keeper 2 counts", "Ada weighs")
    before = list(Chunk.objects.order_by("pk").values("pk", "text", "detail", "version"))
    revision = shelf.document.revision
    shelf.read_again()
    assert list(Chunk.objects.order_by("pk").values("pk", "text", "detail", "version")) == before
    assert shelf.document.revision == revision
    row = Correction.objects.get()
    assert row.chunk_id == chunk.pk
    assert [each.kind for each in row.revisions.all()] == [RevisionKind.EDIT]


def test_carried_over_correction_can_still_be_taken_back(shelf: Shelf) -> None:
    correct(shelf, "ropes", "keeper 2 counts", "Ada weighs")
    shelf.read_again(LARGE)
    chunk = shelf.passage("Ada weighs")
    row = Correction.objects.get()
    assert [each.kind for each in row.revisions.all()] == [RevisionKind.EDIT, RevisionKind.REANCHOR]
    revert_chunk(shelf.person.actor, chunk_id=chunk.pk, version=chunk.version, number=0)
    shelf.read_again(SMALL)
    assert squeezed(shelf.text()) == squeezed(TEXT)


def test_two_corrections_become_one_in_a_larger_passage_and_two_again(shelf: Shelf) -> None:
    correct(shelf, "ropes", "keeper 2 counts", "Ada weighs")
    correct(shelf, "boats", "keeper 3 counts", "Grace tells")
    shelf.read_again(LARGE)
    states = sorted(Correction.objects.values_list("state", flat=True))
    assert states == [CorrectionState.APPLIED, CorrectionState.WITHDRAWN]
    shelf.read_again(SMALL)
    wanted = TEXT.replace("keeper 2 counts", "Ada weighs").replace("keeper 3 counts", "Grace tells")
    assert squeezed(shelf.text()) == squeezed(wanted)
    assert Correction.objects.filter(state=CorrectionState.APPLIED).count() == 2


def test_sections_have_the_correction_too(shelf: Shelf) -> None:
    correct(shelf, "ropes", "keeper 2 counts", "Ada weighs")
    shelf.read_again(IN_PARTS)
    (section,) = Chunk.objects.filter(kind=ChunkKind.PARENT, text__contains="Ada weighs")
    assert section.children.filter(text__contains="Ada weighs").exists()


def test_new_version_keeps_the_correction(shelf: Shelf) -> None:
    correct(shelf, "ropes", "keeper 2 counts", "Ada weighs")
    new = "# Preface\n\nThis is the edition of 2027.\n\n" + TEXT.replace("the hour", "day and hour")
    replace(shelf, new)
    assert squeezed(shelf.text()) == squeezed(new.replace("keeper 2 counts", "Ada weighs"))
    assert Correction.objects.get().state == CorrectionState.APPLIED


def test_new_version_that_says_it_already_gets_it_once(shelf: Shelf) -> None:
    correct(shelf, "ropes", "keeper 2 counts", "keeper 2 counts and oils")
    new = TEXT.replace("keeper 2 counts", "keeper 2 counts and oils")
    replace(shelf, new)
    assert squeezed(shelf.text()) == squeezed(new)
    assert Correction.objects.get().state == CorrectionState.APPLIED
    replace(shelf, TEXT)
    assert squeezed(shelf.text()) == squeezed(new)


def test_correction_whose_place_is_gone_is_lost_and_comes_back_with_it(shelf: Shelf) -> None:
    correct(shelf, "ropes", "keeper 2 counts", "Ada weighs")
    without = "\n\n".join(part for part in TEXT.split("\n\n# ") if not part.startswith("Ropes"))
    replace(shelf, without)
    assert "Ada" not in shelf.text()
    row = Correction.objects.get()
    assert (row.state, row.chunk_id) == (CorrectionState.LOST, None)
    replace(shelf, TEXT)
    row.refresh_from_db()
    assert row.state == CorrectionState.APPLIED
    assert "Ada weighs" in shelf.text()


def test_what_is_switched_off_stays_off(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    set_enabled(shelf.person.actor, chunk_id=chunk.pk, is_enabled=False)
    shelf.read_again(TINY)
    off = [row.text for row in shelf.passages() if not row.is_enabled]
    assert off
    assert all("rope" in text.lower() for text in off)
    shelf.read_again(SMALL)
    assert [row.is_enabled for row in shelf.passages()] == [True, False, True, True]
    shelf.read_again(LARGE)
    assert {row.state for row in Correction.objects.all()} >= {CorrectionState.LOST}
    assert all(row.is_enabled for row in shelf.passages())


def test_questions_of_people_go_along(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    question = Chunk.objects.create(
        space_id=chunk.space_id,
        base_id=chunk.base_id,
        document=shelf.document,
        document_revision=1,
        kind=ChunkKind.QUESTION,
        position=0,
        text="Who minds the ropes?",
        content_hash="0" * 64,
        char_start=0,
        char_end=0,
        parent=chunk,
        detail={"origin": "person", "source_hash": chunk.content_hash},
    )
    shelf.read_again(LARGE)
    question.refresh_from_db()
    assert question.parent is not None
    assert "ropes" in question.parent.text


def test_copy_of_a_document_has_its_corrections(shelf: Shelf) -> None:
    correct(shelf, "ropes", "keeper 2 counts", "Ada weighs")
    target = make_base(shelf.person.space, name="Other", created_by=shelf.person.user)
    with transaction.atomic():
        made = copy_document(shelf.person.actor, shelf.document, target)
    copied = Shelf(person=shelf.person, document=made)
    copied.work()
    assert "Ada weighs" in copied.text()
    assert Correction.objects.get(document=made).state == CorrectionState.APPLIED
