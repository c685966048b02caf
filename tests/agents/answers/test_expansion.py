"""Other forms of a question, without a model."""

from __future__ import annotations

import pytest

from agents.answers.expansion import MOST_VARIANTS, variants_of


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            'What does "parental leave policy" say, and who approves travel costs?',
            "parental leave policy",
        ),
        ("请问《员工休假手册》规定年假多少天，病假如何计算？", "员工休假手册"),
        ("出張費の精算方法、および休暇の申請手続き", "休暇の申請手続き"),
    ],
)
def test_forms_of_a_question(question: str, expected: str) -> None:
    found = variants_of(question)
    assert expected in found
    assert len(found) <= MOST_VARIANTS
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("question", ["", "leave", "???", "What is it?"])
def test_what_has_no_other_form(question: str) -> None:
    assert variants_of(question) == []
