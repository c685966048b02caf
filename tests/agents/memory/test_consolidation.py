"""Tidying: what is out of date goes aside, what says the same becomes one, and never more."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from agents.constants import MemoryKind, MemoryState
from agents.jobs import CONSOLIDATE_MEMORY
from agents.memory.consolidation import Consolidation, consolidate
from agents.memory.owners import own_memory
from agents.memory.tidying import start_tidying, tidying_of
from agents.models import MemoryItem, MemoryOwner
from core.jobs.work import work
from core.models import BackgroundJob
from providers.models import AIModel
from tests.agents.memory.conftest import Writer, a_job, keep
from tests.personas import Persona


def tidy(persona: Persona, *, on_demand: bool = False) -> Consolidation:
    return consolidate(a_job(), own_memory(persona.actor), on_demand=on_demand)


def state_of(item: MemoryItem) -> str:
    return MemoryItem.objects.get(pk=item.pk).state


def test_expired_items_and_old_tasks_are_set_aside(cora_remembers: Persona) -> None:
    expired = keep(cora_remembers, "The fair is on 2020-01-01")
    MemoryItem.objects.update(expires_at=timezone.now() - timedelta(days=1))
    task = keep(cora_remembers, "Order the valves", kind=MemoryKind.TASK)
    MemoryItem.objects.filter(pk=task.pk).update(updated_at=timezone.now() - timedelta(days=46))
    fresh = keep(cora_remembers, "Call the supplier", kind=MemoryKind.TASK)
    used = keep(cora_remembers, "File the report", kind=MemoryKind.TASK)
    MemoryItem.objects.filter(pk=used.pk).update(
        updated_at=timezone.now() - timedelta(days=46), used_at=timezone.now()
    )
    result = tidy(cora_remembers)
    assert (result.expired, result.demoted) == (1, 1)
    assert [state_of(each) for each in (expired, task)] == [MemoryState.ARCHIVED] * 2
    assert [state_of(each) for each in (fresh, used)] == [MemoryState.ACTIVE] * 2


def test_similar_items_are_merged_when_the_model_says_so(
    cora_remembers: Persona, writer: Writer
) -> None:
    keep(cora_remembers, "The valve plant of the person lies in Ulm", importance=4)
    keep(cora_remembers, "The valve plant of the person stands in Ulm")
    writer({"groups": [{"group": 1, "same": True, "text": "The valve plant is in Ulm."}]})
    result = tidy(cora_remembers)
    assert (result.merged, result.reviewed, result.candidates) == (1, 1, 1)
    kept = MemoryItem.objects.get(state=MemoryState.ACTIVE)
    assert (kept.text, kept.importance) == ("The valve plant is in Ulm.", 4)
    assert MemoryItem.objects.get(state=MemoryState.SUPERSEDED).superseded_by == kept


def test_items_that_differ_stay(cora_remembers: Persona, writer: Writer) -> None:
    keep(cora_remembers, "The valve plant has 40 people in Ulm")
    keep(cora_remembers, "The valve plant has 90 people in Ulm")
    writer({"groups": [{"group": 1, "same": False, "text": ""}]})
    result = tidy(cora_remembers)
    assert (result.merged, result.reviewed) == (0, 1)
    assert MemoryItem.objects.filter(state=MemoryState.ACTIVE).count() == 2


def test_without_a_writing_model_similar_items_wait(cora_remembers: Persona) -> None:
    AIModel.objects.update(parameters={"extractive": True})
    keep(cora_remembers, "The valve plant has 40 people in Ulm")
    keep(cora_remembers, "The valve plant has 90 people in Ulm")
    result = tidy(cora_remembers)
    assert (result.merged, result.reviewed, result.candidates) == (0, 0, 1)
    assert "only quotes" in result.skipped


def test_on_demand_takes_more_for_similar(cora_remembers: Persona, writer: Writer) -> None:
    keep(cora_remembers, "Valve plant Ulm opens early")
    keep(cora_remembers, "Valve plant Ulm closes late on Sundays")
    assert tidy(cora_remembers).candidates == 0
    MemoryOwner.objects.update(consolidated_at=None)
    writer({"groups": []})
    assert tidy(cora_remembers, on_demand=True).candidates == 1


def test_on_demand_twice_within_a_minute_is_skipped(cora_remembers: Persona) -> None:
    keep(cora_remembers, "The valve plant is in Ulm")
    assert not tidy(cora_remembers, on_demand=True).skipped
    assert tidy(cora_remembers, on_demand=True).skipped


def test_the_page_follows_the_job_to_its_result(cora_remembers: Persona) -> None:
    keep(cora_remembers, "The valve plant is in Ulm")
    assert start_tidying(cora_remembers.actor).is_running
    assert work("default")
    standing = tidying_of(cora_remembers.actor)
    assert not standing.is_running
    assert standing.result == Consolidation()


def test_the_daily_job_comes_back_every_day(cora_remembers: Persona) -> None:
    from agents.memory.background import tidy_daily

    keep(cora_remembers, "The valve plant is in Ulm")
    tidy_daily(own_memory(cora_remembers.actor))
    rows = BackgroundJob.objects.filter(name=CONSOLIDATE_MEMORY.name)
    rows.update(run_after=timezone.now())
    assert work("default")
    (waiting,) = rows.filter(state="queued")
    assert waiting.run_after > timezone.now() + timedelta(hours=23)
