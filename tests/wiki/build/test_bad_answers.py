"""Whatever a model answers, no published page loses a character."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.jobs.housekeeping import return_lost_jobs
from core.jobs.work import work
from core.models import BackgroundJob
from knowledge.models import Document, KnowledgeBase
from providers.contracts.chat import ChatChunk
from providers.contracts.errors import ModelError
from tests.personas import Persona
from tests.wiki.build.conftest import Play, work_off
from tests.wiki.build.recorded import RecordedModel, Spoil, add, answer, change
from wiki.build.queue import put_operation
from wiki.constants import OperationKind, OperationState
from wiki.models import WikiBuild, WikiChange, WikiOperation, WikiPage
from wiki.services.building import retry_failed, start_build, stop_build

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = (
    "The Pier Lamp burns 900 litres of oil a year.\n\n"
    "Ada Byron keeps the Pier Lamp since 2019.\n\n"
    "The Pier Lamp was built by Void Works for 1200 pounds."
)
FIRST = [
    {
        "step": "wiki.candidates",
        "when": [],
        "answer": {"subjects": [{"name": "Pier Lamp", "kind": "entity"}]},
    },
    {
        "step": "wiki.cite",
        "when": [],
        "answer": {"supports": [{"subject": "@Pier Lamp", "passages": ["c1", "c2", "c3"]}]},
    },
    {
        "step": "wiki.write",
        "when": ["Subject of the page: Pier Lamp\n"],
        "answer": {
            "summary": {"text": "The Pier Lamp is a lamp.", "sources": ["c1"]},
            "add": [
                {
                    "heading": "",
                    "sentences": [
                        {
                            "text": "The Pier Lamp burns 900 litres of oil a year.",
                            "sources": ["=900"],
                        },
                        {"text": "Its keeper has been Ada Byron since 2019.", "sources": ["=Ada"]},
                        {"text": "Void Works built it for 1200 pounds.", "sources": ["=1200"]},
                    ],
                }
            ],
        },
    },
    {"step": "wiki.write", "when": ["The page is a summary"], "answer": {"add": []}},
]
BAD: dict[str, Callable[[], list[ChatChunk] | Exception]] = {
    "truncated": lambda: answer(
        '{"outdated": [{"sentence": "s1", "do": "drop"}], "add": [', "length"
    ),
    "whole but cut off": lambda: answer(
        '{"outdated": [{"sentence": "s1", "do": "drop"}], "add": []}', "length"
    ),
    "no end": lambda: [ChatChunk(text='{"add": []}')],
    "no JSON": lambda: answer("I am sorry, I cannot do that."),
    "other form": lambda: answer('{"page": ""}'),
    "two values": lambda: answer('{"add": []} {"outdated": []}'),
    "nothing": lambda: answer(""),
    "error": lambda: ModelError("server", "The service failed."),
    "filtered": lambda: ModelError("content_filter", "The service refused."),
}
SLY: dict[str, dict[str, Any]] = {
    "drops what it may not": {
        "outdated": [{"sentence": "~Ada", "do": "drop"}, {"sentence": "~1200", "do": "drop"}],
        "add": [],
    },
    "empties": {
        "outdated": [
            {"sentence": each, "do": "replace", "text": "", "sources": ["=Ada"]}
            for each in ("s1", "s2", "s3")
        ],
        "add": [],
    },
    "words others anew": {
        "outdated": [{"sentence": "~Void", "do": "replace", "text": "Gone.", "sources": ["=Ada"]}],
        "add": [],
    },
    "invents links and pictures": {
        "add": [
            {
                "heading": "[[entity/evil|Evil]]",
                "sentences": [
                    {
                        "text": "See [[entity/evil]] and ![x](https://evil.example/x.png).",
                        "sources": ["=Ada"],
                    }
                ],
            }
        ]
    },
    "invents figures": {
        "add": [
            {"heading": "", "sentences": [{"text": "It cost 77 pounds.", "sources": ["=1200"]}]}
        ]
    },
    "has no source": {
        "add": [{"heading": "", "sentences": [{"text": "It is lovely.", "sources": ["c99"]}]}]
    },
}


class Killed(BaseException):
    """The worker is gone."""


def die_at(step: str) -> Spoil:
    """Kill the worker when this is asked."""

    def spoil(asked: str, _material: str) -> None:
        if asked == step:
            raise Killed

    return spoil


def work_once() -> None:
    BackgroundJob.objects.filter(queue="enrich").update(run_after="2020-01-01T00:00:00Z")
    work("enrich")


@pytest.fixture
def document(base: KnowledgeBase, play: Play, olivia: Persona) -> Document:
    """A document that is built in."""
    document = add(base, "lamp.md", TEXT)
    play(RecordedModel(FIRST))
    start_build(olivia.actor, base_id=base.pk)
    work_off()
    assert WikiPage.objects.get(slug="entity/pier-lamp").version == 1
    return document


def again(document: Document, text: str) -> None:
    change(document, text)
    put_operation(document.base, document.pk, OperationKind.INGEST, name=document.name)
    work_off()


@pytest.mark.parametrize("kind", BAD)
def test_an_unusable_answer_changes_nothing(document: Document, play: Play, kind: str) -> None:
    before = WikiPage.objects.get(slug="entity/pier-lamp")
    play(RecordedModel(FIRST, spoil=lambda step, _: BAD[kind]() if step == "wiki.write" else None))
    again(document, TEXT.replace("900 litres", "950 litres"))
    after = WikiPage.objects.get(slug="entity/pier-lamp")
    assert (after.content, after.summary, after.version) == (before.content, before.summary, 1)
    assert not WikiChange.objects.exists()
    dead = WikiOperation.objects.get(state=OperationState.DEAD)
    assert dead.attempts == 5
    assert dead.error
    assert any(line["page"] == after.slug for line in WikiBuild.objects.latest("created_at").log)


@pytest.mark.parametrize("kind", SLY)
def test_a_sly_answer_takes_nothing_away(document: Document, play: Play, kind: str) -> None:
    before = WikiPage.objects.get(slug="entity/pier-lamp").content
    write = {
        "step": "wiki.write",
        "when": ["Subject of the page: Pier Lamp\n"],
        "answer": SLY[kind],
    }
    play(RecordedModel([write, *FIRST]))
    again(document, TEXT.replace("900 litres", "950 litres") + "\n\nThe Pier Lamp is green.")
    after = WikiPage.objects.get(slug="entity/pier-lamp").content
    assert before.rstrip("\n") in after
    for bad in ("evil.example", "[[entity/evil", "77", "lovely", "Gone."):
        assert bad not in after


def test_facts_that_a_document_says_still_are_not_dropped_unseen(
    document: Document, play: Play, base: KnowledgeBase
) -> None:
    before = WikiPage.objects.get(slug="entity/pier-lamp").content
    write = {
        "step": "wiki.write",
        "when": ["Subject of the page: Pier Lamp\n"],
        "answer": {
            "outdated": [
                {
                    "sentence": "~900",
                    "do": "replace",
                    "text": "The Pier Lamp burns oil.",
                    "sources": ["=oil"],
                }
            ],
            "add": [],
        },
    }
    play(RecordedModel([write, *FIRST]))
    again(
        document,
        TEXT.replace(
            "burns 900 litres of oil a year", "burns, we think, 900 litres of oil each year"
        ),
    )
    assert WikiPage.objects.get(slug="entity/pier-lamp").content == before
    proposal = WikiChange.objects.get()
    assert "900" in proposal.reason
    assert "The Pier Lamp burns oil." in proposal.content


def test_a_rate_limit_is_waited_for(document: Document, play: Play) -> None:
    calls = iter([ModelError("rate_limited", "Slowly.", retry_after_seconds=90.0)])
    play(RecordedModel(FIRST, spoil=lambda *_: next(calls, None)))
    change(document, TEXT + "\n\nThe Pier Lamp is green.")
    put_operation(document.base, document.pk, OperationKind.INGEST, delay_seconds=0)
    work_once()
    row = WikiOperation.objects.get(state=OperationState.PENDING)
    assert row.attempts == 0
    assert row.error == "Slowly."
    assert (row.not_before - row.updated_at).total_seconds() > 80
    work_off()
    assert not WikiOperation.objects.exclude(state=OperationState.DONE).exists()


def test_what_failed_is_tried_again_when_somebody_asks(
    document: Document, play: Play, olivia: Persona
) -> None:
    play(RecordedModel(FIRST, spoil=lambda step, _: answer("no") if step == "wiki.write" else None))
    again(document, TEXT.replace("900", "950"))
    play(RecordedModel(FIRST))
    assert retry_failed(olivia.actor, base_id=document.base_id) == 1
    work_off()
    assert not WikiOperation.objects.exclude(state=OperationState.DONE).exists()


def test_a_stopped_building_ends_behind_its_page(
    base: KnowledgeBase, play: Play, olivia: Persona
) -> None:
    add(base, "lamp.md", TEXT)
    play(RecordedModel(FIRST))
    build = start_build(olivia.actor, base_id=base.pk)
    stop_build(olivia.actor, base_id=base.pk, build_id=build.pk)
    work_off()
    assert WikiOperation.objects.get().state == OperationState.CANCELLED
    assert not WikiPage.objects.exists()
    build.refresh_from_db()
    assert build.ended_at is not None


def test_a_killed_worker_s_batch_goes_on_where_it_was(
    base: KnowledgeBase, play: Play, olivia: Persona
) -> None:
    add(base, "lamp.md", TEXT)
    model = play(RecordedModel(FIRST, spoil=die_at("wiki.write")))
    start_build(olivia.actor, base_id=base.pk)
    with pytest.raises(Killed):
        work_once()
    assert model.steps()[:4] == ["wiki.candidates", "wiki.cite", "wiki.taxonomy", "wiki.write"]
    row = WikiOperation.objects.get()
    assert row.state == OperationState.CLAIMED
    assert row.claim is not None
    BackgroundJob.objects.filter(pk=row.claim).update(heartbeat_at="2020-01-01T00:00:00Z")
    return_lost_jobs()
    model = play(RecordedModel(FIRST))
    work_off()
    assert "wiki.candidates" not in model.steps()
    assert "wiki.cite" not in model.steps()
    assert WikiPage.objects.filter(slug="entity/pier-lamp").exists()
    assert WikiOperation.objects.get().state == OperationState.DONE
