"""What a shared agent may do without being asked: nothing that leaves traces."""

from __future__ import annotations

import pytest

from agents.approvals.policy import of_shared_agent
from agents.catalogue import all_tools
from agents.engine.toolsets import CallInfo, Verdict
from agents.sharing.running import TOOLS
from core.tenancy import space_scope
from tests.personas import Persona


def call(side_effects: str) -> CallInfo:
    return CallInfo(
        call_id="c",
        name="publish_artifact",
        arguments={},
        fingerprint="f",
        side_effects=side_effects,
        title="Publishing",
    )


@pytest.mark.parametrize("side_effects", ["idempotent", "once"])
def test_what_leaves_traces_is_asked_for_whatever_its_own_rules_say(
    cora: Persona, side_effects: str
) -> None:
    with space_scope(cora.space.pk):
        verdict = of_shared_agent(call(side_effects), Verdict(decision="auto"))
    assert verdict.decision == "ask"
    assert verdict.timeout_seconds


def test_reading_is_not_asked_for_and_a_refusal_stays_one(cora: Persona) -> None:
    auto, denied = Verdict(decision="auto"), Verdict(decision="deny", reason="off")
    with space_scope(cora.space.pk):
        assert of_shared_agent(call("none"), auto) is auto
        assert of_shared_agent(call("once"), denied) is denied


def test_its_tools_exist_and_none_reads_the_memory_of_who_asks() -> None:
    assert set(all_tools) >= TOOLS
    assert not TOOLS & {"search_memory", "search_conversations", "call_agent"}
