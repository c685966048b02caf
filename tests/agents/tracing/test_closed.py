"""What a model wrote is closed with what it had read: pages, exports, history, tools, files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from agents.answers.history import history_of
from agents.approvals.decide import decide
from agents.engine.events import (
    AnswerDelta,
    AnswerFinished,
    PreambleMoved,
    RunFinished,
    RunStarted,
    ThoughtDelta,
    ToolCallFinished,
    ToolCallStarted,
)
from agents.memory.recall import recall_for
from agents.memory.searching import search_said
from agents.models import Agent, AgentRun, Conversation, MemoryItem, MemorySettings, StoredResult
from agents.queries import events_after
from agents.runs.reports import report_of
from agents.runs.results import read_result
from agents.spending.continuing import continue_run
from agents.suggestions.follow_ups import material_of
from agents.tracing.closed import closed_runs, documents_read
from core.errors import AccessDenied, Conflict, NotFound
from knowledge.access.restrict import Place, lift, restrict
from knowledge.models import Document
from knowledge.services.documents import delete_document
from knowledge.services.removal import remove_document
from tests.accounts.organisations.worlds import make_organisation, share_base
from tests.agents.test_run_page import store
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.approvals import make_approval
from tests.factories.artifacts import make_artifact
from tests.factories.knowledge import make_base, make_document
from tests.factories.memory import make_memory
from tests.personas import Persona

SECRET = "xylophone"
Close = Callable[[], None]


def call(name: str, data: dict[str, object], output: str = "") -> tuple[object, ...]:
    """Return the two events of a call."""
    started = ToolCallStarted(
        round=1, call_id="a", name=name, arguments={"q": SECRET}, title=f"Look for {SECRET}"
    )
    ended = ToolCallFinished(
        round=1,
        call_id="a",
        name=name,
        ok=True,
        output=output,
        summary="done",
        data=data,
        duration_ms=1,
    )
    return started, ended


@pytest.fixture
def document(olivia: Persona) -> Document:
    base = make_base(olivia.space, name="Hangar", created_by=olivia.user)
    return make_document(base, name="secret.txt", texts=[f"The word is {SECRET}."])


@pytest.fixture
def agent(victor: Persona) -> Agent:
    return make_agent(victor.space, name="Asker")


@pytest.fixture
def conversation(victor: Persona, agent: Agent) -> Conversation:
    return make_conversation(victor.space, user=victor.user, agent=agent)


@pytest.fixture
def run(conversation: Conversation, document: Document, victor: Persona) -> Iterator[AgentRun]:
    """Victor's run that read the document and wrote its word everywhere, in victor's scope."""
    answer = f"It is {SECRET}."
    found = make_run(conversation, question="Which word?", answer=answer)
    hit = {
        "chunk_id": str(document.pk),
        "document_id": str(document.pk),
        "base_id": str(document.base_id),
        "name": document.name,
        "excerpt": SECRET,
    }
    with victor.scope():
        store(
            found,
            RunStarted(question="Which word?", mode="react"),
            ThoughtDelta(round=1, text=f"Perhaps {SECRET}."),
            PreambleMoved(round=1, text=f"I look at {SECRET}."),
            *call("knowledge_search", {"hits": [hit]}, output=SECRET),  # type: ignore[arg-type]  # the pair
            AnswerDelta(text=answer),
            AnswerFinished(text=answer),
            RunFinished(outcome="answered", reason="natural_stop", answer=answer),
        )
        yield found


@pytest.fixture
def close(document: Document, olivia: Persona) -> Close:
    """Restrict the document, so that victor reads it no more."""
    where = Place(base_id=document.base_id, document_id=document.pk)

    def restrict_it() -> None:
        restrict(olivia.actor, where, user_ids=[], group_ids=[])

    return restrict_it


def later(run: AgentRun, question: str = "And now?") -> AgentRun:
    return make_run(run.conversation, question=question)


PAGES = ("conversation", "run", "run_export")


@pytest.mark.parametrize("name", PAGES)
def test_pages_and_export_hide_everything_the_model_wrote(
    run: AgentRun, victor: Persona, close: Close, name: str
) -> None:
    target = run.conversation_id if name == "conversation" else run.pk
    url = reverse(name, args=[target])
    assert SECRET in victor.client.get(url).content.decode()
    close()
    shown = victor.client.get(url).content.decode()
    assert SECRET not in shown
    assert "Which word?" in shown or name == "run_export"


def test_all_tabs_of_the_run_page_hide_it(run: AgentRun, victor: Persona, close: Close) -> None:
    close()
    for tab in ("timeline", "messages", "events"):
        url = reverse("run", args=[run.pk])
        assert SECRET not in victor.client.get(url, {"tab": tab}).content.decode()


def test_opening_it_again_gives_it_back(
    run: AgentRun, victor: Persona, olivia: Persona, document: Document, close: Close
) -> None:
    close()
    lift(olivia.actor, Place(base_id=document.base_id, document_id=document.pk))
    shown = victor.client.get(reverse("conversation", args=[run.conversation_id]))
    assert SECRET in shown.content.decode()


def test_events_for_sockets_and_streams_hold_nothing_of_it(
    run: AgentRun, victor: Persona, close: Close
) -> None:
    close()
    rows = events_after(victor.actor, run_id=run.pk, seq=0)
    assert SECRET not in json.dumps([row.data for row in rows])
    assert rows[-1].data["answer"] == "This rests on a source that is closed to you now."


def test_a_document_that_is_gone_keeps_the_answer_closed(
    run: AgentRun,
    victor: Persona,
    olivia: Persona,
    document: Document,
    close: Close,
    settings: Settings,
    tmp_path: object,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    close()
    delete_document(olivia.actor, document_id=document.pk)
    remove_document(document.pk)
    assert closed_runs(victor.actor, [run.pk]) == {run.pk}
    shown = victor.client.get(reverse("conversation", args=[run.conversation_id]))
    assert SECRET not in shown.content.decode()


def test_an_open_document_that_is_gone_closes_nothing(
    run: AgentRun,
    victor: Persona,
    olivia: Persona,
    document: Document,
    settings: Settings,
    tmp_path: object,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    delete_document(olivia.actor, document_id=document.pk)
    remove_document(document.pk)
    assert not closed_runs(victor.actor, [run.pk])


def test_the_history_of_a_later_run_leaves_the_turn_out(
    run: AgentRun, victor: Persona, close: Close
) -> None:
    open_history = history_of(later(run), actor=victor.actor, turns=5)
    assert any(SECRET in message.content for message in open_history)
    close()
    assert history_of(later(run), actor=victor.actor, turns=5) == []


def test_a_later_run_that_read_the_answer_is_closed_with_it(
    run: AgentRun, victor: Persona, close: Close, document: Document
) -> None:
    echo = later(run, "Say it again")
    history_of(echo, actor=victor.actor, turns=5)
    assert documents_read([echo.pk])[echo.pk] == {document.pk}
    close()
    clean = later(run, "Something else")
    history_of(clean, actor=victor.actor, turns=5)
    assert closed_runs(victor.actor, [run.pk, echo.pk, clean.pk]) == {run.pk, echo.pk}


def test_a_memory_about_the_document_taints_the_run_that_was_given_it(
    conversation: Conversation, victor: Persona, document: Document, agent: Agent, close: Close
) -> None:
    item = make_memory(victor.space, user=victor.user, text="I like the secret word.")
    run = make_run(conversation, question="What do I like?")
    with victor.scope():
        MemorySettings.objects.create(space=victor.space, is_enabled=True)
        MemoryItem.objects.filter(pk=item.pk).update(document_ids=[str(document.pk)])
        recall_for(victor.actor, run, agent.settings)
        assert documents_read([run.pk])[run.pk] == {document.pk}
        close()
        assert closed_runs(victor.actor, [run.pk]) == {run.pk}


def test_a_search_of_earlier_conversations_does_not_find_it(
    run: AgentRun, victor: Persona, close: Close, document: Document
) -> None:
    (said,) = search_said(victor.actor, query=SECRET, limit=5)
    assert said.document_ids == (document.pk,)
    close()
    assert search_said(victor.actor, query=SECRET, limit=5) == []


def test_a_long_result_cannot_be_read_on(run: AgentRun, victor: Persona, close: Close) -> None:
    StoredResult.objects.create(space_id=run.space_id, run=run, call_id="a", text=SECRET * 9)

    def read() -> str:
        return read_result(
            victor.actor,
            run_id=run.pk,
            conversation_id=run.conversation_id,
            call_id="a",
            offset=0,
            limit=100,
        ).text

    assert SECRET in read()
    close()
    with pytest.raises(NotFound, match="closed"):
        read()


def test_the_report_of_a_called_agent_names_what_it_read_and_is_closed_with_it(
    run: AgentRun, victor: Persona, close: Close, document: Document
) -> None:
    assert report_of(victor.actor, run.pk).document_ids == (document.pk,)
    close()
    assert report_of(victor.actor, run.pk).answer == ""


@pytest.mark.parametrize("name", ["artifact", "artifact_download", "artifact_frame"])
def test_files_made_from_it_are_not_there(
    run: AgentRun, victor: Persona, close: Close, name: str, settings: Settings, tmp_path: object
) -> None:
    settings.MEDIA_ROOT = tmp_path
    file = make_artifact(run, name="word.html", content=f"<p>{SECRET}</p>")
    url = reverse(name, args=[file.pk])
    shown = victor.client.get(url)
    assert shown.status_code == 200
    assert name == "artifact" or SECRET.encode() in shown.getvalue()
    close()
    assert victor.client.get(url).status_code == 404


def test_follow_ups_are_not_made_from_it(run: AgentRun, victor: Persona, close: Close) -> None:
    assert material_of(victor.actor, run, turns=3).turns
    close()
    assert material_of(victor.actor, run, turns=3).turns == ()


def test_nobody_approves_what_they_may_not_read(
    run: AgentRun, victor: Persona, olivia: Persona, close: Close
) -> None:
    approval = make_approval(run, arguments={"to": SECRET}, title=f"Send {SECRET}")
    close()
    page = victor.client.get(reverse("approval", args=[approval.pk]))
    assert SECRET not in page.content.decode()
    with pytest.raises(AccessDenied, match="may not read"):
        decide(
            victor.actor,
            approval_id=approval.pk,
            decision_hash=approval.decision_hash,
            resolution="approved",
        )


def test_a_closed_run_is_not_continued(run: AgentRun, victor: Persona, close: Close) -> None:
    close()
    with pytest.raises(Conflict, match="closed"):
        continue_run(victor.actor, run_id=run.pk)


def test_where_nothing_is_restricted_asking_costs_three_small_queries(
    run: AgentRun, victor: Persona, olivia: Persona
) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert not closed_runs(victor.actor, [run.pk])
    assert len(asked) == 3
    with CaptureQueriesContext(connection) as asked:
        assert not closed_runs(olivia.actor, [run.pk])
    assert len(asked) == 1


@pytest.mark.parametrize("is_gone", [False, True], ids=["there", "gone"])
def test_words_that_rest_on_another_space_s_document_close_with_the_share(
    conversation: Conversation,
    victor: Persona,
    mallory: Persona,
    settings: Settings,
    tmp_path: object,
    is_gone: bool,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    base = make_base(mallory.space, name="Tower")
    theirs = make_document(base, name="theirs.txt", texts=[f"The word is {SECRET}."])
    share = share_base(base, make_organisation(mallory.space, editors=(victor.space,)))
    run = make_run(conversation, question="Which?", answer=SECRET, base_ids=[str(base.pk)])
    data = {"hits": [{"document_id": str(theirs.pk), "base_id": str(base.pk)}]}
    with victor.scope():
        store(run, *call("knowledge_search", data))  # type: ignore[arg-type]  # the pair
    if is_gone:
        with mallory.scope():
            delete_document(mallory.actor, document_id=theirs.pk)
            remove_document(theirs.pk)
    with victor.scope():
        assert not closed_runs(victor.actor, [run.pk])
    with mallory.scope():
        share.delete()
    with victor.scope():
        assert closed_runs(victor.actor, [run.pk]) == {run.pk}
