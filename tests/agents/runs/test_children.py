"""Agents that ask agents: linked runs, inherited limits, one child per call, stop, kill, hand-over."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import pytest

from agents.constants import AgentMode, BaseScope, RunState
from agents.engine.aliases import Aliases
from agents.engine.cancel import CancelToken
from agents.engine.citations import Citation
from agents.engine.testing import Pause, ScriptedModel, call, calls, raw_call, say
from agents.models import Agent, AgentRun, Artifact, Conversation, RunEvent
from agents.queries import list_conversations
from agents.runs import children as children_module, prepare as prepare_module
from agents.runs.family import child_id_of, descendants_of, stop_descendants
from agents.runs.keeper import resume_lost_runs
from agents.runs.reports import ChildReport, CitedSource
from agents.runs.store import take_lease
from agents.services.conversations import delete_conversation, stop_run
from agents.tools.agents import answer_with_aliases
from core.errors import Invalid
from core.models import BackgroundJob, JobState
from providers.contracts.chat import ChatChunk, ChatMessage, ChatOptions, ToolSpec
from tests.agents.runs.conftest import carry_out, put, seq_is_whole, types_of
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

Turns = Sequence[Sequence[ChatChunk | Exception | Pause]]


class Models:
    """One scripted model for each agent, by its instructions' first word."""

    def __init__(self, **scripts: Turns) -> None:
        self.by_agent = {name: ScriptedModel(turns) for name, turns in scripts.items()}
        self.name, self.context_tokens = "scripted", 200_000

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = ChatOptions(),  # noqa: B008  # as in the protocol; frozen
    ) -> Any:
        for name, model in self.by_agent.items():
            if f"You are {name}." in messages[0].content:
                async for chunk in model.stream(messages, tools=tools, options=options):
                    yield chunk
                return
        raise AssertionError("no agent of this name has a script")


@pytest.fixture
def team(asker: Persona, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Models]:
    """Make a boss who may ask an expert, who may ask a clerk; give each a script."""
    Agent.objects.all().delete()
    clerk = make_agent(asker.space, name="Clerk", instructions="You are clerk.")
    expert = make_agent(
        asker.space,
        name="Expert",
        description="Knows leases.",
        instructions="You are expert.",
        config={"sub_agents": [str(clerk.pk)]},
        position=50,
    )
    make_agent(
        asker.space,
        name="Boss",
        instructions="You are boss.",
        config={"sub_agents": [str(expert.pk), "no-id"]},
        position=1,
    )

    def play(**scripts: Turns) -> Models:
        models = Models(**scripts)
        monkeypatch.setattr(prepare_module, "get_chat_model", lambda row: models)
        return models

    return play


def asking(agent: str, *, call_id: str = "ask", **more: object) -> list[ChatChunk]:
    return raw_call(
        "call_agent",
        json.dumps({"agent": agent, "task": "Find the rent.", **more}),
        call_id=call_id,
    )


def asking_too(agent: str, *, call_id: str) -> list[ChatChunk]:
    arguments = json.dumps({"agent": agent, "task": "Find the deposit."})
    return raw_call("call_agent", arguments, call_id=call_id, index=1)


def checking(task_id: str, *, call_id: str = "check") -> list[ChatChunk]:
    return raw_call("check_task_status", json.dumps({"task_id": task_id}), call_id=call_id)


def output(run: AgentRun, call_id: str) -> dict[str, Any]:
    row = RunEvent.objects.get(run=run, type="tool_call_finished", data__call_id=call_id)
    return dict(row.data)


def test_expert_answers_in_a_run_of_its_own(asker: Persona, team: Callable[..., Models]) -> None:
    models = team(boss=[calls(asking("Expert")), say("900 euros.")], expert=[say("It is 900.")])
    run = put(asker, "What is the rent?")
    carry_out()
    child = AgentRun.objects.get(parent=run)
    assert (child.pk, child.depth, child.state) == (child_id_of(run.pk, "ask"), 1, RunState.DONE)
    assert child.question.text == "Find the rent."
    assert "It is 900." in output(run, "ask")["output"]
    assert output(run, "ask")["data"]["child"]["run_id"] == str(child.pk)
    assert seq_is_whole(child)
    assert types_of(child).count("run_finished") == 1
    told = next(each for each in models.by_agent["boss"].tools[0] if each.name == "call_agent")
    assert "- Expert: Knows leases." in told.description
    assert told.parameters["properties"]["agent"]["enum"] == ["Expert"]
    assert not BackgroundJob.objects.filter(state=JobState.QUEUED, name="agents.run_agent").exists()


