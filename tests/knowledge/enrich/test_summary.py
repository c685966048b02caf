"""Summaries: written when a document is found already, never over a person's, never about an old text."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from agents.engine.testing import say
from core.models import BackgroundJob
from knowledge.constants import ChunkKind, DocumentState, EnrichmentState, StageName, StageState
from knowledge.enrich import asking, summary
from knowledge.enrich.material import LEFT_OUT, head_and_tail
from knowledge.models import Chunk, Document, KnowledgeBase, Stage
from knowledge.services.documents import retry_document
from providers.contracts.errors import ModelError
from tests.knowledge.enrich.conftest import Script, add, enrich, read
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = "What burns and hangs in the harbour."


def stage_of(document: Document, name: StageName = StageName.SUMMARY) -> Stage:
    return Stage.objects.get(document=document, attempt=document.attempt, name=name)


def test_document_is_found_before_its_summary_is_written(
    olivia: Persona, base: KnowledgeBase, script: Script
) -> None:
    model = script([say(WORDS)])
    document = read(add(olivia, base))
    assert document.searchable_at is not None
    assert (document.state, document.enrichment) == ("completed", EnrichmentState.RUNNING)
    assert stage_of(document).state == StageState.WAITING
    document = enrich(document)
    assert (document.summary, document.enrichment) == (WORDS, EnrichmentState.DONE)
    stage = stage_of(document)
    assert (stage.state, stage.detail["model"], stage.detail["calls"]) == ("done", "Scripted", 1)
    assert stage.detail["tokens_in"] + stage.detail["tokens_out"] > 0
    assert "Name: store.md" in model.asked[0][1].content
    made = Chunk.objects.get(document=document, kind=ChunkKind.SUMMARY)
    assert made.parent == Chunk.objects.get(document=document, kind=ChunkKind.TEXT, position=0)
    assert made.embeddings.count() == 1


def test_without_a_model_it_is_skipped_with_the_reason(
    olivia: Persona, base: KnowledgeBase
) -> None:
    document = read(add(olivia, base))
    stage = stage_of(document)
    assert document.enrichment == EnrichmentState.NONE
    assert stage.state == StageState.SKIPPED
    assert "model" in stage.detail["skipped"]
    summary.refresh_summary_soon(document)  # a person edited a passage
    assert not BackgroundJob.objects.filter(queue="enrich").exists()


def test_a_persons_summary_stays(olivia: Persona, base: KnowledgeBase, script: Script) -> None:
    script([])
    document = read(add(olivia, base))
    Document.objects.update(summary="Mine.", summary_is_edited=True)
    document = enrich(document)
    assert document.summary == "Mine."
    assert stage_of(document).state == StageState.SKIPPED


def test_summary_of_a_text_that_changed_meanwhile_is_thrown_away(
    olivia: Persona, base: KnowledgeBase, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script([say("Old."), say("New.")])
    document = read(add(olivia, base))
    asked = asking.ask_text

    def edit_first(*arguments: Any) -> str:
        text = asked(*arguments)
        monkeypatch.setattr(summary, "ask_text", asked)
        Document.objects.update(metadata={"for": "keepers"})
        return text

    monkeypatch.setattr(summary, "ask_text", edit_first)
    assert enrich(document).summary == ""
    assert enrich(document).summary == "New."


def test_model_that_fails_for_good_leaves_the_document_partly_enriched(
    olivia: Persona, base: KnowledgeBase, script: Script
) -> None:
    script([[ModelError("auth", "The key is refused.")]])
    document = enrich(read(add(olivia, base)))
    assert (document.state, document.enrichment) == (DocumentState.COMPLETED, "partly")
    assert stage_of(document).state == StageState.FAILED
    assert "The key is refused." in stage_of(document).error


def test_model_that_is_away_is_asked_again(
    olivia: Persona, base: KnowledgeBase, script: Script
) -> None:
    script([[ModelError("overloaded", "It is busy.")], say(WORDS)])
    document = read(add(olivia, base))
    BackgroundJob.objects.filter(queue="enrich").update(run_after=timezone.now())
    document = enrich(document)
    assert stage_of(document).state == StageState.WAITING
    assert "tried again" in stage_of(document).error
    assert document.enrichment == EnrichmentState.RUNNING
    assert enrich(document).summary == WORDS


def test_job_of_an_older_attempt_does_nothing(
    olivia: Persona, base: KnowledgeBase, script: Script
) -> None:
    script([])
    document = read(add(olivia, base))
    retry_document(olivia.actor, document_id=document.pk)
    assert enrich(document).summary == ""


def test_long_text_keeps_its_beginning_and_its_end() -> None:
    passages = [Chunk(text="a" * 600), Chunk(text="b" * 600)]
    text = head_and_tail(passages, most_characters=100)
    assert text == "a" * 70 + LEFT_OUT.format(count=1102) + "b" * 30
