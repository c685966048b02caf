from __future__ import annotations

import pytest

from accounts.models import AuditEvent
from core.errors import AccessDenied, Conflict, Invalid, NotFound, TooLarge
from knowledge.constants import CorrectionState, RevisionKind
from knowledge.corrections.edit import edit_chunk, revert_chunk, set_enabled
from knowledge.evidence import Cited, read_evidence, store_evidence
from knowledge.models import Chunk, Correction, Embedding, EvidenceRow, KeywordRow
from tests.knowledge.corrections.conftest import IN_PARTS, Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def edit(shelf: Shelf, chunk: Chunk, text: str) -> Chunk:
    return edit_chunk(shelf.person.actor, chunk_id=chunk.pk, version=chunk.version, text=text)


def test_edit_is_embedded_and_indexed_alone(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    vectors = set(Embedding.objects.values_list("pk", flat=True))
    edit(shelf, chunk, "The hawsers of the harbor are Ada's.")
    assert "hawser" in str(KeywordRow.objects.get(chunk=chunk).terms)
    shelf.work()
    left = set(Embedding.objects.values_list("pk", flat=True))
    assert len(vectors - left) == len(left - vectors) == 1
    assert Embedding.objects.filter(chunk=chunk).count() == 1


def test_edit_keeps_what_was_read_and_who_changed_it(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    edit(shelf, chunk, chunk.text.replace("keeper 2", "Ada"))
    row = Correction.objects.get()
    assert (row.original_text, row.chunk_id) == (chunk.text, chunk.pk)
    assert (row.updated_by, row.state) == (shelf.person.user, CorrectionState.APPLIED)
    assert "Every evening keeper 1" in row.before
    assert row.after.strip().startswith("# Boats")
    assert AuditEvent.objects.filter(action="chunk.edit").count() == 1


def test_second_editor_is_told(shelf: Shelf, olivia: Persona) -> None:
    chunk = shelf.passage("ropes")
    edit(shelf, chunk, "Cora's words.")
    with pytest.raises(Conflict, match="Somebody else") as told:
        edit_chunk(olivia.actor, chunk_id=chunk.pk, version=chunk.version, text="Olivia's words.")
    assert told.value.data == {"version": chunk.version + 1}
    assert shelf.passage("Cora's words.").version == chunk.version + 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (" \n ", Invalid),
        ("ü" * 100_001, TooLarge),
        ("A ![spy](https://elsewhere.test/pixel.png)", Invalid),
        ("A <img src=https://elsewhere.test/pixel.png>", Invalid),
    ],
    ids=["blank", "too long", "another picture", "another picture in HTML"],
)
def test_what_cannot_stand_is_refused(shelf: Shelf, text: str, problem: type[Exception]) -> None:
    with pytest.raises(problem):
        edit(shelf, shelf.passage("ropes"), text)
    assert not Correction.objects.exists()


def test_way_back_is_a_new_revision(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    read = chunk.text
    first = edit(shelf, chunk, "First words.")
    second = edit(shelf, first, "Second words.")
    back = revert_chunk(shelf.person.actor, chunk_id=chunk.pk, version=second.version, number=1)
    assert back.text == "First words."
    row = Correction.objects.get()
    kinds = [revision.kind for revision in row.revisions.all()]
    assert kinds == [RevisionKind.EDIT, RevisionKind.EDIT, RevisionKind.REVERT]
    again = revert_chunk(shelf.person.actor, chunk_id=chunk.pk, version=back.version, number=0)
    assert again.text == read
    row.refresh_from_db()
    assert row.state == CorrectionState.WITHDRAWN
    with pytest.raises(NotFound):
        revert_chunk(shelf.person.actor, chunk_id=chunk.pk, version=again.version, number=9)


def test_section_says_what_its_passage_says(shelf: Shelf) -> None:
    shelf.read_again(IN_PARTS)
    chunk = next(row for row in shelf.passages() if "signs for it with keeper 3" in row.text)
    assert chunk.parent is not None
    edit(shelf, chunk, chunk.text.replace("signs for it", "pays for it"))
    section = Chunk.objects.get(pk=chunk.parent.pk)
    assert section.text == chunk.parent.text.replace(
        "signs for it with keeper 3", "pays for it with keeper 3"
    )
    revert_chunk(shelf.person.actor, chunk_id=chunk.pk, version=2, number=0)
    section.refresh_from_db()
    assert section.text == chunk.parent.text
    assert section.detail == chunk.parent.detail


def test_switching_off_is_no_new_text(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    vector = Embedding.objects.get(chunk=chunk).pk
    set_enabled(shelf.person.actor, chunk_id=chunk.pk, is_enabled=False)
    assert not shelf.passage("ropes").is_enabled
    assert Embedding.objects.get(chunk=chunk).pk == vector
    set_enabled(shelf.person.actor, chunk_id=chunk.pk, is_enabled=True)
    assert Correction.objects.get().state == CorrectionState.WITHDRAWN


def test_earlier_answers_keep_what_they_quoted(shelf: Shelf) -> None:
    chunk = shelf.passage("ropes")
    origin = shelf.document.pk
    store_evidence(shelf.person.space.pk, origin, [Cited(marker=1, chunk_id=chunk.pk)])
    edit(shelf, chunk, "Other words.")
    (evidence,) = read_evidence(shelf.person.actor, origin_id=origin)
    assert (evidence.text, evidence.text_now) == (chunk.text, "Other words.")
    assert EvidenceRow.objects.get().chunk_hash == chunk.content_hash


def test_viewer_and_stranger_correct_nothing(
    shelf: Shelf, victor: Persona, mallory: Persona
) -> None:
    chunk = shelf.passage("ropes")
    with pytest.raises(AccessDenied):
        edit_chunk(victor.actor, chunk_id=chunk.pk, version=1, text="Mine.")
    with mallory.scope(), pytest.raises(NotFound):
        edit_chunk(mallory.actor, chunk_id=chunk.pk, version=1, text="Mine.")
