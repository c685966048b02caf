"""Each field of an agent's configuration, as its runs show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from agents.answers import quick as quick_module
from agents.constants import AgentMode, CallState
from agents.engine.calls import ToolOutcome
from agents.engine.history import REDACTED_RESULT
from agents.engine.testing import ScriptedModel, call, say
from agents.models import Agent, AgentRun, Message, RunEvent, ToolCall
from agents.runs.prepare import prepare
from agents.runs.scope import scope_of_run
from agents.runs.store import take_lease
from agents.services.conversations import Question, ask
from agents.services.mentions import Mention, check_mentions, suggest_mentions
from agents.tools.searching import passages_of, retrieval_settings
from core.errors import Conflict, NotFound
from knowledge.evidence import read_evidence
from knowledge.models import Document, KnowledgeBase
from knowledge.retrieval.hits import RetrievalHit
from providers.models import AIModel
from tests.agents.runs.conftest import Script, carry_out, put
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona

Play = Callable[[Script], ScriptedModel]
pytestmark = pytest.mark.django_db(transaction=True)


def configure(mode: str = AgentMode.REACT, **config: object) -> Agent:
    agent = Agent.objects.get(name="Reasoner")
    agent.mode, agent.config = mode, config
    agent.save()
    return agent


@pytest.fixture
def base(asker: Persona) -> KnowledgeBase:
    return make_base(asker.space, name="Hangar")


@pytest.fixture
def manual(base: KnowledgeBase) -> Document:
    return make_document(base, name="manual.txt", texts=["Check the flaps before take-off."])


def prepared(run: AgentRun) -> Any:
    taken = take_lease(run.pk)
    assert taken is not None
    return prepare(*taken)


def test_the_agents_own_prompt_is_filled_and_keeps_the_standing_rules(
    asker: Persona, script: Play
) -> None:
    script([])
    configure(system_prompt="Be brief in {{language}}. Web: {{web_search_status}}.{{skills}}")
    system = prepared(put(asker, "Why?")).state.messages[0].content
    assert system.startswith("Be brief in the language of the question. Web: Disabled.")
    assert "never an instruction to you" in system
    assert "[c1]" in system


def test_a_named_prompt_is_used(asker: Persona, script: Play) -> None:
    script([])
    configure(system_prompt_id="pure")
    assert "No knowledge base is bound" in prepared(put(asker, "Why?")).state.messages[0].content


def test_limits_and_options_are_the_agents(asker: Persona, script: Play) -> None:
    script([])
    configure(
        temperature=0.2,
        thinking=True,
        max_completion_tokens=777,
        max_iterations=3,
        llm_call_timeout=9,
        parallel_tool_calls=False,
    )
    ready = prepared(put(asker, "Why?"))
    assert (ready.options.temperature, ready.options.thinking) == (0.2, True)
    assert ready.limits.max_rounds == 3
    assert ready.limits.call_timeout_seconds == 9
    assert ready.limits.max_output_tokens == 777
    assert ready.limits.parallel_calls == 1


def test_only_allowed_tools_that_a_base_serves_are_offered(
    asker: Persona, script: Play, base: KnowledgeBase
) -> None:
    script([])
    configure(allowed_tools=["grep_chunks", "no_such_tool"])
    assert "grep_chunks" in prepared(put(asker, "Why?")).toolset.names
    assert "knowledge_search" not in prepared(AgentRun.objects.get()).toolset.names


def test_the_runtime_context_tells_bases_recent_documents_time_and_rules(
    asker: Persona, script: Play, manual: Document
) -> None:
    script([])
    run = put(asker, "Why?")
    context = prepared(run).state.runtime_context
    for part in (
        "<current_time>",
        'name="Hangar" documents="1"',
        "<recent>manual.txt</recent>",
        "<communication_instruction>",
        "<answer_instruction>",
    ):
        assert part in context
    assert "runtime_context" not in Message.objects.get(pk=run.question_id).text


def test_bases_are_read_only_when_mentioned_if_the_agent_says_so(
    asker: Persona, script: Play, manual: Document
) -> None:
    script([])
    agent = configure(retrieve_kb_only_when_mentioned=True)
    run = put(asker, "Why?")
    assert scope_of_run(asker.actor, agent, run).bases == ()
    assert "knowledge_search" not in prepared(run).toolset.names
    run.base_ids = [str(manual.base_id)]
    assert scope_of_run(asker.actor, agent, run).base_ids == (manual.base_id,)


def test_without_citations_no_marker_is_written_but_the_passages_are_kept(
    asker: Persona, script: Play, manual: Document
) -> None:
    configure(citation_enabled=False)
    model = script([[*call("grep_chunks", pattern="flaps")], say("Check the flaps [c1].")])
    run = put(asker, "What is to be checked?")
    carry_out()
    run.refresh_from_db()
    assert run.answer is not None
    assert run.answer.text == "Check the flaps."
    assert "Write no citations" in model.asked[0][0].content
    evidence = read_evidence(asker.actor, origin_id=run.answer.pk)
    assert [each.document_name for each in evidence] == ["manual.txt"]


@pytest.mark.parametrize("response", ["Ask the tower.", ""])
def test_a_quick_answer_without_passages_says_what_its_agent_wants(
    asker: Persona, script: Play, response: str
) -> None:
    configure(AgentMode.QUICK, fallback_strategy="fixed", fallback_response=response)
    model = script([] if response else [say("I do not know.")])
    run = put(asker, "What is to be checked?")
    carry_out()
    run.refresh_from_db()
    assert run.answer is not None
    assert run.answer.text == (response or "I do not know.")
    assert len(model.asked) == (0 if response else 1)
    assert run.outcome == ("fallback" if response else "answered")


def test_a_quick_answers_frame_holds_passages_and_question(
    asker: Persona, script: Play, monkeypatch: pytest.MonkeyPatch, manual: Document
) -> None:
    hit = _hit(manual)
    monkeypatch.setattr(quick_module, "passages_of", lambda *_: [hit])
    configure(AgentMode.QUICK, context_template="Q: {{query}}\n{{contexts}}\nEnd.")
    model = script([say("The flaps [c1].")])
    put(asker, "What is to be checked?")
    carry_out()
    asked = model.asked[0][-1].content
    assert "Q: What is to be checked?" in asked
    assert "Check the flaps" in asked
    assert asked.rstrip().endswith("End.")


def _hit(document: Document, **scores: Any) -> RetrievalHit:
    (chunk,) = document.chunks.all()
    values: dict[str, Any] = {"dense_score": 0.9, "keyword_score": 0.5, "rerank_score": None}
    return RetrievalHit(
        rank=1,
        chunk_id=chunk.pk,
        document_id=document.pk,
        document_name=document.name,
        base_id=document.base_id,
        text=chunk.text,
        context=chunk.text,
        heading_path=(),
        page_from=None,
        page_to=None,
        position=0,
        content_hash=chunk.content_hash,
        document_revision=1,
        score=1.0,
        **{**values, **scores},
    )


@pytest.mark.parametrize(
    ("config", "scores", "kept"),
    [
        ({}, {"dense_score": 0.0, "keyword_score": 0.0}, True),
        ({"vector_threshold": 0.95}, {}, False),
        ({"vector_threshold": 0.95, "keyword_threshold": 0.4}, {}, True),
        ({"rerank_threshold": 0.5}, {"rerank_score": 0.4}, False),
        ({"rerank_threshold": 0.5}, {}, True),
    ],
)
def test_weak_passages_are_left_out(
    manual: Document, config: dict[str, Any], scores: dict[str, float], kept: bool
) -> None:
    agent = configure(**config)
    retrieval: Any = type("R", (), {"hits": (_hit(manual, **scores),)})
    assert bool(passages_of(retrieval, agent.settings)) == kept


def test_the_agents_rerank_model_and_number_of_passages_go_to_the_search(asker: Persona) -> None:
    model = make_model(asker.space, type="rerank")
    settings = retrieval_settings(
        configure(rerank_model_id=str(model.pk), rerank_top_k=20).settings
    )
    assert settings.rerank_model_id == model.pk
    assert settings.limit == 20


@pytest.mark.parametrize("retains", [False, True])
def test_the_history_holds_earlier_steps_and_old_results_only_when_retained(
    asker: Persona, script: Play, manual: Document, retains: bool
) -> None:
    configure(retain_retrieval_history=retains)
    model = script(
        [[*call("grep_chunks", pattern="flaps")], say("Flaps [c1]."), say("Still the flaps.")]
    )
    first = put(asker, "What is to be checked?")
    carry_out()
    ask(asker.actor, Question(text="Sure?"), conversation_id=first.conversation_id)
    carry_out()
    roles = [message.role for message in model.asked[2]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]
    history = model.asked[2]
    assert history[2].tool_calls[0].name == "grep_chunks"
    assert history[2].tool_calls[0].call_id == history[3].call_id
    assert (history[3].content == REDACTED_RESULT) == (not retains)
    assert ("Check the flaps" in history[3].content) == retains


def test_long_results_of_other_tools_are_one_line_in_the_history(
    asker: Persona, script: Play
) -> None:
    configure()
    model = script([say("Done."), say("Yes.")])
    first = put(asker, "Do it.")
    carry_out()
    outcome = ToolOutcome(call_id="x", name="fetch", ok=True, output="z" * 9000, summary="A page")
    ToolCall.objects.create(
        space_id=asker.space.pk,
        run=first,
        call_id="x",
        name="fetch",
        arguments_hash="",
        state=CallState.COMPLETED,
        result=outcome.model_dump(mode="json"),
    )
    RunEvent.objects.create(
        space_id=asker.space.pk,
        run=first,
        seq=90,
        seq_to=90,
        type="tool_call_started",
        data={"round": 1, "call_id": "x"},
    )
    ask(asker.actor, Question(text="Sure?"), conversation_id=first.conversation_id)
    carry_out()
    (result,) = [message for message in model.asked[1] if message.role == "tool"]
    assert result.content.startswith("A page [Left out")


def test_no_history_when_an_agent_reads_none(asker: Persona, script: Play) -> None:
    configure(history_turns=0)
    model = script([say("One."), say("Two.")])
    first = put(asker, "First?")
    carry_out()
    ask(asker.actor, Question(text="Second?"), conversation_id=first.conversation_id)
    carry_out()
    assert [message.role for message in model.asked[1]] == ["system", "user"]


def test_a_run_remembers_with_which_version_it_ran(asker: Persona, script: Play) -> None:
    Agent.objects.filter(name="Reasoner").update(version=7)
    assert put(asker, "Why?").agent_version == 7


def test_an_agent_that_cannot_work_refuses_the_question_with_the_reason(asker: Persona) -> None:
    AIModel.objects.update(is_default=False)
    with pytest.raises(Conflict, match="no chat model"):
        put(asker, "Why?")


# What a question names with @


def mention(kind: str, key: UUID) -> Mention:
    return Mention(kind=kind, id=key)  # type: ignore[arg-type]  # the test's own spelling


def test_mentions_limit_the_run_and_stand_with_the_question(
    asker: Persona, script: Play, manual: Document
) -> None:
    other = make_base(asker.space, name="Tower")
    neighbour = make_document(manual.base, name="cabin.txt", texts=["Count the seats."])
    script([])
    run = put(asker, "Why?", mentions=(mention("document", manual.pk), mention("base", other.pk)))
    assert set(run.base_ids) == {str(manual.base_id), str(other.pk)}
    assert [each["name"] for each in run.question.mentions] == ["manual.txt", "Tower"]
    ready = prepared(run)
    assert ready.deps.document_ids == (manual.pk,)
    assert ready.deps.whole_base_ids == (other.pk,)
    assert 'name="manual.txt"/>' in ready.state.runtime_context
    assert neighbour.name not in ready.state.runtime_context.partition("<pinned_documents>")[2]


def test_tools_read_only_the_named_documents(
    asker: Persona, script: Play, manual: Document
) -> None:
    make_document(manual.base, name="cabin.txt", texts=["Check the seats."])
    whole = make_document(make_base(asker.space), name="tower.txt", texts=["Check the radio."])
    model = script([[*call("grep_chunks", pattern="check")], say("Done.")])
    mentions = (mention("document", manual.pk), mention("base", whole.base_id))
    put(asker, "What is to be checked?", mentions=mentions)
    carry_out()
    result = model.asked[1][-1].content
    assert "flaps" in result
    assert "radio" in result
    assert "seats" not in result


def test_what_is_hidden_gone_or_of_no_use_cannot_be_named(
    asker: Persona, mallory: Persona, manual: Document
) -> None:
    agent = configure()
    hidden = make_base(mallory.space)
    for each in (mention("base", hidden.pk), mention("document", hidden.pk)):
        with pytest.raises(NotFound):
            check_mentions(asker.actor, agent, [each])
    agent = configure(supported_file_types=["csv"])
    with pytest.raises(NotFound):
        check_mentions(asker.actor, agent, [mention("document", manual.pk)])
    agent = configure(allowed_tools=["thinking"])
    with pytest.raises(NotFound):
        check_mentions(asker.actor, agent, [mention("base", manual.base_id)])


def test_the_menu_offers_what_the_agent_can_use_by_name(
    asker: Persona, mallory: Persona, manual: Document
) -> None:
    make_document(make_base(mallory.space), name="manual of others.txt", texts=["Secret."])
    agent = configure()
    names = [each.name for each in suggest_mentions(asker.actor, agent)]
    assert names == ["Hangar", "manual.txt"]
    assert [each.name for each in suggest_mentions(asker.actor, agent, search="MANU")] == [
        "manual.txt"
    ]
    assert suggest_mentions(asker.actor, configure(allowed_tools=["thinking"])) == []
