"""A change of the embedding model from its start to its end, with everything that may come between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import ProtectedError
from django.utils import timezone

from accounts.models import AuditEvent
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from core.jobs.housekeeping import return_lost_jobs
from core.jobs.work import claim, work
from core.models import BackgroundJob, JobState
from core.tenancy import space_scope
from knowledge.constants import EmbeddingChangeState
from knowledge.corrections.edit import edit_chunk
from knowledge.ingest.index import index_some
from knowledge.jobs import REEMBED_BASE
from knowledge.models import Chunk, Document, Embedding, EmbeddingChange
from knowledge.reembedding import build
from knowledge.reembedding.keeper import end_old_changes, heal_bases, heal_changes
from knowledge.reembedding.queries import passages_without
from knowledge.reembedding.services import cancel_change, cut_over, finish, start_change, undo
from knowledge.reembedding.soon import begin_catching_up
from knowledge.reembedding.switch import switch_now
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.services.documents import add_document
from providers.contracts.errors import ModelError
from tests.knowledge.reembedding.conftest import Models, Shelf, make_shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
State = EmbeddingChangeState


@contextmanager
def thread_connection() -> Iterator[None]:
    """Close the connection of a model's thread again: no test may leave one open."""
    try:
        yield
    finally:
        connection.close()


def begin(shelf: Shelf) -> EmbeddingChange:
    made = start_change(shelf.olivia.actor, base_id=shelf.base.pk, model_id=shelf.new.pk)
    assert made is not None
    return made


def ready(shelf: Shelf) -> EmbeddingChange:
    change = begin(shelf)
    shelf.work_off()
    return now(change)


def now(change: EmbeddingChange) -> EmbeddingChange:
    return EmbeddingChange.objects.get(pk=change.pk)


def vectors(shelf: Shelf, identity: str) -> int:
    return Embedding.objects.filter(base=shelf.base, identity=identity).count()


def found(shelf: Shelf, question: str) -> list[str]:
    """Return what a question finds by meaning, checked to be compared by the live model alone."""
    shelf.base.refresh_from_db()
    result = retrieve(shelf.olivia.actor, query=question, scope=Scope(base_ids=(shelf.base.pk,)))
    assert result.warnings == ()
    assert all(hit.dense_score is not None for hit in result.hits)
    return [hit.text for hit in result.hits]


def test_a_change_from_start_to_finish(shelf: Shelf) -> None:
    before = found(shelf, "lamp pier")
    change = begin(shelf)
    assert (change.state, now(change).total, now(change).done) == (State.BUILDING, 3, 0)
    shelf.work_off()
    change = now(change)
    assert (change.state, change.done, change.total) == (State.READY, 3, 3)
    assert change.spent_tokens > 0
    assert shelf.new_words.seen
    assert found(shelf, "lamp pier") == before
    assert cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    shelf.base.refresh_from_db()
    assert (shelf.base.embedding_model, shelf.base.embedding_identity) == (shelf.new, "new/1")
    assert found(shelf, "lamp pier")[0] == before[0]
    assert undo(shelf.olivia.actor, base_id=shelf.base.pk)
    shelf.base.refresh_from_db()
    assert (shelf.base.embedding_model, shelf.base.embedding_identity) == (shelf.old, "old/1")
    assert now(change).state == State.UNDONE
    assert vectors(shelf, "new/1") == 3, "to start again costs nothing"
    calls = len(shelf.new_words.seen)
    ready(shelf)
    assert len(shelf.new_words.seen) == calls
    assert cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    ended = finish(shelf.olivia.actor, base_id=shelf.base.pk)
    assert ended.state == State.FINISHED
    EmbeddingChange.objects.filter(pk=ended.pk).update(kept_until=timezone.now())
    end_old_changes()
    shelf.work_off()
    assert (vectors(shelf, "old/1"), vectors(shelf, "new/1")) == (0, 3)
    assert found(shelf, "lamp pier")[0] == before[0]
    actions = set(AuditEvent.objects.values_list("action", flat=True))
    assert actions >= {f"base.embedding_{each}" for each in ("start", "cut_over", "undo", "finish")}


