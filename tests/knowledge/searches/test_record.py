"""Each door writes down its searches; what cannot be written stops none."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import DatabaseError
from django.urls import reverse
from pytest_django import Settings

from agents.configuration import AgentConfig
from agents.tools.deps import RunDeps
from agents.tools.searching import find_passages
from core.tenancy import space_scope
from knowledge.constants import SearchDoor
from knowledge.models import KnowledgeBase, SearchRecord
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.searches import record
from knowledge.searches.losses import losses
from knowledge.searches.record import record_search
from tests.factories.keys import make_key
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db
QUESTION = "What is the notice period of consultants?"
PASSAGE = "The notice period of consultants is two weeks."


@pytest.fixture
def handbook(base: KnowledgeBase, words: WordModel) -> KnowledgeBase:
    """A base in which the question has an answer, and something else."""
    cache.clear()
    add_document(base, PASSAGE, "Lunch is served at noon.", model=words)
    return base


def test_the_page_records_its_search_with_every_candidate(
    victor: Persona, handbook: KnowledgeBase
) -> None:
    url = reverse("base_search", args=[handbook.pk])
    assert victor.client.get(url, {"question": QUESTION, "limit": "1"}).status_code == 200
    row = SearchRecord.objects.get()
    assert (row.door, row.user_id, row.principal) == (SearchDoor.PAGE, victor.user.pk, "")
    assert (row.question, row.base_ids, row.hit_count) == (QUESTION, [handbook.pk], 1)
    assert row.settings["effective"]["limit"] == 1
    assert row.timings.keys() >= {"dense", "keyword"}
    dropped = {each["dropped_by"] for each in row.trace["candidates"]}
    assert dropped == {None, "limit"}
    assert [hit["given"] for hit in row.hits] == [None]


def test_no_text_of_a_document_is_in_it(victor: Persona, handbook: KnowledgeBase) -> None:
    victor.client.get(reverse("base_search", args=[handbook.pk]), {"question": "lunch?"})
    stored = str(SearchRecord.objects.values().get())
    assert "noon" not in stored
    assert "two weeks" not in stored


def test_the_command_and_the_quick_answer_record_theirs(
    olivia: Persona, handbook: KnowledgeBase, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("search", QUESTION, "--base", "Handbook", space=olivia.space.name)
    deps = RunDeps(
        actor=olivia.actor,
        run_id=uuid4(),
        conversation_id=uuid4(),
        agent_id=uuid4(),
        base_ids=(handbook.pk,),
        config=replace_threshold(),
    )
    with space_scope(olivia.space.pk):
        find_passages(deps, query=QUESTION, door=SearchDoor.QUICK)
    command, quick = SearchRecord.objects.order_by("created_at")
    assert (command.door, command.user_id) == (SearchDoor.COMMAND, olivia.user.pk)
    assert (quick.door, quick.run_id) == (SearchDoor.QUICK, deps.run_id)
    assert [hit["given"] for hit in quick.hits] == [True, False]


def replace_threshold() -> AgentConfig:
    """Only what has half of the question's words is given to the model."""
    return AgentConfig().model_copy(update={"keyword_threshold": 0.5, "vector_threshold": None})


def test_the_search_of_a_key_is_the_keys(victor: Persona, handbook: KnowledgeBase) -> None:
    key = make_key(victor.space).key
    actor = replace(victor.actor, kind="api_key", id=str(key.pk), user_id=None)
    scope = Scope(base_ids=(handbook.pk,))
    found = retrieve(victor.actor, query=QUESTION, scope=scope)
    record_search(actor, door=SearchDoor.API, scope=scope, found=found)
    row = SearchRecord.objects.get()
    assert (row.user_id, row.principal) == (None, f"api_key:{key.pk}")


def test_a_search_over_all_bases_names_those_that_were_seen(
    victor: Persona, handbook: KnowledgeBase
) -> None:
    found = retrieve(victor.actor, query=QUESTION, scope=Scope())
    record_search(victor.actor, door=SearchDoor.TOOL, scope=Scope(), found=found)
    assert SearchRecord.objects.get().base_ids == [handbook.pk]


def test_the_trace_is_bounded_and_keeps_the_hits(
    victor: Persona, handbook: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "MOST_CANDIDATES", 1)
    scope = Scope(base_ids=(handbook.pk,))
    found = retrieve(victor.actor, query=QUESTION, scope=scope)
    backwards = replace(found, trace=replace(found.trace, candidates=found.trace.candidates[::-1]))
    record_search(victor.actor, door=SearchDoor.PAGE, scope=scope, found=backwards)
    (kept,) = SearchRecord.objects.get().trace["candidates"]
    assert kept["final_rank"] is not None


def test_what_cannot_be_recorded_stops_no_search_and_is_counted(
    victor: Persona, handbook: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise DatabaseError("the disk is full")

    monkeypatch.setattr(SearchRecord, "save", fail)
    url = reverse("base_search", args=[handbook.pk])
    response = victor.client.get(url, {"question": QUESTION})
    assert b"two weeks" in response.content
    assert losses(victor.space.pk) == 1
    assert not SearchRecord.objects.exists()


def test_nothing_is_kept_where_the_setting_says_so(
    victor: Persona, handbook: KnowledgeBase, settings: Settings
) -> None:
    settings.SEARCH_DAYS = 0
    victor.client.get(reverse("base_search", args=[handbook.pk]), {"question": QUESTION})
    assert not SearchRecord.objects.exists()
