"""Which questions may stand together in one entry."""

from __future__ import annotations

import pytest

from core.errors import Invalid
from knowledge.faq.drafts import EntryDraft, clean_draft
from knowledge.faq.normal_form import question_hash
from knowledge.faq.rules import Owner, problems_with_others, problems_within, without


def _draft(**fields: tuple[str, ...]) -> EntryDraft:
    return EntryDraft(standard_question="How do I pay?", answers=("By card.",), **fields)  # type: ignore[arg-type]  # the fields of the tests are all lists of texts


def test_a_similar_question_may_not_be_the_standard_one() -> None:
    (problem,) = problems_within(_draft(similar_questions=("how do I pay",)))
    assert (problem.field, problem.code) == ("similar_questions", "same_as_standard")


def test_two_similar_questions_may_not_be_the_same() -> None:
    (problem,) = problems_within(_draft(similar_questions=("Payment?", "payment")))
    assert (problem.question, problem.code) == ("payment", "repeated")


def test_a_negative_question_may_not_deny_a_question_of_its_entry() -> None:
    draft = _draft(similar_questions=("Payment",), negative_questions=("payment!", "How do I pay"))
    assert [problem.code for problem in problems_within(draft)] == ["contradicts", "contradicts"]


def test_questions_of_other_entries_are_named_with_their_entry() -> None:
    owner = Owner(entry_id=None, number=7, standard_question="Payment")
    draft = _draft(similar_questions=("PAYMENT",))
    (problem,) = problems_with_others(draft, {question_hash("payment"): owner})
    assert problem.owner == owner
    assert "Entry 7" in problem.reason


def test_what_cannot_stand_is_taken_out_and_the_first_of_two_stays() -> None:
    draft = _draft(similar_questions=("Payment", "Payment", "Card?"), negative_questions=("Cash",))
    left = without(draft, problems_within(draft))
    assert left.similar_questions == ("Payment", "Card?")
    assert problems_within(left) == []


def test_the_hash_of_what_an_entry_says_does_not_know_order_or_marks() -> None:
    one = _draft(similar_questions=("Payment?", "By card"))
    other = _draft(similar_questions=("by card", "payment"))
    assert one.content_hash == other.content_hash
    changed = EntryDraft(standard_question="How do I pay?", answers=("By card!",))
    assert changed.content_hash != _draft().content_hash


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (EntryDraft(standard_question=" ", answers=("x",)), "standard_question"),
        (EntryDraft(standard_question="x", answers=(" ",)), "answers"),
        (EntryDraft(standard_question="x" * 1001, answers=("x",)), "standard_question"),
        (
            EntryDraft(
                standard_question="x", answers=("x",), similar_questions=tuple(map(str, range(101)))
            ),
            "similar_questions",
        ),
    ],
)
def test_what_is_missing_or_too_long_names_its_field(draft: EntryDraft, field: str) -> None:
    with pytest.raises(Invalid) as refusal:
        clean_draft(draft)
    assert refusal.value.data["field"] == field