def test_a_killed_job_is_taken_over_and_embeds_only_what_is_missing(shelf: Shelf) -> None:
    shelf.add(*(f"Barrel {number} stands on the quay." for number in range(20)), name="barrels.txt")
    change = begin(shelf)
    calls = 0

    def die(_: Sequence[str]) -> None:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt  # as a signal ends a worker in the middle of a call

    shelf.new_words.before = die
    with pytest.raises(KeyboardInterrupt):
        work("enrich")
    made = vectors(shelf, "new/1")
    assert 0 < made < 23
    assert now(change).state == State.BUILDING
    shelf.new_words.before = lambda _: None
    shelf.new_words.seen.clear()
    BackgroundJob.objects.filter(state=JobState.RUNNING).update(
        heartbeat_at=timezone.now() - timedelta(minutes=5)
    )
    assert return_lost_jobs() == 1
    shelf.work_off()
    assert now(change).state == State.READY
    assert len(shelf.new_words.seen) == 23 - made


def test_the_keeper_gives_a_change_without_a_job_another(shelf: Shelf) -> None:
    change = begin(shelf)
    BackgroundJob.objects.all().delete()
    heal_changes()
    shelf.work_off()
    assert now(change).state == State.READY


@pytest.mark.parametrize("state", [State.BUILDING, State.READY, State.LIVE])
def test_a_document_that_arrives_during_a_change_gets_both_vectors(
    shelf: Shelf, state: str, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    begin(shelf) if state == State.BUILDING else ready(shelf)
    if state == State.LIVE:
        assert cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    document = add_document(
        shelf.olivia.actor,
        base_id=shelf.base.pk,
        name="cranes.md",
        content=b"The crane lifts the boat out of the water.\n",
    )
    assert work("ingest")
    document.refresh_from_db()
    assert document.searchable_at is not None
    assert "crane" in found(shelf, "crane boat")[0]
    shelf.work_off()
    made = Embedding.objects.filter(chunk__document=document)
    assert set(made.values_list("identity", flat=True)) == {"old/1", "new/1"}
    switch = undo if state == State.LIVE else cut_over
    assert switch(shelf.olivia.actor, base_id=shelf.base.pk)
    assert "crane" in found(shelf, "crane boat")[0]


def test_a_switch_while_a_document_is_read_embeds_it_again(
    shelf: Shelf, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path
    change = ready(shelf)
    document = add_document(
        shelf.olivia.actor,
        base_id=shelf.base.pk,
        name="cranes.md",
        content=b"The crane lifts the boat out of the water.\n",
    )

    def switch(_: Sequence[str]) -> None:
        shelf.old_words.before = lambda _: None
        with space_scope(shelf.base.space_id), thread_connection():
            switched.append(switch_now(change.pk))

    switched: list[bool] = []
    # The call of the model runs in a thread of its own: the switch commits beside the reading.
    shelf.old_words.before = switch
    assert work("ingest")
    assert switched == [True]
    document.refresh_from_db()
    assert document.searchable_at is not None
    assert passages_without(shelf.base.pk, "new/1").count() == 0
    assert "crane" in found(shelf, "crane boat")[0]


def test_cutting_over_waits_for_passages_that_came_just_now(shelf: Shelf) -> None:
    change = ready(shelf)
    shelf.add("The winch stands at the gate.", name="late.txt")
    assert not cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    assert now(change).state == State.READY
    assert now(change).wants_switch
    shelf.work_off()
    assert now(change).state == State.LIVE
    assert found(shelf, "winch gate")[0] == "The winch stands at the gate."


def test_a_corrected_passage_gets_both_vectors_of_its_new_text(shelf: Shelf) -> None:
    ready(shelf)
    passage = Chunk.objects.get(text__startswith="Ropes")
    edit_chunk(
        shelf.olivia.actor,
        chunk_id=passage.pk,
        version=passage.version,
        text="Chains hang in the store.",
    )
    assert passages_without(shelf.base.pk, "new/1").count() == 1
    while work("ingest") or work("enrich") or work("default"):
        pass
    assert passages_without(shelf.base.pk, "new/1").count() == 0
    assert shelf.new_words.seen[-1].endswith("Chains hang in the store.")


def test_a_passage_that_changes_while_it_is_embedded_gets_no_vector_of_its_old_text(
    shelf: Shelf,
) -> None:
    begin(shelf)

    def change_text(texts: Sequence[str]) -> None:
        if not any("Ropes" in text for text in texts):
            return
        shelf.new_words.before = lambda _: None
        with space_scope(shelf.base.space_id), thread_connection():
            Chunk.objects.filter(text__startswith="Ropes").update(text="Chains hang.")

    shelf.new_words.before = change_text
    shelf.work_off()
    passage = Chunk.objects.get(text="Chains hang.")
    assert passage.embeddings.filter(identity="new/1").exists()
    assert shelf.new_words.seen[-1].endswith("Chains hang.")


def test_a_passage_without_the_live_vector_is_found_by_the_keeper(shelf: Shelf) -> None:
    ready(shelf)
    cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    finish(shelf.olivia.actor, base_id=shelf.base.pk)
    document = Document.objects.get(name="signals.txt")
    made = Chunk.objects.create(
        space_id=shelf.base.space_id,
        base=shelf.base,
        document=document,
        document_revision=1,
        position=9,
        text="The buoy is red.",
        content_hash="b",
        char_start=0,
        char_end=16,
    )
    index_some(document, chunk_ids=[made.pk])
    heal_changes()
    shelf.work_off()
    assert list(made.embeddings.values_list("identity", flat=True)) == ["new/1"]
    assert heal_bases([(shelf.base.space_id, shelf.base.pk)]) == 0


def test_canceled_before_it_goes_live_nothing_is_left(shelf: Shelf) -> None:
    change = ready(shelf)
    cancel_change(shelf.olivia.actor, base_id=shelf.base.pk)
    assert now(change).state == State.CANCELED
    end_old_changes()
    shelf.work_off()
    assert (vectors(shelf, "old/1"), vectors(shelf, "new/1")) == (3, 0)
    assert now(change).forgotten_at is not None
    with pytest.raises(Conflict):
        cut_over(shelf.olivia.actor, base_id=shelf.base.pk)


def test_vectors_that_a_later_change_builds_on_are_not_forgotten(shelf: Shelf) -> None:
    ready(shelf)
    cancel_change(shelf.olivia.actor, base_id=shelf.base.pk)
    ready(shelf)
    end_old_changes()
    shelf.work_off()
    assert vectors(shelf, "new/1") == 3


def test_a_change_that_nobody_undoes_finishes_by_itself(shelf: Shelf) -> None:
    change = ready(shelf)
    cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    end_old_changes()
    assert now(change).state == State.LIVE
    EmbeddingChange.objects.update(kept_until=timezone.now())
    end_old_changes()
    assert now(change).state == State.FINISHED


def test_a_model_that_fails_for_good_ends_the_building_with_its_reason(shelf: Shelf) -> None:
    change = begin(shelf)

    def refuse(_: Sequence[str]) -> None:
        raise ModelError("not_found", "there is no such model")

    shelf.new_words.before = refuse
    shelf.work_off()
    assert now(change).state == State.FAILED
    assert "there is no such model" in now(change).reason
    assert found(shelf, "lamp pier"), "what was found before is found"


def test_a_dead_live_model_does_not_stop_the_way_to_another(shelf: Shelf) -> None:
    passage = Chunk.objects.get(text__startswith="The bell")
    passage.embeddings.all().delete()
    change = begin(shelf)

    def refuse(_: Sequence[str]) -> None:
        raise ModelError("unreachable", "it is gone")

    shelf.old_words.before = refuse
    shelf.work_off()
    assert now(change).state == State.READY
    assert cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    assert found(shelf, "bell fog")[0] == passage.text


def test_long_work_is_done_in_slices(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "SLICE_SECONDS", -1.0)
    change = begin(shelf)
    assert work("enrich")
    assert now(change).state == State.BUILDING
    assert 0 < now(change).done < 3
    shelf.work_off()
    assert now(change).state == State.READY
    assert BackgroundJob.objects.filter(name=REEMBED_BASE.name).count() > 1


def test_two_jobs_of_one_base_do_not_do_the_same_work(shelf: Shelf) -> None:
    begin(shelf)
    assert claim("enrich") is not None  # another worker has it
    begin_catching_up(shelf.base.pk)
    assert work("enrich")
    assert shelf.new_words.seen == []
    waiting = BackgroundJob.objects.get(name=REEMBED_BASE.name, state=JobState.QUEUED)
    assert waiting.run_after > timezone.now()


def test_an_empty_base_switches_at_once(shelf: Shelf) -> None:
    Document.objects.filter(base=shelf.base).delete()
    made = start_change(shelf.olivia.actor, base_id=shelf.base.pk, model_id=shelf.new.pk)
    assert made is None
    shelf.base.refresh_from_db()
    assert (shelf.base.embedding_model, shelf.base.embedding_identity) == (shelf.new, "")


def test_a_model_that_makes_the_same_vectors_is_taken_at_once(shelf: Shelf) -> None:
    shelf.new_words.identity = "old/1"
    assert start_change(shelf.olivia.actor, base_id=shelf.base.pk, model_id=shelf.new.pk) is None
    shelf.base.refresh_from_db()
    assert (shelf.base.embedding_model, shelf.base.embedding_identity) == (shelf.new, "old/1")
    with pytest.raises(Invalid):
        start_change(shelf.olivia.actor, base_id=shelf.base.pk, model_id=shelf.new.pk)


def test_one_change_at_a_time(shelf: Shelf) -> None:
    begin(shelf)
    with pytest.raises(Conflict):
        begin(shelf)


def test_models_of_an_open_change_cannot_be_deleted(shelf: Shelf) -> None:
    ready(shelf)
    cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    with pytest.raises(ProtectedError):
        shelf.old.delete()
    finish(shelf.olivia.actor, base_id=shelf.base.pk)
    shelf.old.delete()


def test_a_model_that_makes_other_vectors_by_now_is_not_switched_to(shelf: Shelf) -> None:
    ready(shelf)
    shelf.new_words.identity = "new/2"
    with pytest.raises(Conflict):
        cut_over(shelf.olivia.actor, base_id=shelf.base.pk)


def test_who_may_not_change_the_base_starts_nothing(shelf: Shelf, victor: Persona) -> None:
    with pytest.raises(AccessDenied):
        start_change(victor.actor, base_id=shelf.base.pk, model_id=shelf.new.pk)
    ready(shelf)
    for act in (cut_over, cancel_change):
        with pytest.raises(AccessDenied):
            act(victor.actor, base_id=shelf.base.pk)


def test_changes_of_two_bases_and_two_spaces_do_not_touch_each_other(
    shelf: Shelf, models: Models, mallory: Persona
) -> None:
    second = make_shelf(shelf.olivia, models, name="Second")
    second.add("The lamp burns at the pier.", name="other.txt")
    with space_scope(mallory.space.pk):
        theirs = make_shelf(mallory, models, name="Theirs")
        theirs.add("The lamp burns at the pier.", name="theirs.txt")
        with pytest.raises(NotFound):
            start_change(mallory.actor, base_id=shelf.base.pk, model_id=theirs.new.pk)
        with pytest.raises(NotFound):
            start_change(mallory.actor, base_id=theirs.base.pk, model_id=shelf.new.pk)
        begin(theirs)
    ready(shelf)
    assert cut_over(shelf.olivia.actor, base_id=shelf.base.pk)
    second.base.refresh_from_db()
    assert (second.base.embedding_identity, vectors(second, "new/1")) == ("old/1", 0)
    with space_scope(mallory.space.pk):
        theirs.base.refresh_from_db()
        assert theirs.base.embedding_identity == "old/1"
        assert EmbeddingChange.objects.get().state == State.READY
        assert cut_over(mallory.actor, base_id=theirs.base.pk)
