"""From the end of a run to verdicts that its person reads, and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from django.urls import reverse

from agents.constants import VerdictState
from agents.engine.events import AnswerFinished
from agents.jobs import CHECK_SENTENCES
from agents.models import Agent, AgentRun, ModelUsage, RunEvent, SentenceVerdict
from agents.pages.verdicts import verdicts_frame
from agents.signals import run_finished
from agents.verdicts import checking as module
from agents.verdicts.reading import verdicts_of_runs
from core.jobs.work import work
from core.models import BackgroundJob
from core.tenancy import space_scope
from knowledge.access.restrict import Place, restrict
from knowledge.evidence import Cited, store_evidence
from knowledge.models import Chunk, Document, EvidenceRow
from providers.contracts.errors import ModelError
from providers.models import AIModel
from tests.agents.verdicts.conftest import Writer
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona

PASSAGE = "Leave lasts fourteen weeks. It is paid in full. The rule holds since 1 March 2019."
ANSWER = (
    "Leave lasts 14 weeks [1]. It is paid in full [1]. The rule holds since 1 April 2019 [1]."
    " People like this rule very much indeed [1]."
)


@pytest.fixture
def asker(transactional_db: None, cora: Persona) -> Iterator[Persona]:
    make_model(cora.space, type="chat", is_default=True)
    make_agent(cora.space, name="Reasoner", config={"verdict_mode": "words"})
    with space_scope(cora.space.pk):
        yield cora


def answered(persona: Persona, answer: str = ANSWER, **fields: Any) -> AgentRun:
    """Return an answered run that cites a handbook."""
    talk = make_conversation(persona.space, user=persona.user, agent=Agent.objects.get())
    run = make_run(talk, question="How long?", answer=answer, **{"outcome": "answered", **fields})
    document = make_document(make_base(persona.space), name="handbook.md", texts=[PASSAGE])
    chunk = Chunk.objects.filter(document=document).earliest("position")
    assert run.answer_id is not None
    store_evidence(persona.space.pk, run.answer_id, [Cited(marker=1, chunk_id=chunk.pk)])
    return run


def check(run: AgentRun) -> None:
    run_finished.send(AgentRun, run=run)
    while work("default"):
        pass


def states() -> list[str]:
    return list(SentenceVerdict.objects.order_by("index").values_list("state", flat=True))


def test_a_run_that_ends_is_checked_and_its_windows_are_told(
    asker: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[UUID, dict[str, Any]]] = []
    monkeypatch.setattr(module, "publish", lambda *args: told.append(args))
    run = answered(asker)
    check(run)
    assert states() == ["supported", "supported", "unsupported", "unsupported"]
    assert told == [(run.conversation_id, {"type": "verdicts.ready", "run_id": str(run.pk)})]
    (verdicts,) = verdicts_of_runs(asker.actor, [run]).values()
    assert [each.text for each in verdicts][0] == "Leave lasts 14 weeks [1]."
    (reason,) = verdicts[2].reasons
    assert (reason.code, reason.claimed, reason.found) == (
        "date_differs", "1 April 2019", "1 March 2019",
    )  # fmt: skip


def test_checking_twice_leaves_one_set(asker: Persona) -> None:
    run = answered(asker)
    check(run)
    check(run)
    assert len(states()) == 4


@pytest.mark.parametrize(
    "fields", [{"outcome": "failed"}, {"outcome": "stopped"}, {"outcome": "fallback"}]
)
def test_what_is_no_answer_is_not_checked(asker: Persona, fields: dict[str, Any]) -> None:
    check(answered(asker, **fields))
    assert not BackgroundJob.objects.filter(name=CHECK_SENTENCES.name).exists()


def test_small_talk_is_not_checked(asker: Persona) -> None:
    talk = make_conversation(asker.space, user=asker.user, agent=Agent.objects.get())
    check(make_run(talk, answer="Good morning to you.", outcome="answered"))
    assert not SentenceVerdict.objects.exists()


def test_an_agent_may_leave_it_out(asker: Persona) -> None:
    Agent.objects.update(config={"verdict_mode": "off"})
    check(answered(asker))
    assert not BackgroundJob.objects.filter(name=CHECK_SENTENCES.name).exists()


def test_a_model_judges_what_words_leave_open_but_no_wrong_figure(
    asker: Persona,
    writer: Writer,
) -> None:
    Agent.objects.update(config={})
    model = writer(
        {
            "verdicts": [
                {"n": 0, "state": "supported"},
                {"n": 2, "state": "supported", "why": "It is close enough."},
                {"n": 3, "state": "partly", "why": "Nobody says who likes it."},
                {"n": 99, "state": "supported"},
                {"n": "x"},
            ]
        }
    )
    run = answered(asker)
    check(run)
    assert states() == ["supported", "supported", "unsupported", "partly"]
    assert len(model.asked) == 1
    asked = model.asked[0][1].content
    assert '<sentence n="3"' in asked
    assert "April" not in asked
    (verdicts,) = verdicts_of_runs(asker.actor, [run]).values()
    assert verdicts[3].reasons[-1].found == "Nobody says who likes it."
    assert (verdicts[3].method, verdicts[2].method) == ("model", "words")
    usage = ModelUsage.objects.get()
    assert (usage.purpose, usage.agent_id) == ("verdicts", run.agent_id)


@pytest.mark.parametrize(
    "reply", [ModelError("overloaded", "Overloaded."), "no JSON", {"verdicts": 3}]
)
def test_a_model_that_fails_leaves_the_verdicts_by_words(
    asker: Persona,
    writer: Writer,
    reply: Any,
) -> None:
    Agent.objects.update(config={})
    writer(reply)
    check(answered(asker))
    assert states() == ["supported", "supported", "unsupported", "unsupported"]


def test_a_model_that_only_quotes_is_not_asked(asker: Persona, writer: Writer) -> None:
    Agent.objects.update(config={})
    AIModel.objects.update(parameters={"extractive": True})
    model = writer({})
    check(answered(asker))
    assert model.asked == []
    assert len(states()) == 4


def test_who_loses_the_source_loses_the_verdicts(asker: Persona, adam: Persona) -> None:
    run = answered(asker)
    check(run)
    _restrict(Document.objects.get(), adam)
    assert verdicts_of_runs(asker.actor, [run]) == {}
    assert verdicts_frame(asker.actor, run.pk)["ops"] == [
        {
            "op": "replace",
            "to": f"#run-{run.pk}-verdicts",
            "html": f'<div class="verdicts" id="run-{run.pk}-verdicts"></div>\n',
            "follow": False,
        }
    ]


def _restrict(document: Document, keeper: Persona) -> None:
    where = Place(base_id=document.base_id, document_id=document.pk)
    restrict(keeper.actor, where, user_ids=[], group_ids=[])


def test_an_erased_passage_supports_nothing(asker: Persona) -> None:
    run = answered(asker)
    EvidenceRow.objects.update(text="")
    check(run)
    assert set(states()) == {VerdictState.UNSUPPORTED}


def test_the_pages_show_words_and_reasons(asker: Persona) -> None:
    run = answered(asker)
    finished = AnswerFinished(text=ANSWER)
    RunEvent.objects.create(
        space=asker.space,
        run=run,
        seq=1,
        seq_to=1,
        type=finished.type,
        data=finished.model_dump(mode="json"),
    )
    check(run)
    page = asker.client.get(reverse("conversation", args=[run.conversation_id])).content.decode()
    run_page = asker.client.get(reverse("run", args=[run.pk])).content.decode()
    for html in (page, run_page):
        assert "4 sentences checked · 2 supported · 0 partly · 2 not supported" in html
        assert "The source does not have the date 1 April 2019." in html
        assert "It has: 1 March 2019" in html
    assert page.count('class="verdict is-unsupported" href="#verdict-') == 2
    assert "data-hide-unsupported" in page
    assert "data-hide-unsupported" not in run_page


def test_the_frame_marks_the_answer_and_says_it(asker: Persona) -> None:
    run = answered(asker)
    check(run)
    ops = verdicts_frame(asker.actor, run.pk)["ops"]
    assert [each["op"] for each in ops] == ["md.end", "replace", "say"]
    assert ops[0]["html"].count('class="claim is-unsupported"') >= 2


def test_strangers_are_told_nothing(asker: Persona, victor: Persona, mallory: Persona) -> None:
    run = answered(asker)
    check(run)
    for other in (victor, mallory):
        with space_scope(other.space.pk):
            answer = other.client.get(reverse("run", args=[run.pk]))
        assert answer.status_code == 404
