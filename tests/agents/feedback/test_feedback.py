"""Thumbs on answers: given, changed, taken back; read and handled by who edits the base."""

from __future__ import annotations

import pytest
from celery import current_app
from django.core import mail
from django.urls import reverse

from agents.constants import FeedbackState, UnansweredState
from agents.feedback.gathering import gather
from agents.feedback.giving import give_feedback
from agents.feedback.handling import (
    answer_topic,
    dismiss_topic,
    handle_feedback,
    take_as_golden,
)
from agents.feedback.queries import list_feedback, list_topics
from agents.models import AgentRun, AnswerFeedback, RunEvent, UnansweredQuestion
from core.errors import AccessDenied, Invalid, NotFound
from knowledge.constants import BaseKind, GoldenOrigin, GoldenState
from knowledge.models import Chunk, EvidenceRow, KnowledgeBase
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@pytest.fixture
def base(cora: Persona) -> KnowledgeBase:
    """A base of cora's with a passage."""
    made = make_base(cora.space, name="Hangar", created_by=cora.user)
    make_document(made, name="manual.txt", texts=["Check the flaps."])
    return made


def answered(persona: Persona, base: KnowledgeBase, *, cites: bool = True) -> AgentRun:
    agent = make_agent(persona.space)
    conversation = make_conversation(persona.space, user=persona.user, agent=agent)
    run = make_run(conversation, question="What is to be checked?", answer="The flaps [1].")
    with persona.scope():
        chunk = Chunk.objects.select_related("document").get(base=base)
        if cites:
            EvidenceRow.objects.create(
                space=persona.space,
                origin_id=run.answer_id or "",
                marker=1,
                base_id=base.pk,
                document_id=chunk.document_id,
                document_name=chunk.document.name,
                document_revision=1,
                chunk_id=chunk.pk,
                chunk_hash=chunk.content_hash,
                text=chunk.text,
            )
    return run


def unanswered(persona: Persona, question: str) -> AgentRun:
    agent = make_agent(persona.space)
    conversation = make_conversation(persona.space, user=persona.user, agent=agent)
    return make_run(conversation, question=question, answer="Nothing.", outcome="fallback")


def test_a_thumb_is_given_changed_and_taken_back_in_the_chat(
    victor: Persona, base: KnowledgeBase
) -> None:
    run = answered(victor, base)
    url = reverse("run_feedback", args=[run.pk])
    htmx = {"HX-Request": "true"}

    asked = victor.client.post(url, {"value": "down"}, headers=htmx).content.decode()
    assert "What is wrong?" in asked
    sent = {
        "value": "down",
        "sent": "1",
        "reason": ["wrong", "nonsense"],
        "words": "It is the wing.",
    }
    assert "Thank you." in victor.client.post(url, sent, headers=htmx).content.decode()
    with victor.scope():
        row = AnswerFeedback.objects.get(run=run)
        assert (row.is_up, row.reasons, row.words) == (False, ["wrong"], "It is the wing.")
        assert row.base_ids == [str(base.pk)]
    page = victor.client.get(reverse("conversation", args=[run.conversation_id]))
    assert b"You found this bad" in page.content
    victor.client.post(url, {"value": "none"}, headers=htmx)
    with victor.scope():
        assert not AnswerFeedback.objects.exists()


def test_nobody_gives_a_thumb_for_another(
    victor: Persona, olivia: Persona, base: KnowledgeBase
) -> None:
    run = answered(victor, base)
    url = reverse("run_feedback", args=[run.pk])
    assert olivia.client.post(url, {"value": "up"}).status_code == 404


def test_who_edits_the_base_reads_it_and_takes_it_as_golden(
    cora: Persona, victor: Persona, base: KnowledgeBase
) -> None:
    run = answered(victor, base)
    with victor.scope():
        row = give_feedback(victor.actor, run_id=run.pk, is_up=True)
        with pytest.raises(AccessDenied):
            list_feedback(victor.actor, base.pk)
        (seen,) = list_feedback(cora.actor, base.pk)
        assert (seen.question, seen.answer) == ("What is to be checked?", "The flaps [1].")

        made = take_as_golden(cora.actor, base_id=base.pk, feedback_id=row.pk)

        assert (made.state, made.origin) == (GoldenState.DRAFT, GoldenOrigin.FEEDBACK)
        assert made.expected[0]["document_name"] == "manual.txt"
        assert made.answer == "The flaps [1]."
        assert made.asked_by == victor.user
        row.refresh_from_db()
        assert row.state == FeedbackState.HANDLED
        assert list_feedback(cora.actor, base.pk) == []


