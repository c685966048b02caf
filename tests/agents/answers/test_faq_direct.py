"""When an entry is the question."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest

from agents.answers.faq_direct import direct_answer, score_of, with_boost
from agents.configuration import AgentConfig
from core.tenancy import space_scope
from knowledge.models import Chunk, FaqEntry
from knowledge.retrieval.hits import RetrievalHit
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

ENTRY = FaqEntry(
    standard_question="How do I reset my password?",
    similar_questions=["怎么重置密码？"],
    answers=["Use the link.", "Or ask the desk."],
)
HIT = RetrievalHit(
    rank=1,
    chunk_id=uuid.uuid4(),
    document_id=uuid.uuid4(),
    document_name="Questions",
    base_id=uuid.uuid4(),
    text="",
    context="",
    heading_path=(),
    page_from=None,
    page_to=None,
    position=0,
    content_hash="",
    document_revision=1,
    score=0.5,
    dense_score=0.93,
    keyword_score=0.6,
    rerank_score=None,
)


@pytest.mark.parametrize(
    ("question", "score"),
    [
        ("how do I reset my password", 1.0),
        ("怎麼重置密碼", 1.0),
        ("How do I reset my phone?", (0.93 + 0.6) / 2),
    ],
)
def test_the_score_of_an_entry(question: str, score: float) -> None:
    assert score_of(question, ENTRY, HIT) == pytest.approx(score)


@pytest.mark.django_db
def test_only_a_sure_entry_answers_and_entries_come_first(cora: Persona) -> None:
    with space_scope(cora.space.pk):
        base = make_base(cora.space)
        document = make_document(base, texts=["Q and A", "Other"])
        entry = FaqEntry.objects.create(
            space=cora.space,
            base=base,
            number=1,
            standard_question="Reset?",
            answers=["Use the link."],
        )
        chunk, other = Chunk.objects.filter(document=document).order_by("position")
        Chunk.objects.filter(pk=chunk.pk).update(faq_entry=entry)
        hits = [
            replace(HIT, chunk_id=other.pk, score=0.55),
            replace(HIT, chunk_id=chunk.pk, score=0.5),
        ]
        found = direct_answer("reset", hits, AgentConfig())
        assert found is not None
        assert (found.text, found.score) == ("Use the link.", 1.0)
        assert direct_answer("Something else", hits, AgentConfig()) is None
        assert direct_answer("reset", hits, AgentConfig(faq_priority_enabled=False)) is None
        assert [hit.chunk_id for hit in with_boost(hits, AgentConfig())] == [chunk.pk, other.pk]
        assert with_boost(hits, AgentConfig(faq_score_boost=1)) == hits
