"""The timeline: every step of every attempt with its facts, live while something goes on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from core.tenancy import space_scope
from knowledge.constants import DocumentState, EnrichmentState, StageName, StageState
from knowledge.models import Document, Stage
from knowledge.pages.timeline import timeline_of
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(olivia: Persona) -> Iterator[Document]:
    base = make_base(olivia.space, created_by=olivia.user)
    with space_scope(olivia.space.pk):
        yield make_document(base, name="lamps.md", texts=["Lamps."])


def put_stage(document: Document, name: StageName, state: StageState, **fields: Any) -> Stage:
    detail = fields.pop("detail", {})
    stage = Stage.objects.create(
        space_id=document.space_id,
        document=document,
        attempt=fields.pop("attempt", document.attempt),
        name=name,
        state=state,
        detail=detail,
        ended_at=timezone.now() + timedelta(seconds=3),
        **fields,
    )
    return stage


def test_steps_have_their_order_duration_and_facts(olivia: Persona, document: Document) -> None:
    put_stage(document, StageName.INDEX, StageState.DONE)
    put_stage(
        document,
        StageName.PARSE,
        StageState.DONE,
        detail={"size_bytes": 2048, "parser": "markdown 1", "pages": 1200},
    )
    [attempt] = timeline_of(olivia.actor, document.pk).attempts
    assert [span.name for span in attempt.spans] == ["Read", "Index"]
    assert attempt.spans[0].facts == ("2.0\xa0KB", "markdown 1", "1,200 pages")
    assert attempt.spans[0].seconds == pytest.approx(3, abs=1)
    assert attempt.seconds == pytest.approx(6, abs=2)


def test_failed_step_says_why_and_a_skipped_one_counts_as_done(
    olivia: Persona, document: Document
) -> None:
    put_stage(
        document, StageName.SUMMARY, StageState.SKIPPED, detail={"skipped": "There is no model."}
    )
    put_stage(
        document, StageName.TABLES, StageState.FAILED, error_code="auth", error="Key refused."
    )
    [attempt] = timeline_of(olivia.actor, document.pk).attempts
    assert [(span.mark, span.reason) for span in attempt.spans] == [
        ("done", "There is no model."),
        ("failed", "Key refused."),
    ]


def test_newest_attempt_comes_first(olivia: Persona, document: Document) -> None:
    Document.objects.update(attempt=2)
    put_stage(document, StageName.PARSE, StageState.FAILED, attempt=1)
    put_stage(document, StageName.PARSE, StageState.RUNNING, attempt=2)
    attempts = timeline_of(olivia.actor, document.pk).attempts
    assert [(each.number, each.is_present) for each in attempts] == [(2, True), (1, False)]


@pytest.mark.parametrize(
    ("state", "enrichment", "busy", "stops"),
    [
        (DocumentState.PROCESSING, EnrichmentState.NONE, True, (True, False)),
        (DocumentState.COMPLETED, EnrichmentState.RUNNING, True, (False, True)),
        (DocumentState.COMPLETED, EnrichmentState.DONE, False, (False, False)),
    ],
    ids=["read", "enriched", "ready"],
)
def test_what_goes_on_can_be_stopped(
    olivia: Persona,
    document: Document,
    state: DocumentState,
    enrichment: EnrichmentState,
    busy: bool,
    stops: tuple[bool, bool],
) -> None:
    Document.objects.update(state=state, enrichment=enrichment)
    timeline = timeline_of(olivia.actor, document.pk)
    assert timeline.is_busy is busy
    assert (timeline.can_stop_reading, timeline.can_stop_enrichment) == stops


def test_page_fetches_itself_only_while_something_goes_on(
    olivia: Persona, document: Document
) -> None:
    url = reverse("document_timeline", args=[document.pk])
    put_stage(document, StageName.PARSE, StageState.DONE)
    assert "every 2s" not in olivia.client.get(url).content.decode()
    Document.objects.update(state=DocumentState.PROCESSING)
    fragment = olivia.client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "every 2s" in fragment
    assert "<html" not in fragment


def test_stopped_enrichment_leaves_the_document_ready(olivia: Persona, document: Document) -> None:
    Document.objects.update(enrichment=EnrichmentState.RUNNING)
    put_stage(document, StageName.SUMMARY, StageState.WAITING)
    olivia.client.post(reverse("document_enrichment_stop", args=[document.pk]))
    document.refresh_from_db()
    assert (document.state, document.enrichment) == ("completed", EnrichmentState.PARTLY)
    assert Stage.objects.get(document=document).error == "Stopped by a person."
