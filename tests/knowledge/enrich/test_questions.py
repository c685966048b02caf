"""Questions: in batches, below their passage, found in its place, made once a text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.engine.testing import say
from knowledge.constants import ChunkKind, EnrichmentState, StageName
from knowledge.enrich import questions
from knowledge.models import Chunk, Document, KnowledgeBase, Stage
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.services.documents import retry_document
from tests.knowledge.enrich.conftest import Script, add, enrich, read
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
ASKED = "When does the beacon shine?"


@pytest.fixture
def asking_base(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> KnowledgeBase:
    base.options["enrichment"] = {"summary": False, "questions": True}
    base.save()
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda _: WordModel())
    return base


def answer(*numbers: int, question: str = ASKED) -> Any:
    given = [{"number": number, "questions": [question, question]} for number in numbers]
    return say(json.dumps({"passages": given}))


def questions_of(document: Document) -> list[Chunk]:
    return list(Chunk.objects.filter(document=document, kind=ChunkKind.QUESTION))


def search(olivia: Persona, base: KnowledgeBase) -> list[str]:
    found = retrieve(olivia.actor, query=ASKED, scope=Scope(base_ids=(base.pk,)))
    return [hit.text for hit in found.hits]


def test_question_leads_to_its_passage(
    olivia: Persona, asking_base: KnowledgeBase, script: Script
) -> None:
    script([answer(1)])
    document = enrich(read(add(olivia, asking_base)))
    [question] = questions_of(document)
    assert (question.text, document.enrichment) == (ASKED, EnrichmentState.DONE)
    assert question.parent is not None
    assert question.detail["source_hash"] == question.parent.content_hash
    hits = search(olivia, asking_base)
    assert "burns all night" in hits[0]
    assert len(hits) == len(set(hits)) == 2


def test_question_of_a_switched_off_passage_finds_nothing(
    olivia: Persona, asking_base: KnowledgeBase, script: Script
) -> None:
    script([answer(1)])
    document = enrich(read(add(olivia, asking_base)))
    Chunk.objects.filter(children=questions_of(document)[0]).update(is_enabled=False)
    assert all("burns" not in hit and ASKED not in hit for hit in search(olivia, asking_base))


def test_questions_stay_when_the_document_is_read_again(
    olivia: Persona, asking_base: KnowledgeBase, script: Script
) -> None:
    script([answer(1, 2)])
    document = enrich(read(add(olivia, asking_base)))
    before = {row.pk for row in questions_of(document)}
    retry_document(olivia.actor, document_id=document.pk)
    document = enrich(read(document))
    assert {row.pk for row in questions_of(document)} == before
    assert len(before) == 2


def test_every_batch_is_a_job_that_goes_on_where_the_last_one_ended(
    olivia: Persona, asking_base: KnowledgeBase, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "PASSAGES_A_JOB", 1)
    script([answer(1), answer(1, question="What hangs behind the office?")])
    document = enrich(read(add(olivia, asking_base)))
    assert len(questions_of(document)) == 2
    stage = Stage.objects.get(document=document, name=StageName.QUESTIONS)
    assert (stage.state, stage.done, stage.total, stage.detail["calls"]) == ("done", 2, 2, 2)


def test_answer_of_another_form_costs_its_passages_only(
    olivia: Persona, asking_base: KnowledgeBase, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(questions, "PASSAGES_A_JOB", 1)
    script([say("I would rather not."), answer(1)])
    document = enrich(read(add(olivia, asking_base)))
    assert len(questions_of(document)) == 1
    assert document.enrichment == EnrichmentState.PARTLY
    assert "For 1 passages" in Stage.objects.get(name=StageName.QUESTIONS).error