def test_several_agents_work_at_the_same_time(asker: Persona, team: Callable[..., Models]) -> None:
    both = calls(asking("Expert", call_id="a"), asking_too("Expert", call_id="b"))
    team(boss=[both, say("Both.")], expert=[say("One."), say("Two.")])
    run = put(asker, "What is the rent?")
    carry_out()
    children = AgentRun.objects.filter(parent=run)
    assert {each.parent_call_id for each in children} == {"a", "b"}
    assert all(each.state == RunState.DONE and seq_is_whole(each) for each in children)
    said = {output(run, each)["output"].splitlines()[-1] for each in ("a", "b")}
    assert said == {"One.", "Two."}


def test_quick_answer_agent_can_be_asked_too(asker: Persona, team: Callable[..., Models]) -> None:
    make_base(asker.space, name="Leases", created_by=asker.user)
    Agent.objects.filter(name="Expert").update(mode=AgentMode.QUICK)
    team(boss=[calls(asking("Expert")), say("900.")], expert=[say("It is 900.")])
    run = put(asker, "What is the rent?")
    carry_out()
    assert "It is 900." in output(run, "ask")["output"]
    child = AgentRun.objects.get(parent=run)
    assert "tool_call_finished" in types_of(child)  # its one search


def test_conversation_among_agents_is_not_listed_and_goes_with_the_persons(
    asker: Persona, team: Callable[..., Models]
) -> None:
    team(boss=[calls(asking("Expert")), say("Yes.")], expert=[say("It is 900.")])
    run = put(asker, "What is the rent?")
    carry_out()
    assert [each.pk for each in list_conversations(asker.actor)] == [run.conversation_id]
    assert Conversation.objects.filter(is_internal=True).count() == 1
    delete_conversation(asker.actor, conversation_id=run.conversation_id)
    assert not Conversation.objects.exists()


def test_agents_below_agents_stop_at_the_depth_limit(
    asker: Persona, team: Callable[..., Models], monkeypatch: pytest.MonkeyPatch
) -> None:
    boss, expert, clerk = (Agent.objects.get(name=name) for name in ("Boss", "Expert", "Clerk"))
    Agent.objects.filter(pk=clerk.pk).update(config={"sub_agents": [str(boss.pk)]})
    models = team(
        boss=[calls(asking("Expert")), say("I know nothing."), say("Top.")],
        expert=[calls(asking("Clerk")), say("Middle.")],
        clerk=[calls(asking("Boss")), say("Low.")],
    )
    run = put(asker, "Who knows?")
    carry_out()
    run.refresh_from_db()
    depths = [each.depth for each in descendants_of([run.pk])]
    assert depths == [1, 2, 3]
    deepest = models.by_agent["boss"].tools[1]
    assert "call_agent" not in {each.name for each in deepest}
    assert run.answer is not None
    assert run.answer.text == "Top."


@pytest.mark.parametrize("scope", [BaseScope.ALL, BaseScope.NONE])
def test_child_sees_no_more_than_its_caller(
    asker: Persona, team: Callable[..., Models], scope: str
) -> None:
    allowed = make_base(asker.space, name="Leases", created_by=asker.user)
    make_base(asker.space, name="Salaries", created_by=asker.user)
    Agent.objects.filter(name="Boss").update(base_scope=scope)
    models = team(boss=[calls(asking("Expert")), say("Yes.")], expert=[say("It is 900.")])
    put(asker, "Rent?", base_ids=(allowed.pk,))
    carry_out()
    asked = models.by_agent["expert"].asked[0][-1].content
    assert ("Leases" in asked) is (scope == BaseScope.ALL)
    assert "Salaries" not in asked


def test_childs_rounds_are_at_most_its_callers(asker: Persona, team: Callable[..., Models]) -> None:
    boss = Agent.objects.get(name="Boss")
    Agent.objects.filter(pk=boss.pk).update(config={**boss.config, "max_iterations": 2})
    thoughts = [calls(call("nothing", n=number)) for number in (1, 2)]
    team(
        boss=[calls(asking("Expert")), say("Yes.")],
        expert=[*thoughts, say("I found nothing.")],
    )
    run = put(asker, "Rent?")
    carry_out()
    child = AgentRun.objects.get(parent=run)
    assert child.outcome == "limit_reached"
    assert "2 rounds" in child.reason


def test_passages_of_the_child_can_be_cited_by_the_caller(
    asker: Persona, team: Callable[..., Models]
) -> None:
    base = make_base(asker.space, name="Leases", created_by=asker.user)
    make_document(base, name="lease.txt", texts=["The rent is 900 euros a month."])
    search = raw_call("grep_chunks", '{"pattern": "rent"}', call_id="grep")
    team(
        boss=[calls(asking("Expert")), say("The rent is 900 euros [c1].")],
        expert=[calls(search), say("It is 900 euros [c1].")],
    )
    run = put(asker, "What is the rent?")
    carry_out()
    text = output(run, "ask")["output"]
    assert "It is 900 euros [c1]." in text
    assert "[c1] lease.txt: The rent is 900 euros a month." in text
    run.refresh_from_db()
    assert run.answer is not None
    assert run.answer.text == "The rent is 900 euros [1]."
    citation = run.loop_state["citations"][0]
    child = AgentRun.objects.get(parent=run)
    assert citation["chunk_id"] == child.loop_state["citations"][0]["chunk_id"]


