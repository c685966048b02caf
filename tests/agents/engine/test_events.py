"""The closed union of events."""

from __future__ import annotations

import typing

import pytest
from inline_snapshot import snapshot
from pydantic import ValidationError

from agents.engine.events import (
    EVENT_ADAPTER,
    AgentEvent,
    AnswerDelta,
    RunFinished,
    ThoughtDelta,
    is_delta,
    number_event,
    parse_event,
)

MEMBERS = typing.get_args(typing.get_args(AgentEvent)[0])


def test_the_union_holds_these_types() -> None:
    assert sorted(member.model_fields["type"].default for member in MEMBERS) == snapshot(
        [
            "answer_delta",
            "answer_finished",
            "answer_reset",
            "approval_requested",
            "approval_resolved",
            "citation_added",
            "context_compacted",
            "model_retry",
            "preamble_moved",
            "round_degraded",
            "round_started",
            "run_finished",
            "run_started",
            "thought_delta",
            "thought_finished",
            "tool_call_finished",
            "tool_call_started",
            "usage_reported",
        ]
    )


def test_stored_events_are_read_again() -> None:
    event = RunFinished(seq=9, outcome="answered", reason="natural_stop", answer="Yes.")
    assert parse_event(event.model_dump(mode="json")) == event
    assert EVENT_ADAPTER.validate_json(event.model_dump_json()) == event


@pytest.mark.parametrize(
    "data",
    [
        {"type": "answer_delta", "text": "x", "colour": "red"},
        {"type": "unheard_of"},
        {"text": "x"},
        {"type": "answer_delta", "seq": -1, "text": "x"},
    ],
    ids=["unknown field", "unknown type", "no type", "negative number"],
)
def test_other_data_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        parse_event(data)


def test_events_are_values() -> None:
    event = AnswerDelta(text="x")
    with pytest.raises(ValidationError):
        event.text = "y"  # type: ignore[misc]  # the mistake
    numbered = number_event(event, 4)
    assert (event.seq, numbered.seq) == (0, 4)


def test_only_pieces_of_text_are_deltas() -> None:
    assert is_delta(AnswerDelta(text="x"))
    assert is_delta(ThoughtDelta(round=1, text="x"))
    assert not is_delta(RunFinished(outcome="answered", reason="natural_stop", answer=""))
