"""Entries are made, changed, switched, deleted and restored."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import AuditEvent
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from core.tenancy import space_scope
from knowledge.constants import AnswerStrategy, BaseKind
from knowledge.faq.queries import EntryFilter, count_entries, get_entry, list_entries
from knowledge.faq.services import (
    Change,
    add_similar_questions,
    change_entries,
    create_entry,
    delete_entries,
    restore_entries,
    update_entry,
)
from knowledge.models import FaqEntry, FaqQuestion, KnowledgeBase, Tag
from tests.factories.knowledge import make_base
from tests.knowledge.faq.conftest import draft, make_entry
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_entry_is_kept_trimmed_with_its_number_and_audited(
    cora: Persona, faq: KnowledgeBase
) -> None:
    first = make_entry(cora, faq, "  How do I\n pay? ", " By card. ", "", similar_questions=("",))
    second = make_entry(cora, faq, "Who are you?")
    assert (first.standard_question, first.answers) == ("How do I pay?", ["By card."])
    assert (first.number, second.number, first.version) == (1, 2, 1)
    assert AuditEvent.objects.filter(action="faq.create").count() == 2


def test_the_same_entry_sent_again_is_the_same_entry(cora: Persona, faq: KnowledgeBase) -> None:
    first = make_entry(cora, faq, "How do I pay?", "By card.", similar_questions=("Payment",))
    again = make_entry(cora, faq, "how do i pay", "By card.", similar_questions=("payment?",))
    assert again.pk == first.pk
    assert FaqEntry.objects.count() == 1


def test_a_question_of_another_entry_is_refused_and_names_it(
    cora: Persona, faq: KnowledgeBase
) -> None:
    first = make_entry(cora, faq, "How do I pay?", similar_questions=("如何付款",))
    with pytest.raises(Conflict) as refusal:
        make_entry(cora, faq, "Other", similar_questions=("如何 付款？",))
    assert refusal.value.data == {"field": "similar_questions", "entry_id": str(first.pk)}
    assert "Entry 1" in refusal.value.message


def test_the_database_itself_refuses_a_question_in_two_entries(
    cora: Persona, faq: KnowledgeBase
) -> None:
    first, second = make_entry(cora, faq, "One?"), make_entry(cora, faq, "Two?")
    taken = FaqQuestion.objects.get(entry=first)
    with pytest.raises(IntegrityError), transaction.atomic():
        FaqQuestion.objects.filter(entry=second).update(text_hash=taken.text_hash)


def test_of_two_who_make_the_same_question_at_once_one_is_told(
    cora: Persona, faq: KnowledgeBase
) -> None:
    def make(answer: str) -> str:
        try:
            with space_scope(faq.space_id):
                create_entry(cora.actor, base_id=faq.pk, draft=draft("How do I pay?", answer))
        except Conflict:
            return "told"
        finally:
            connection.close()
        return "made"

    with ThreadPoolExecutor(2) as pool:
        outcomes = sorted(pool.map(make, ("By card.", "In cash.")))
    assert outcomes == ["made", "told"]


def test_who_saves_an_older_version_is_told(cora: Persona, faq: KnowledgeBase) -> None:
    entry = make_entry(cora, faq, "How do I pay?", "By card.")
    update_entry(cora.actor, entry_id=entry.pk, version=1, draft=draft("How do I pay?", "In cash."))
    with pytest.raises(Conflict) as refusal:
        update_entry(cora.actor, entry_id=entry.pk, version=1, draft=draft("How?", "By card."))
    assert refusal.value.data == {"version": 2}
    entry.refresh_from_db()
    assert (entry.answers, entry.version) == (["In cash."], 2)


def test_a_saved_entry_that_did_not_change_keeps_its_version(
    cora: Persona, faq: KnowledgeBase
) -> None:
    entry = make_entry(cora, faq, "How do I pay?", "By card.")
    same = draft("How do I pay?", "By card.")
    assert update_entry(cora.actor, entry_id=entry.pk, version=1, draft=same).version == 1


def test_similar_questions_are_added_once(cora: Persona, faq: KnowledgeBase) -> None:
    entry = make_entry(cora, faq, "How do I pay?", similar_questions=("Payment",))
    add_similar_questions(cora.actor, entry_id=entry.pk, questions=["payment?", "Card?", " "])
    entry.refresh_from_db()
    assert entry.similar_questions == ["Payment", "Card?"]


def test_many_entries_are_changed_at_once(cora: Persona, faq: KnowledgeBase) -> None:
    tag = Tag.objects.create(space_id=faq.space_id, base=faq, name="Money")
    ids = [make_entry(cora, faq, question).pk for question in ("One?", "Two?", "Three?")]
    change = Change(
        is_enabled=False, is_recommended=False, strategy=AnswerStrategy.RANDOM, tag="money"
    )
    assert change_entries(cora.actor, base_id=faq.pk, entry_ids=ids[:2], change=change) == 2
    changed = FaqEntry.objects.filter(
        tag=tag, is_enabled=False, is_recommended=False, answer_strategy="random", version=2
    )
    assert {entry.pk for entry in changed} == set(ids[:2])
    assert count_entries(cora.actor, faq.pk).enabled == 1


def test_a_tag_that_the_base_does_not_have_is_refused(cora: Persona, faq: KnowledgeBase) -> None:
    with pytest.raises(Invalid) as refusal:
        make_entry(cora, faq, "One?", tag="Nowhere")
    assert refusal.value.data["field"] == "tag"


def test_a_deleted_entry_is_gone_its_questions_are_free_and_it_can_come_back(
    cora: Persona, faq: KnowledgeBase
) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    ids = delete_entries(cora.actor, base_id=faq.pk, entry_ids=[entry.pk])
    with pytest.raises(NotFound):
        get_entry(cora.actor, entry.pk)
    assert restore_entries(cora.actor, base_id=faq.pk, entry_ids=ids) == 1
    assert get_entry(cora.actor, entry.pk).number == 1


def test_a_deleted_entry_whose_question_was_given_away_stays_deleted(
    cora: Persona, faq: KnowledgeBase
) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    delete_entries(cora.actor, base_id=faq.pk, entry_ids=None)
    make_entry(cora, faq, "How do I pay?", "In cash.")
    with pytest.raises(Conflict, match="Entry 2"):
        restore_entries(cora.actor, base_id=faq.pk, entry_ids=[entry.pk])


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (EntryFilter(text="PAY"), {"How do I pay?"}),
        (EntryFilter(text='say "hi"'), {"Who?"}),
        (EntryFilter(text="wire", field="similar_questions"), {"How do I pay?"}),
        (EntryFilter(text="wire", field="answers"), set()),
        (EntryFilter(is_enabled=False), {"Who?"}),
        (EntryFilter(tag_ids=(0,)), {"How do I pay?", "Who?"}),
    ],
)
def test_entries_are_filtered(
    cora: Persona, faq: KnowledgeBase, wanted: EntryFilter, found: set[str]
) -> None:
    make_entry(cora, faq, "How do I pay?", "By card.", similar_questions=("By wire?",))
    make_entry(cora, faq, "Who?", 'We say "hi".', is_enabled=False)
    listed = list_entries(cora.actor, faq.pk, wanted)
    assert {entry.standard_question for entry in listed} == found


def test_a_viewer_sees_entries_and_changes_none(
    cora: Persona, victor: Persona, faq: KnowledgeBase
) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    assert get_entry(victor.actor, entry.pk) == entry
    for refused in (
        lambda: make_entry(victor, faq, "Other?"),
        lambda: update_entry(victor.actor, entry_id=entry.pk, version=1, draft=draft("Other?")),
        lambda: delete_entries(victor.actor, base_id=faq.pk, entry_ids=[entry.pk]),
        lambda: change_entries(
            victor.actor, base_id=faq.pk, entry_ids=None, change=Change(is_enabled=False)
        ),
        lambda: restore_entries(victor.actor, base_id=faq.pk, entry_ids=[entry.pk]),
    ):
        with pytest.raises(AccessDenied):
            refused()


def test_a_stranger_sees_nothing(cora: Persona, mallory: Persona, faq: KnowledgeBase) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    with mallory.scope(), pytest.raises(NotFound):
        get_entry(mallory.actor, entry.pk)


def test_a_base_of_documents_takes_no_entry(cora: Persona) -> None:
    base = make_base(cora.space, created_by=cora.user)
    assert base.kind == BaseKind.DOCUMENT
    with cora.scope(), pytest.raises(NotFound):
        make_entry(cora, base, "How do I pay?")
