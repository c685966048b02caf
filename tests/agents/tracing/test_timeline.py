"""The timeline of a run, folded from stored events and their times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from agents.engine.events import (
    AgentEvent,
    ApprovalRequested,
    ApprovalResolved,
    ModelRetry,
    PreambleMoved,
    RoundStarted,
    RunFinished,
    RunStarted,
    ThoughtDelta,
    ToolCallFinished,
    ToolCallStarted,
    UsageReported,
)
from agents.pages.scale import WIDTH, scale_of
from agents.tracing.intervals import Interval, merged, total_seconds
from agents.tracing.spans import StoredEvent, Timeline
from agents.tracing.timeline import fold_timeline
from providers.contracts.chat import Usage

BEGIN = datetime(2026, 5, 4, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def folded(*events: tuple[float, AgentEvent]) -> Timeline:
    return fold_timeline(
        StoredEvent(event=event.model_copy(update={"seq": number}), at=at(seconds))
        for number, (seconds, event) in enumerate(events, 1)
    )


def usage(duration_ms: int = 2000, **fields: object) -> UsageReported:
    values = {"round": 1, "purpose": "round", "model": "M", "estimated": False, **fields}
    return UsageReported(
        usage=Usage(input_tokens=10, output_tokens=5), duration_ms=duration_ms, **values
    )


def started(call_id: str = "a") -> ToolCallStarted:
    return ToolCallStarted(round=1, call_id=call_id, name="search", arguments={"q": 1}, title="S")


def finished(call_id: str = "a", *, ok: bool = True, duration_ms: int = 500) -> ToolCallFinished:
    return ToolCallFinished(
        round=1,
        call_id=call_id,
        name="search",
        ok=ok,
        output="Out.",
        summary="1 hit",
        duration_ms=duration_ms,
    )


def requested(call_id: str = "a") -> ApprovalRequested:
    return ApprovalRequested(
        round=1,
        call_id=call_id,
        name="delete",
        arguments={},
        title="D",
        kind="call",
        reason="It deletes.",
        decision_hash="h",
        timeout_seconds=60,
    )


def end(reason: str = "natural_stop", outcome: str = "answered") -> RunFinished:
    return RunFinished(outcome=outcome, reason=reason, answer="Yes.")


START = (0.0, RunStarted(question="Why?", mode="react"))


def test_a_round_holds_its_model_call_and_its_tools_with_their_times() -> None:
    line = folded(
        START,
        (0.1, RoundStarted(round=1)),
        (1.0, ThoughtDelta(round=1, text="Hm.")),
        (2.0, PreambleMoved(round=1, text="I look.")),
        (2.1, usage()),
        (2.2, started("a")),
        (2.2, started("b")),
        (2.7, finished("b")),
        (3.2, finished("a", ok=False, duration_ms=1000)),
        (3.3, RoundStarted(round=2)),
        (4.3, usage(1000)),
        (4.4, end()),
    )
    assert [each.number for each in line.rounds] == [1, 2]
    first = line.rounds[0].spans
    assert [(span.kind, span.state) for span in first] == [
        ("model", "ok"),
        ("tool", "bad"),
        ("tool", "ok"),
    ]
    assert [round(span.seconds(at(9)), 3) for span in first] == [2.0, 1.0, 0.5]
    assert (first[0].thought, first[0].said, first[0].input_tokens) == ("Hm.", "I look.", 10)
    assert (line.outcome, line.total_seconds(at(99))) == ("answered", 4.4)


def test_waiting_for_people_stands_apart_and_counts_once() -> None:
    line = folded(
        START,
        (1.0, requested("a")),
        (2.0, requested("b")),
        (11.0, ApprovalResolved(round=1, call_id="a", resolution="approved")),
        (21.0, ApprovalResolved(round=1, call_id="b", resolution="rejected", comment="No.")),
        (25.0, end()),
    )
    assert line.waiting_seconds(at(99)) == 20
    assert line.working_seconds(at(99)) == 5
    assert [span.state for span in line.of_kind("wait")] == ["ok", "bad"]


def test_a_run_that_goes_on_shows_what_it_does_now() -> None:
    line = folded(START, (1, RoundStarted(round=1)))
    (span,) = line.spans
    assert (span.kind, span.state, span.seconds(at(5))) == ("model", "live", 4)
    assert line.total_seconds(at(5)) == 5


def test_what_was_open_at_the_end_ends_with_it() -> None:
    line = folded(
        START, (1, RoundStarted(round=1)), (2, started()), (4, end("cancelled", "stopped"))
    )
    assert [(span.state, span.ended) for span in line.spans] == [("bad", at(4))] * 2


def test_a_call_that_a_budget_forbade_is_not_shown_as_one() -> None:
    line = folded(START, (1, RoundStarted(round=1)), (1.1, end("budget", "limit_reached")))
    assert line.spans == []


def test_retries_and_other_purposes_have_their_own_lines() -> None:
    line = folded(
        START,
        (1, RoundStarted(round=1)),
        (2, ModelRetry(round=1, attempt=1, wait_seconds=1, reason="429")),
        (4, usage(500, purpose="summary")),
        (6, usage(1000)),
        (7, end()),
    )
    assert [(span.kind, span.purpose) for span in line.spans] == [
        ("model", "round"),
        ("note", ""),
        ("model", "summary"),
    ]


_moments = st.integers(0, 1000)


@given(st.lists(st.tuples(_moments, _moments).map(sorted), max_size=8))
def test_merged_stretches_are_apart_and_as_long_as_all_together(pairs: list[list[int]]) -> None:
    intervals = [Interval(at(a), at(b)) for a, b in pairs]
    seconds = {n for a, b in pairs for n in range(a, b)}
    found = merged(intervals)
    assert total_seconds(intervals) == len(seconds)
    assert all(one.ended < two.began for one, two in zip(found, found[1:], strict=False))


@given(
    st.lists(st.tuples(_moments, _moments).map(sorted), max_size=4),
    st.lists(_moments, min_size=2, max_size=6).map(sorted),
)
def test_a_scale_keeps_the_order_and_its_ends(waits: list[list[int]], moments: list[int]) -> None:
    scale = scale_of(at(0), at(1000), [Interval(at(a), at(b)) for a, b in waits])
    places = [scale.x(at(moment)) for moment in moments]
    assert places == sorted(places)
    assert (scale.x(at(0)), scale.x(at(1000))) == (0, WIDTH)


def test_a_wait_of_a_day_leaves_room_for_the_work() -> None:
    scale = scale_of(at(0), at(86_410), [Interval(at(5), at(86_405))])
    assert scale.shortens
    assert scale.x(at(5)) == pytest.approx(400, abs=1)


def test_call_whose_worker_was_killed_is_interrupted_and_the_next_one_counts() -> None:
    line = folded(
        (0, RunStarted(question="Why?", mode="react")),
        (0, RoundStarted(round=1)),
        (3, ThoughtDelta(round=1, text="Hm")),
        (40, RoundStarted(round=1)),
        (42, usage()),
        (42, RunFinished(outcome="answered", reason="natural_stop", answer="So.")),
    )
    broken, whole = (span for span in line.spans if span.kind == "model")
    assert (broken.state, broken.purpose, broken.ended) == ("bad", "interrupted", at(3))
    assert (whole.state, whole.ended) == ("ok", at(42))
    assert [each.number for each in line.rounds if each.number] == [1]