def test_markers_become_the_callers_aliases_except_in_code() -> None:
    citation = Citation(marker=1, alias="c9", kind="chunk", chunk_id="x", title="Lease")
    report = ChildReport(
        run_id=UUID(int=1),
        task_id="a",
        agent_name="Expert",
        state="done",
        answer="So [1], not [2] or `a[1]`:\n```\nb[1]\n```\n[1](link)",
        sources=(CitedSource(citation=citation),),
    )
    aliases = Aliases()
    aliases.chunk("other")
    said = answer_with_aliases(report, aliases)
    assert said == "So [c2], not  or `a[1]`:\n```\nb[1]\n```\n[1](link)"


def test_submitted_task_has_a_job_of_its_own(asker: Persona, team: Callable[..., Models]) -> None:
    submit = raw_call(
        "SUBMIT_SUBAGENT_TASK", '{"agentName": "expert", "message": "Look."}', call_id="ask"
    )
    team(boss=[calls(submit), say("It works on it.")], expert=[say("It is 900.")])
    run = put(asker, "What is the rent?")
    carry_out()
    assert 'Its task id is "ask"' in output(run, "ask")["output"]
    assert output(run, "ask")["name"] == "call_agent"
    carry_out()
    assert AgentRun.objects.get(parent=run).state == RunState.DONE


def test_status_of_a_task_is_told_also_in_a_later_turn(
    asker: Persona, team: Callable[..., Models]
) -> None:
    from agents.services.conversations import Question, ask

    team(
        boss=[
            calls(asking("Expert", wait=False)),
            say("Later."),
            calls(checking("ask")),
            say("900."),
            calls(checking("ask")),
            say("No."),
        ],
        expert=[say("It is 900.")],
    )
    first = put(asker, "What is the rent?")
    carry_out()
    carry_out()
    second = ask(asker.actor, Question(text="And?"), conversation_id=first.conversation_id)
    carry_out()
    assert "It is 900." in output(second, "check")["output"]
    other = put(asker, "Another conversation.")
    carry_out()
    assert "There is no task 'ask'" in output(other, "check")["output"]


def test_child_that_waits_for_a_person_does_not_hold_its_caller(
    asker: Persona, team: Callable[..., Models]
) -> None:
    expert = Agent.objects.get(name="Expert")
    config = {**expert.config, "approvals": [{"tool": "thinking", "mode": "ask"}]}
    Agent.objects.filter(pk=expert.pk).update(config=config)
    thought = {
        "thought": "Hm.",
        "thought_number": 1,
        "total_thoughts": 1,
        "next_thought_needed": False,
    }
    team(
        boss=[calls(asking("Expert")), say("Ask me later.")],
        expert=[calls(raw_call("thinking", json.dumps(thought), call_id="t"))],
    )
    run = put(asker, "What is the rent?")
    carry_out()
    run.refresh_from_db()
    child = AgentRun.objects.get(parent=run)
    assert (run.state, child.state) == (RunState.DONE, RunState.WAITING_APPROVAL)
    assert "waits for a person's decision" in output(run, "ask")["output"]


def test_stop_ends_the_whole_family(asker: Persona, team: Callable[..., Models]) -> None:
    submit = calls(asking("Expert", wait=False))
    team(boss=[submit, say("Later.")], expert=[say("never heard")])
    run = put(asker, "What is the rent?")
    carry_out()
    assert stop_descendants(run.pk, detail="Stopped.") == 1
    child = AgentRun.objects.get(parent=run)
    assert (child.state, child.outcome) == (RunState.CANCELLED, "stopped")
    assert types_of(child) == ["run_finished"]
    assert stop_descendants(run.pk, detail="Stopped.") == 0


