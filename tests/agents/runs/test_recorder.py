"""The recorder: deltas are joined, every other event is stored with the state it belongs to."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from uuid import uuid4

import pytest

from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    RoundDegraded,
    RoundStarted,
    RunFinished,
    RunStarted,
)
from agents.engine.state import RunState
from agents.runs import recorder as recorder_module
from agents.runs.recorder import Recorder
from agents.runs.store import Lease, LeaseLost, Recorded

LEASE = Lease(run_id=uuid4(), conversation_id=uuid4(), epoch=1)


class Store:
    """Stands in for the database: keeps what is written, and can be slow or refuse."""

    def __init__(self) -> None:
        self.written: list[tuple[list[str], bool]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.stop_asked = False
        self.lost = False
        self.wrote = threading.Event()

    def record(self, _: Lease, events: Sequence[Recorded], state: RunState | None) -> bool:
        self.gate.wait(5)
        if self.lost:
            raise LeaseLost
        self.written.append(([each.event.type for each in events], state is not None))
        self.wrote.set()
        return self.stop_asked


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    store = Store()

    async def in_thread(function, *arguments):
        return await asyncio.to_thread(function, *arguments)

    monkeypatch.setattr(recorder_module, "in_db", in_thread)
    monkeypatch.setattr(recorder_module, "record", store.record)
    return store


def a_state() -> RunState:
    return RunState.begin("Why?", system="")


async def test_end_that_another_write_takes_along_keeps_its_state(store: Store) -> None:
    """The joining task may write the last event: its evidence stands in the state."""
    state = a_state()
    recorder = Recorder(LEASE, on_stop=lambda: None)
    joining = asyncio.create_task(recorder.run())
    await recorder.add(AnswerDelta(seq=1, text="a"), state)
    await recorder.add(AnswerDelta(seq=2, text="b"), state)
    store.gate.clear()
    await asyncio.sleep(recorder_module.JOIN_SECONDS * 1.5)  # the joining task hangs in its write
    ends: list[AgentEvent] = [
        RoundDegraded(seq=3, round=1, reason="answer_cut", detail="Too long."),
        RunFinished(seq=4, outcome="answered", reason="natural_stop", answer="ab"),
    ]
    adding = asyncio.create_task(recorder.add(ends[0], state))
    flushing = asyncio.create_task(recorder.flush())
    await asyncio.sleep(0)
    store.gate.set()
    await asyncio.gather(adding, flushing)
    await recorder.add(ends[1], state)
    joining.cancel()
    finals = [has_state for types, has_state in store.written if types[-1] != "answer_delta"]
    assert finals == [True, True]
    assert [types for types, _ in store.written] == [
        ["answer_delta"],
        ["answer_delta"],
        ["round_degraded"],
        ["run_finished"],
    ]


async def test_what_nobody_waits_for_is_stored_with_what_follows(store: Store) -> None:
    recorder = Recorder(LEASE, on_stop=lambda: None)
    await recorder.add(RunStarted(seq=1, question="Why?", mode="react"), a_state())
    await recorder.add(RoundStarted(seq=2, round=1), a_state())
    assert store.written == []
    await recorder.add(AnswerDelta(seq=3, text="a"), a_state())
    assert store.written == [(["run_started", "round_started", "answer_delta"], False)]


async def test_what_nobody_waits_for_does_not_wait_for_ever(store: Store) -> None:
    recorder = Recorder(LEASE, on_stop=lambda: None)
    joining = asyncio.create_task(recorder.run())
    await recorder.add(RunStarted(seq=1, question="Why?", mode="react"), a_state())
    assert await asyncio.to_thread(store.wrote.wait, 5)
    joining.cancel()
    assert store.written == [(["run_started"], False)]


async def test_burst_of_deltas_becomes_one_row_and_the_first_goes_out_at_once(store: Store) -> None:
    recorder = Recorder(LEASE, on_stop=lambda: None)
    for number in range(1, 30):
        await recorder.add(AnswerDelta(seq=number, text="x"), a_state())
    assert store.written == [(["answer_delta"], False)]
    await recorder.flush()
    assert store.written[1:] == [(["answer_delta"], False)]


async def test_stop_that_a_write_tells_of_reaches_the_loop(store: Store) -> None:
    stops: list[str] = []
    store.stop_asked = True
    recorder = Recorder(LEASE, on_stop=lambda: stops.append("stop"))
    await recorder.add(AnswerDelta(seq=1, text="x"), a_state())
    assert stops == ["stop"]


async def test_lost_lease_of_the_joining_task_stops_the_loop_at_its_next_event(
    store: Store,
) -> None:
    recorder = Recorder(LEASE, on_stop=lambda: None)
    joining = asyncio.create_task(recorder.run())
    await recorder.add(AnswerDelta(seq=1, text="a"), a_state())
    store.lost = True
    await recorder.add(AnswerDelta(seq=2, text="b"), a_state())
    await asyncio.wait_for(joining, 5)
    with pytest.raises(LeaseLost):
        await recorder.add(AnswerDelta(seq=3, text="c"), a_state())
