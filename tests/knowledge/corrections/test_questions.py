from __future__ import annotations

import pytest

from core.errors import AccessDenied, Conflict, Invalid, NotFound
from core.models import BackgroundJob
from knowledge.corrections import questions
from knowledge.corrections.edit import edit_chunk
from knowledge.corrections.questions import (
    add_question,
    delete_question,
    edit_question,
    questions_of,
    regenerate_questions,
)
from knowledge.models import Chunk, Embedding, KeywordRow
from tests.knowledge.corrections.conftest import Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def add(shelf: Shelf, text: str = "Who minds the hawsers?") -> Chunk:
    return add_question(shelf.person.actor, chunk_id=shelf.passage("ropes").pk, text=text)


def test_question_of_a_person_is_found_at_once(shelf: Shelf) -> None:
    question = add(shelf)
    assert "hawser" in str(KeywordRow.objects.get(chunk=question).terms)
    shelf.work()
    assert Embedding.objects.filter(chunk=question).count() == 1


def test_question_of_another_text_is_flagged_and_mended_by_saving(shelf: Shelf) -> None:
    question = add(shelf)
    passage = shelf.passage("ropes")
    edited = edit_chunk(shelf.person.actor, chunk_id=passage.pk, version=1, text="Other words.")
    (shown,) = questions_of([edited])[edited.pk]
    assert not shown.matches
    edit_question(shelf.person.actor, question_id=question.pk, version=1, text="Which other words?")
    (shown,) = questions_of([edited])[edited.pk]
    assert (shown.matches, shown.is_by_person, shown.version) == (True, True, 2)


def test_second_editor_of_a_question_is_told(shelf: Shelf) -> None:
    question = add(shelf)
    edit_question(shelf.person.actor, question_id=question.pk, version=1, text="Mine?")
    with pytest.raises(Conflict, match="Somebody else"):
        edit_question(shelf.person.actor, question_id=question.pk, version=1, text="Yours?")


def test_same_question_twice_and_none_are_refused(shelf: Shelf) -> None:
    add(shelf)
    with pytest.raises(Conflict, match="already"):
        add(shelf, " who minds the  HAWSERS? ")
    with pytest.raises(Invalid):
        add(shelf, "  ")


def test_deleted_question_leads_nowhere(shelf: Shelf) -> None:
    question = add(shelf)
    delete_question(shelf.person.actor, question_id=question.pk)
    assert not KeywordRow.objects.filter(chunk_id=question.pk).exists()
    with pytest.raises(NotFound):
        delete_question(shelf.person.actor, question_id=question.pk)


def test_a_model_writes_its_own_again_and_leaves_those_of_people(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, made = add(shelf), add(shelf, "What is counted?")
    Chunk.objects.filter(pk=made.pk).update(detail={"origin": "model", "source_hash": "x"})
    monkeypatch.setattr(questions, "no_model_reason", lambda _: "")
    regenerate_questions(shelf.person.actor, chunk_id=shelf.passage("ropes").pk)
    assert list(Chunk.objects.filter(kind="question")) == [kept]
    job = BackgroundJob.objects.get(name="knowledge.ask_questions")
    assert job.arguments["begin"] == 1


def test_without_a_model_it_says_so(shelf: Shelf) -> None:
    with pytest.raises(Conflict):
        regenerate_questions(shelf.person.actor, chunk_id=shelf.passage("ropes").pk)


def test_viewer_asks_nothing(shelf: Shelf, victor: Persona) -> None:
    with pytest.raises(AccessDenied):
        add_question(victor.actor, chunk_id=shelf.passage("ropes").pk, text="Mine?")