def test_child_at_work_is_stopped_with_its_caller(
    asker: Persona, team: Callable[..., Models], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the expert speaks, the person stops the run: both end, each with one last event."""
    runs: list[AgentRun] = []

    def stop() -> None:
        stop_run(asker.actor, run_id=runs[0].pk)

    class Speaking(Models):
        async def stream(self, messages: Any, **more: Any) -> Any:
            if "You are expert." not in messages[0].content:
                async for chunk in super().stream(messages, **more):
                    yield chunk
                return
            from core.aio import in_db

            yield ChatChunk(text="It is")
            await in_db(stop)
            await CancelToken().wait()

    models = Speaking(boss=[calls(asking("Expert"))])
    team(boss=[])
    monkeypatch.setattr(prepare_module, "get_chat_model", lambda row: models)
    run = put(asker, "What is the rent?")
    runs.append(run)
    carry_out()
    run.refresh_from_db()
    child = AgentRun.objects.get(parent=run)
    assert (run.state, child.state) == (RunState.CANCELLED, RunState.CANCELLED)
    assert types_of(run).count("run_finished") == 1
    assert types_of(child).count("run_finished") == 1


def test_repeated_call_of_a_resumed_caller_goes_on_with_the_same_child(
    asker: Persona, team: Callable[..., Models]
) -> None:
    """The worker dies while the expert works: the next one finds the child and finishes both."""
    from core.jobs.housekeeping import return_lost_jobs
    from core.jobs.work import claim

    models = team(boss=[calls(asking("Expert"))], expert=[])
    models.by_agent["expert"] = Dying([[]])
    run = put(asker, "What is the rent?")
    with pytest.raises(WorkerDies):
        carry_out()
    child = AgentRun.objects.get(parent=run)
    assert child.state == RunState.RUNNING
    team(boss=[say("900.")], expert=[say("It is 900.")])
    BackgroundJob.objects.update(heartbeat_at="2020-01-01T00:00:00Z")
    return_lost_jobs()
    AgentRun.objects.update(created_at="2020-01-01T00:00:00Z")
    assert resume_lost_runs() == 0  # the caller's job carries the child, too
    BackgroundJob.objects.update(run_after="2020-01-01T00:00:00Z")
    carry_out()
    run.refresh_from_db()
    assert AgentRun.objects.filter(parent=run).count() == 1
    child.refresh_from_db()
    assert (run.state, child.state) == (RunState.DONE, RunState.DONE)
    assert "It is 900." in output(run, "ask")["output"]
    assert seq_is_whole(child)
    assert claim("runs") is None


class WorkerDies(BaseException):
    """Ends the worker's job in this process, as a kill would."""


class Dying(ScriptedModel):
    """Its worker is killed in mid-answer."""

    async def stream(self, messages: Any, **_: Any) -> Any:
        yield ChatChunk(text="It")
        raise WorkerDies


def test_slow_child_is_given_to_a_job_of_its_own(
    asker: Persona, team: Callable[..., Models], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children_module, "WAIT_SECONDS", 0.3)
    team(
        boss=[calls(asking("Expert")), say("Later.")],
        expert=[[ChatChunk(text="It"), Pause()]],
    )
    run = put(asker, "What is the rent?")
    carry_out()
    assert "still working" in output(run, "ask")["output"]
    child = AgentRun.objects.get(parent=run)
    assert child.state == RunState.RUNNING
    own = BackgroundJob.objects.get(pk=str(child.job_id))
    assert (own.state, own.arguments) == (JobState.QUEUED, {"run_id": str(child.pk)})
    team(expert=[say("It is 900.")])
    carry_out()
    child.refresh_from_db()
    assert child.answer is not None
    assert child.answer.text == "It is 900."
    assert seq_is_whole(child)


def test_file_of_a_child_reaches_the_person(asker: Persona, team: Callable[..., Models]) -> None:
    publish = raw_call("PUBLISH_FILE", '{"fileName": "r.md", "content": "# R"}', call_id="p")
    team(
        boss=[calls(asking("Expert")), say("See r.md.")],
        expert=[calls(publish), say("Made it.")],
    )
    run = put(asker, "Make a report.")
    carry_out()
    made = Artifact.objects.get()
    assert made.conversation_id == run.conversation_id
    assert output(run, "ask")["data"]["files"][0]["id"] == str(made.pk)


def test_unknown_agent_is_answered_with_the_known_ones(
    asker: Persona, team: Callable[..., Models]
) -> None:
    Agent.objects.filter(name="Expert").update(is_enabled=False)
    models = team(boss=[calls(asking("Expert")), say("No.")])
    run = put(asker, "What is the rent?")
    carry_out()
    assert not AgentRun.objects.filter(parent=run).exists()
    assert "call_agent" not in {each.name for each in models.by_agent["boss"].tools[0]}
    assert output(run, "ask")["error_code"] == "unknown_tool"


def test_depth_limit_holds_whatever_was_offered(asker: Persona, team: object) -> None:
    from dataclasses import replace

    from agents.runs.children import Assignment, begin_child
    from agents.runs.prepare import prepare

    run = put(asker, "Deep?")
    taken = take_lease(run.pk)
    assert taken is not None
    deps = replace(prepare(*taken).deps, depth=3)
    task = Assignment(agent_id=Agent.objects.get(name="Expert").pk, task="x", waits=True)
    with pytest.raises(Invalid, match="3 deep"):
        begin_child(deps, call_id="ask", assignment=task)
