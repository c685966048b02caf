"""Entries become passages that every search finds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.access import may
from agents.suggestions.knowledge import questions_of_bases
from core.jobs.work import work
from core.models import BackgroundJob
from knowledge.base_settings import BaseSettings, FaqOptions
from knowledge.constants import AnswerStrategy, DocumentSource
from knowledge.faq import indexing
from knowledge.faq.indexing import passages_of
from knowledge.faq.search import FaqSearch, search_entries
from knowledge.faq.services import (
    Change,
    change_entries,
    delete_entries,
    restore_entries,
    update_entry,
)
from knowledge.faq.trash import empty_old_entries
from knowledge.faq.writing import index_soon
from knowledge.models import Chunk, Document, Embedding, FaqEntry, KeywordRow, KnowledgeBase, Tag
from knowledge.retrieval.hits import Retrieval
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.services.removal import remove_document
from tests.knowledge.faq.conftest import draft, index, make_entry
from tests.knowledge.search_models import BrokenModel, WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def ask(persona: Persona, base: KnowledgeBase, question: str) -> Retrieval:
    return retrieve(persona.actor, query=question, scope=Scope(base_ids=(base.pk,)))


def test_a_search_finds_the_answer_and_cites_the_entry(
    cora: Persona, victor: Persona, faq: KnowledgeBase
) -> None:
    entry = make_entry(cora, faq, "How do I pay?", "By card.", "Or by wire.")
    make_entry(cora, faq, "Where is the harbour?", "At the sea.")
    index()
    hit = ask(victor, faq, "how do I pay").hits[0]
    assert hit.text == "How do I pay?\n\nBy card.\n\nOr by wire."
    assert hit.context == hit.text  # no neighbours: they answer something else
    assert Chunk.objects.get(pk=hit.chunk_id).faq_entry_id == entry.pk


def test_only_what_changed_is_embedded_again(
    cora: Persona, faq: KnowledgeBase, model: WordModel
) -> None:
    first = make_entry(cora, faq, "How do I pay?", "By card.")
    make_entry(cora, faq, "Where is the harbour?", "At the sea.")
    index()
    model.seen.clear()
    update_entry(cora.actor, entry_id=first.pk, version=1, draft=draft("How do I pay?", "In cash."))
    index()
    assert model.seen == ["How do I pay?\n\nIn cash."]
    assert Chunk.objects.count() == Embedding.objects.count() == KeywordRow.objects.count() == 2
    assert "cash" in ask(cora, faq, "pay").hits[0].text


def test_a_disabled_entry_is_found_by_nobody_and_an_enabled_one_at_once(
    cora: Persona, faq: KnowledgeBase
) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    index()
    change_entries(
        cora.actor, base_id=faq.pk, entry_ids=[entry.pk], change=Change(is_enabled=False)
    )
    assert ask(cora, faq, "How do I pay?").hits == ()
    change_entries(cora.actor, base_id=faq.pk, entry_ids=[entry.pk], change=Change(is_enabled=True))
    assert len(ask(cora, faq, "How do I pay?").hits) == 1


def test_a_deleted_entry_is_not_found_and_a_restored_one_is(
    cora: Persona, faq: KnowledgeBase
) -> None:
    make_entry(cora, faq, "How do I pay?")
    index()
    ids = delete_entries(cora.actor, base_id=faq.pk, entry_ids=None)
    assert ask(cora, faq, "How do I pay?").hits == ()
    restore_entries(cora.actor, base_id=faq.pk, entry_ids=ids)
    assert len(ask(cora, faq, "How do I pay?").hits) == 1


def test_what_was_deleted_long_ago_is_gone_with_its_passages(
    cora: Persona, faq: KnowledgeBase
) -> None:
    make_entry(cora, faq, "How do I pay?")
    index()
    delete_entries(cora.actor, base_id=faq.pk, entry_ids=None)
    assert empty_old_entries() == 0
    FaqEntry.objects.update(trashed_at=timezone.now() - timedelta(days=31))
    assert empty_old_entries() == 1
    assert not Chunk.objects.exists()


def test_who_asks_a_negative_question_does_not_get_the_entry(
    cora: Persona, faq: KnowledgeBase
) -> None:
    make_entry(cora, faq, "How do I pay?", negative_questions=("How do I pay taxes?",))
    index()
    assert ask(cora, faq, "how do I pay TAXES").hits == ()
    assert len(ask(cora, faq, "how do I pay my taxes").hits) == 1


def test_of_random_answers_a_request_gets_one(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "Joke?", "One.", "Two.", strategy=AnswerStrategy.RANDOM)
    index()
    seen = {ask(cora, faq, "joke").hits[0].text for _ in range(40)}
    assert seen == {"Joke?\n\nOne.", "Joke?\n\nTwo."}


@pytest.mark.parametrize(
    ("options", "indexed"),
    [
        (FaqOptions(), ["Pay?\nHow?\n\nBy card."]),
        (FaqOptions(index_mode="question_only"), ["Pay?\nHow?"]),
        (FaqOptions(question_index="separate"), ["Pay?\n\nBy card.", "How?\n\nBy card."]),
        (FaqOptions(index_mode="question_only", question_index="separate"), ["Pay?", "How?"]),
    ],
    ids=["as it comes", "questions only", "separate", "separate questions only"],
)
def test_settings_say_what_is_indexed(options: FaqOptions, indexed: list[str]) -> None:
    entry = FaqEntry(standard_question="Pay?", similar_questions=["How?"], answers=["By card."])
    assert [each["indexed_as"] for each in passages_of(entry, options)] == indexed


def test_an_entry_of_several_passages_is_one_hit(cora: Persona, faq: KnowledgeBase) -> None:
    options = BaseSettings(faq=FaqOptions(question_index="separate", index_mode="question_only"))
    KnowledgeBase.objects.update(options=options.model_dump())
    make_entry(cora, faq, "How do I pay?", "By card.", similar_questions=("Pay how?", "I pay?"))
    index()
    assert Chunk.objects.count() == 3
    assert len(ask(cora, faq, "pay").hits) == 1


def test_other_settings_index_all_entries_anew(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "How do I pay?", "By card.", similar_questions=("Payment",))
    index()
    options = BaseSettings(faq=FaqOptions(question_index="separate"))
    KnowledgeBase.objects.update(options=options.model_dump())
    index_soon(KnowledgeBase.objects.get(pk=faq.pk))
    index()
    assert Chunk.objects.count() == KeywordRow.objects.count() == 2


def test_a_model_that_fails_is_told_at_the_entries_and_tried_again(
    cora: Persona, faq: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    monkeypatch.setattr(indexing, "get_embedding_model", lambda *_, **__: BrokenModel())
    work("ingest")
    entry.refresh_from_db()
    assert "does not answer" in entry.index_error
    monkeypatch.setattr(indexing, "get_embedding_model", lambda *_, **__: WordModel())
    BackgroundJob.objects.update(run_after=timezone.now())
    index()
    entry.refresh_from_db()
    assert (entry.index_error, entry.indexed_at is not None) == ("", True)


def test_the_row_behind_the_entries_is_nobodys_to_change(
    olivia: Persona, cora: Persona, faq: KnowledgeBase
) -> None:
    make_entry(cora, faq, "How do I pay?")
    row = Document.objects.get(source=DocumentSource.FAQ)
    assert may(olivia.actor, "view", row)
    assert not any(may(olivia.actor, action, row) for action in ("change", "delete", "manage"))


def search(persona: Persona, base: KnowledgeBase, question: str, **wanted: Any) -> list[Any]:
    found = search_entries(
        persona.actor, base_id=base.pk, wanted=FaqSearch(question=question, **wanted)
    )
    return [
        (hit.entry.standard_question, hit.match_type, hit.matched_question) for hit in found.hits
    ]


def test_the_search_test_says_how_and_by_which_question(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "How do I pay?", "By card.", similar_questions=("Which cards work?",))
    make_entry(cora, faq, "Where is the harbour?", "At the sea.")
    index()
    assert search(cora, faq, "which CARDS work") == [
        ("How do I pay?", "exact", "Which cards work?")
    ]
    (found,) = search(cora, faq, "what cards work", threshold=0.2)
    assert found == ("How do I pay?", "meaning", "Which cards work?")


def test_the_search_test_keeps_its_threshold_tags_and_count(
    cora: Persona, faq: KnowledgeBase
) -> None:

    tag = Tag.objects.create(space_id=faq.space_id, base=faq, name="Money")
    make_entry(cora, faq, "pay card", "a")
    make_entry(cora, faq, "pay card wire", "a", tag="Money")
    make_entry(cora, faq, "pay card wire cash", "a", is_recommended=False)
    index()
    everything = search(cora, faq, "pay card", threshold=0)
    assert [name for name, *_ in everything] == ["pay card", "pay card wire", "pay card wire cash"]
    first = search(cora, faq, "pay card", threshold=0, first_tag_ids=(tag.pk,))
    assert [name for name, *_ in first][:2] == ["pay card wire", "pay card"]
    assert len(search(cora, faq, "pay card", threshold=0, count=1)) == 1
    assert len(search(cora, faq, "pay card", threshold=0, only_recommended=True)) == 2
    assert [name for name, *_ in search(cora, faq, "pay card", threshold=0.99)] == ["pay card"]


def test_the_search_test_names_entries_that_refuse_the_question(
    cora: Persona, faq: KnowledgeBase
) -> None:
    make_entry(cora, faq, "How do I pay?", negative_questions=("pay taxes",))
    index()
    found = search_entries(cora.actor, base_id=faq.pk, wanted=FaqSearch(question="Pay taxes!"))
    assert found.hits == ()
    assert [entry.standard_question for entry in found.refused] == ["How do I pay?"]


def test_a_base_is_removed_with_its_entries(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "How do I pay?")
    index()
    row = Document.objects.get(source=DocumentSource.FAQ)
    Document.objects.update(state="deleting")
    remove_document(row.pk)
    assert not Chunk.objects.exists()


def test_recommended_entries_are_offered_as_questions(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "How do I pay?")
    make_entry(cora, faq, "Held back?", is_recommended=False)
    make_entry(cora, faq, "Off?", is_enabled=False)
    index()
    offered = questions_of_bases(cora.actor, [faq.pk], most=5)
    assert [each.text for each in offered] == ["How do I pay?"]