def test_feedback_is_dismissed_with_a_reason_only(
    cora: Persona, victor: Persona, base: KnowledgeBase
) -> None:
    run = answered(victor, base)
    with victor.scope():
        row = give_feedback(victor.actor, run_id=run.pk, is_up=False)
        with pytest.raises(Invalid, match="Say why"):
            handle_feedback(cora.actor, base_id=base.pk, feedback_id=row.pk, is_dismissed=True)
        handled = handle_feedback(
            cora.actor, base_id=base.pk, feedback_id=row.pk, is_dismissed=True, note="A joke."
        )
        assert (handled.state, handled.note) == (FeedbackState.DISMISSED, "A joke.")


def test_questions_without_an_answer_are_gathered_by_topic(
    cora: Persona, victor: Persona, base: KnowledgeBase
) -> None:
    asked = [
        unanswered(victor, "How are the engines of the glider cleaned?"),
        unanswered(cora, "How do I clean the engines of a glider?"),
        unanswered(victor, "Who pays for lunch?"),
    ]
    with cora.scope():
        for run in asked:
            gather(run.pk)
            gather(run.pk)
        topics = list_topics(cora.actor, base.pk)
        assert [topic.count for topic in topics] == [2, 1]
        assert topics[0].others == ("How are the engines of the glider cleaned?",)
        with pytest.raises(AccessDenied):
            list_topics(victor.actor, base.pk)


def test_an_answer_with_sources_is_no_unanswered_question(
    victor: Persona, base: KnowledgeBase
) -> None:
    run = answered(victor, base)
    with victor.scope():
        _searched(run, hits=[{"document_id": "x"}])
        assert gather(run.pk) is None


def test_a_search_that_found_nothing_makes_one(victor: Persona, base: KnowledgeBase) -> None:
    run = answered(victor, base, cites=False)
    with victor.scope():
        _searched(run, hits=[])
        row = gather(run.pk)
        assert row is not None
        assert row.base_ids == [str(base.pk)]


def test_an_answer_goes_into_the_faq_and_who_asked_is_told(
    cora: Persona, victor: Persona, base: KnowledgeBase
) -> None:
    faq = make_base(cora.space, name="Answers", created_by=cora.user, kind=BaseKind.FAQ)
    run = unanswered(victor, "Who pays for lunch?")
    with cora.scope():
        row = gather(run.pk)
        assert row is not None
        with pytest.raises(AccessDenied):
            answer_topic(
                victor.actor,
                base_id=base.pk,
                topic_id=row.topic_id,
                faq_id=faq.pk,
                question="Who?",
                answer="I.",
            )
        entry = answer_topic(
            cora.actor,
            base_id=base.pk,
            topic_id=row.topic_id,
            faq_id=faq.pk,
            question="Who pays for lunch?",
            answer="The **house** pays.",
        )
        row.refresh_from_db()
        assert (row.state, row.faq_entry_id) == (UnansweredState.ANSWERED, entry.pk)
        assert row.told_at is not None
        assert list_topics(cora.actor, base.pk) == []
    assert [each.to for each in mail.outbox] == [[victor.user.email]]
    assert "house" not in mail.outbox[0].body
    page = victor.client.get(reverse("conversation", args=[run.conversation_id])).content.decode()
    assert "Answered in the meantime" in page
    assert "<strong>house</strong>" in page


def test_questions_are_dismissed_with_a_reason(
    cora: Persona, victor: Persona, base: KnowledgeBase
) -> None:
    run = unanswered(victor, "Who pays for lunch?")
    with cora.scope():
        row = gather(run.pk)
        assert row is not None
        with pytest.raises(Invalid):
            dismiss_topic(cora.actor, base_id=base.pk, topic_id=row.topic_id, note=" ")
        assert dismiss_topic(cora.actor, base_id=base.pk, topic_id=row.topic_id, note="Off topic")
        assert UnansweredQuestion.objects.get().state == UnansweredState.DISMISSED


def test_other_spaces_see_nothing(mallory: Persona, victor: Persona, base: KnowledgeBase) -> None:
    with victor.scope():
        gather(unanswered(victor, "Who pays for lunch?").pk)
    with mallory.scope(), pytest.raises(NotFound):
        list_topics(mallory.actor, base.pk)


def _searched(run: AgentRun, *, hits: list[dict[str, str]]) -> None:
    RunEvent.objects.create(
        space_id=run.space_id,
        run=run,
        seq=1,
        seq_to=1,
        type="tool_call_finished",
        data={"name": "knowledge_search", "data": {"hits": hits}},
    )
