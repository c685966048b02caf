"""Approvals as saved state, and the journal that keeps anything from happening twice."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from inline_snapshot import snapshot

from agents.engine.calls import Decision, ToolOutcome
from agents.engine.cancel import CancelToken
from agents.engine.errors import DecisionRefused, RunInterrupted
from agents.engine.events import RunFinished
from agents.engine.state import RunState
from agents.engine.testing import (
    FakeTool,
    ScriptedModel,
    a_loop,
    a_run,
    call,
    calls,
    events_of,
    say,
    told,
)
from agents.engine.tools import Tool
from agents.engine.toolsets import CallInfo, JournalEntry, Toolset, Verdict

PARAMETERS = {
    "type": "object",
    "properties": {"to": {"type": "string"}},
    "required": ["to"],
    "additionalProperties": False,
}


@dataclass
class Policy:
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    asked: list[CallInfo] = field(default_factory=list)
    broken: bool = False

    async def decide(self, call: CallInfo) -> Verdict:
        self.asked.append(call)
        if self.broken:
            raise LookupError("rules are gone")
        return self.verdicts.get(call.name, Verdict(decision="auto"))


@dataclass
class Journal:
    entries: dict[str, JournalEntry] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)

    async def lookup(self, call_id: str) -> JournalEntry | None:
        return self.entries.get(call_id)

    async def started(self, call: CallInfo) -> None:
        self.log.append(("started", call.call_id))

    async def completed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        self.log.append(("completed", call.call_id))

    async def failed(self, call: CallInfo, outcome: ToolOutcome) -> None:
        self.log.append(("failed", call.call_id))


ASK = Verdict(
    decision="ask", reason="It leaves the house.", risks=("external",), timeout_seconds=60
)


def mailer() -> FakeTool:
    return FakeTool("send", answer="sent", side_effects="unsafe", parameters=PARAMETERS)


def tools_with(policy: Policy, *tools: Tool[None], journal: Journal | None = None) -> Toolset[None]:
    toolset = Toolset.of(tools).with_approval(policy)
    return toolset.with_journal(journal) if journal else toolset


async def waiting_run(
    policy: Policy, send: FakeTool, *, journal: Journal | None = None
) -> tuple[RunState, ScriptedModel, Toolset[None]]:
    """Run until a call waits; the state went through storage."""
    model = ScriptedModel([calls(call("send", to="ada")), say("Done.")])
    toolset = tools_with(policy, send.tool(), journal=journal)
    state = a_run()
    await events_of(a_loop(model, toolset=toolset, principal="user:1"), state)
    return RunState.model_validate_json(state.model_dump_json()), model, toolset


def decision(state: RunState, resolution: str, **more: object) -> Decision:
    waiting = state.approvals["send"]
    return Decision.model_validate(
        {"resolution": resolution, "decision_hash": waiting.decision_hash, **more}
    )


async def test_a_call_that_needs_a_person_waits_as_saved_state() -> None:
    send, search = mailer(), FakeTool()
    policy = Policy({"send": ASK})
    turn = calls(call("send", to="ada"), call("search", index=1))
    state = a_run()
    with ScriptedModel([turn]) as model:
        toolset = tools_with(policy, send.tool(), search.tool())
        events = await events_of(a_loop(model, toolset=toolset), state)
    assert send.calls == []
    assert len(search.calls) == 1
    asked = told(events)[-1]
    asked.pop("decision_hash")
    assert asked == snapshot(
        {
            "type": "approval_requested",
            "round": 1,
            "call_id": "send",
            "name": "send",
            "arguments": {"to": "ada"},
            "title": "Send",
            "kind": "call",
            "reason": "It leaves the house.",
            "risks": ("external",),
            "timeout_seconds": 60.0,
        }
    )
    assert [waiting.call_id for waiting in state.waiting] == ["send"]
    assert not state.finished


async def test_an_approved_call_runs_and_the_run_goes_on() -> None:
    send, policy = mailer(), Policy({"send": ASK})
    state, model, toolset = await waiting_run(policy, send)
    state.decide("send", decision(state, "approved"))
    events = await events_of(a_loop(model, toolset=toolset, principal="user:1"), state)
    assert send.calls == [{"to": "ada"}]
    assert told(events) == snapshot(
        [
            {"type": "approval_resolved", "round": 1, "call_id": "send", "resolution": "approved"},
            {
                "type": "tool_call_started",
                "round": 1,
                "call_id": "send",
                "name": "send",
                "arguments": {"to": "ada"},
                "title": "Send",
            },
            {
                "type": "tool_call_finished",
                "round": 1,
                "call_id": "send",
                "name": "send",
                "ok": True,
                "output": "sent",
                "summary": "send done",
                "duration_ms": 1,
            },
            {"type": "round_started", "round": 2},
            {"type": "answer_delta", "text": "Done."},
            {"type": "answer_finished", "text": "Done."},
            {
                "type": "run_finished",
                "outcome": "answered",
                "reason": "natural_stop",
                "answer": "Done.",
            },
        ]
    )
    assert events[0].seq > 1
    assert state.approvals == {}


async def test_a_rejection_is_a_result_the_model_reads() -> None:
    send, policy = mailer(), Policy({"send": ASK})
    state, model, toolset = await waiting_run(policy, send)
    state.decide("send", decision(state, "rejected", comment="Not to Ada."))
    await events_of(a_loop(model, toolset=toolset), state)
    assert send.calls == []
    assert "A person rejected this call. They said: Not to Ada." in model.asked[1][-1].content


async def test_a_decision_that_never_came_is_a_result_too() -> None:
    send, policy = mailer(), Policy({"send": ASK})
    state, model, toolset = await waiting_run(policy, send)
    state.decide("send", decision(state, "expired"))
    events = await events_of(a_loop(model, toolset=toolset), state)
    assert "Nobody decided" in model.asked[1][-1].content
    assert told(events)[-1]["outcome"] == "answered"


async def test_edited_arguments_are_what_runs() -> None:
    send, policy = mailer(), Policy({"send": ASK})
    state, model, toolset = await waiting_run(policy, send)
    state.decide("send", decision(state, "edited", arguments={"to": "grace"}))
    await events_of(a_loop(model, toolset=toolset), state)
    assert send.calls == [{"to": "grace"}]


async def test_edited_arguments_that_do_not_fit_are_not_run() -> None:
    send, policy = mailer(), Policy({"send": ASK})
    state, model, toolset = await waiting_run(policy, send)
    state.decide("send", decision(state, "edited", arguments={"colour": "red"}))
    await events_of(a_loop(model, toolset=toolset), state)
    assert send.calls == []
    assert "'to' is a required property" in model.asked[1][-1].content


async def test_permission_is_asked_again_when_the_call_runs() -> None:
    send, policy = mailer(), Policy({"send": ASK})
    state, model, toolset = await waiting_run(policy, send)
    state.decide("send", decision(state, "approved"))
    policy.verdicts["send"] = Verdict(decision="deny", reason="The right was taken away.")
    events = await events_of(a_loop(model, toolset=toolset), state)
    assert send.calls == []
    ended = next(event for event in told(events) if event["type"] == "tool_call_finished")
    assert ended["error_code"] == "denied"


async def test_a_denied_call_does_not_run_and_the_model_is_told_why() -> None:
    send = mailer()
    policy = Policy({"send": Verdict(decision="deny", reason="No mail from here.")})
    with ScriptedModel([calls(call("send", to="ada")), say("Sorry.")]) as model:
        await events_of(a_loop(model, toolset=tools_with(policy, send.tool())), a_run())
    assert send.calls == []
    assert "not allowed here. No mail from here." in model.asked[1][-1].content


async def test_a_policy_that_fails_asks_a_person() -> None:
    send, policy = mailer(), Policy(broken=True)
    state, _, _ = await waiting_run(policy, send)
    assert [waiting.call_id for waiting in state.waiting] == ["send"]


async def test_a_run_with_open_approvals_still_waits_and_does_not_ask_twice() -> None:
    send, policy = mailer(), Policy({"send": ASK})
    state, model, toolset = await waiting_run(policy, send)
    assert await events_of(a_loop(model, toolset=toolset), state) == []
    assert len(policy.asked) == 1


async def test_a_stop_closes_what_waits() -> None:
    send, policy, token = mailer(), Policy({"send": ASK}), CancelToken()
    state, model, toolset = await waiting_run(policy, send)
    token.cancel()
    events = told(await events_of(a_loop(model, toolset=toolset), state, cancel=token))
    assert [(e["type"], e.get("resolution"), e.get("outcome")) for e in events] == [
        ("approval_resolved", "cancelled", None),
        ("run_finished", None, "stopped"),
    ]


async def test_a_decision_fits_only_the_call_it_was_made_for() -> None:
    send, policy = mailer(), Policy({"send": ASK})
    state, _, _ = await waiting_run(policy, send)
    with pytest.raises(DecisionRefused, match="another call"):
        state.decide("send", Decision(resolution="approved", decision_hash="0" * 64))
    with pytest.raises(DecisionRefused, match="no call 'other' waits"):
        state.decide("other", decision(state, "approved"))
    with pytest.raises(DecisionRefused, match="needs its arguments"):
        state.decide("send", decision(state, "edited"))
    state.decide("send", decision(state, "approved"))
    with pytest.raises(DecisionRefused):
        state.decide("send", decision(state, "rejected"))


async def test_the_hash_depends_on_tool_arguments_and_principal() -> None:
    hashes = set()
    for principal, to in (("user:1", "ada"), ("user:2", "ada"), ("user:1", "bob")):
        state = a_run()
        model = ScriptedModel([calls(call("send", to=to))])
        toolset = tools_with(Policy({"send": ASK}), mailer().tool())
        await events_of(a_loop(model, toolset=toolset, principal=principal), state)
        hashes.add(state.approvals["send"].decision_hash)
    assert len(hashes) == 3


# The journal


async def test_calls_are_journalled_before_and_after() -> None:
    journal = Journal()
    good, bad = FakeTool("good"), FakeTool("bad", answer=ValueError("no"))
    turn = calls(call("good"), call("bad", index=1))
    with ScriptedModel([turn, say("Done.")]) as model:
        toolset = Toolset.of([good.tool(), bad.tool()]).with_journal(journal)
        await events_of(a_loop(model, toolset=toolset), a_run())
    assert sorted(journal.log) == [
        ("completed", "good"),
        ("failed", "bad"),
        ("started", "bad"),
        ("started", "good"),
    ]


async def crashed_run(
    entry: JournalEntry, send: FakeTool
) -> tuple[RunState, ScriptedModel, list[dict[str, object]]]:
    """Resume a run whose worker died in the middle of a call."""
    state, stored = a_run(), ""
    model = ScriptedModel([calls(call("send", to="ada")), say("Done.")])
    async for event in a_loop(model, send.tool()).run(state):
        if event.type == "tool_call_started":
            stored = state.model_dump_json()
            break
    state = RunState.model_validate_json(stored)
    send.calls.clear()
    toolset = Toolset.of([send.tool()]).with_journal(Journal({"send": entry}))
    return state, model, told(await events_of(a_loop(model, toolset=toolset), state))


async def test_a_completed_call_is_not_run_again() -> None:
    send = mailer()
    outcome = ToolOutcome(call_id="send", name="send", ok=True, output="sent before")
    _, model, events = await crashed_run(JournalEntry(status="completed", outcome=outcome), send)
    assert send.calls == []
    assert model.asked[1][-1].content == "sent before"
    assert [event["type"] for event in events][0] == "tool_call_finished"


async def test_a_failed_call_keeps_its_failure() -> None:
    send = mailer()
    outcome = ToolOutcome(call_id="send", name="send", ok=False, output="no", error_code="failed")
    _, model, _ = await crashed_run(JournalEntry(status="failed", outcome=outcome), send)
    assert send.calls == []
    assert model.asked[1][-1].content == "no"


async def test_an_unknown_outcome_with_side_effects_goes_to_a_person() -> None:
    send = mailer()
    state, _, events = await crashed_run(JournalEntry(status="started"), send)
    assert send.calls == []
    assert (events[-1]["type"], events[-1]["kind"]) == ("approval_requested", "recovery")
    assert not state.finished


async def test_an_unknown_outcome_without_harm_is_run_again() -> None:
    send = FakeTool("send", side_effects="idempotent")
    _, _, events = await crashed_run(JournalEntry(status="started"), send)
    assert len(send.calls) == 1
    assert events[-1]["outcome"] == "answered"


async def test_a_recovery_that_a_person_approved_runs_once_more() -> None:
    send = mailer()
    state, model, _ = await crashed_run(JournalEntry(status="started"), send)
    state.decide("send", decision(state, "approved"))
    toolset = Toolset.of([send.tool()]).with_journal(
        Journal({"send": JournalEntry(status="started")})
    )
    events = await events_of(a_loop(model, toolset=toolset), state)
    assert send.calls == [{"to": "ada"}]
    assert isinstance(events[-1], RunFinished)


async def test_an_approval_is_used_up_when_its_call_was_begun() -> None:
    send, policy, journal = mailer(), Policy({"send": ASK}), Journal()
    state, model, toolset = await waiting_run(policy, send, journal=journal)
    state.decide("send", decision(state, "approved"))
    journal.entries["send"] = JournalEntry(status="started")
    events = told(await events_of(a_loop(model, toolset=toolset), state))
    assert send.calls == []
    assert events[-1]["kind"] == "recovery"


async def test_a_recovery_that_was_interrupted_too_asks_again() -> None:
    send = mailer()
    state, model, _ = await crashed_run(JournalEntry(status="started"), send)
    state.decide("send", decision(state, "approved"))
    toolset = Toolset.of([send.tool()]).with_journal(
        Journal({"send": JournalEntry(status="started")})
    )
    stored = ""
    async for event in a_loop(model, toolset=toolset).run(state):
        assert event.type == "approval_resolved"
        stored = state.model_dump_json()
        break
    state = RunState.model_validate_json(stored)
    events = told(await events_of(a_loop(model, toolset=toolset), state))
    assert send.calls == []
    assert (events[-1]["type"], events[-1]["kind"]) == ("approval_requested", "recovery")


async def test_a_journal_that_cannot_be_written_stops_the_worker_not_the_run() -> None:
    class Lost(Journal):
        async def started(self, call: CallInfo) -> None:
            raise RunInterrupted("another worker has the run")

    send, state = mailer(), a_run()
    model = ScriptedModel([calls(call("send", to="ada"))])
    toolset = Toolset.of([send.tool()]).with_journal(Lost())
    with pytest.raises(RunInterrupted):
        await events_of(a_loop(model, toolset=toolset), state)
    assert send.calls == []
    assert not state.finished


async def test_aliases_of_a_journalled_result_keep_their_meaning() -> None:
    from agents.engine.aliases import Aliases

    before = Aliases()
    for number in range(1, 4):
        before.chunk(f"chunk-{number}")
    outcome = ToolOutcome(
        call_id="search",
        name="search",
        ok=True,
        output="see [c3]",
        sources=before.mentioned_in("c3"),
    )
    state, turn = a_run(), calls(call("search"), call("other", index=1))
    model = ScriptedModel([turn, say("It is so [c3].")])

    def other(arguments: dict[str, object]) -> str:
        return f"passage {state.aliases.chunk('another')}"

    toolset = Toolset.of([FakeTool().tool(), FakeTool("other", answer=other).tool()])
    toolset = toolset.with_journal(
        Journal({"search": JournalEntry(status="completed", outcome=outcome)})
    )
    events = await events_of(a_loop(model, toolset=toolset), state)
    cited = next(event for event in told(events) if event["type"] == "citation_added")
    assert cited["chunk_id"] == "chunk-3"
    assert "passage c4" in [message.content for message in model.asked[1]][-1]
