"""A model drafts questions; a person confirms them. Nothing of a bad answer stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.errors import Conflict
from knowledge.constants import EvaluationState, GoldenOrigin, GoldenState
from knowledge.evaluation import drafting
from knowledge.evaluation.drafting import estimate_drafts, start_drafting
from knowledge.models import GoldenQuestion, KnowledgeBase
from providers.contracts.errors import ModelError
from tests.factories.providers import make_model
from tests.knowledge.evaluation.conftest import carry_out
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the model says, one after the other; an error is raised. At its end it is gone."""
    found: list[Any] = []
    given: Iterator[Any] = iter(found)

    def ask(context: Any, run: Any, wish: Any, kind: Any) -> tuple[Any, str]:
        each = next(given)
        if isinstance(each, Exception):
            raise each
        return kind.model_validate(each), "a model"

    monkeypatch.setattr(drafting, "ask_model", ask)
    monkeypatch.setattr(drafting, "SHORTEST_PASSAGE", 10)
    return found


def test_each_passage_gets_a_draft(
    cora: Persona, hangar: KnowledgeBase, answers: list[Any]
) -> None:
    make_model(cora.space, type="chat", is_default=True)
    answers += [
        {"question": "When are the flaps checked?", "answer": "Before take off."},
        {"question": ""},
        ModelError("bad_response", "It is no JSON."),
        {"question": "when are the flaps checked", "answer": "Again."},
    ]
    assert estimate_drafts(cora.actor, base_id=hangar.pk, count=10).questions == 4
    run = start_drafting(cora.actor, base_id=hangar.pk, count=10)
    with pytest.raises(Conflict, match="already"):
        start_drafting(cora.actor, base_id=hangar.pk)
    carry_out()

    run.refresh_from_db()
    assert (run.state, run.done, run.metrics["failed"]) == (EvaluationState.DONE, 4, 2)
    row = GoldenQuestion.objects.get(base=hangar)
    assert (row.state, row.origin) == (GoldenState.DRAFT, GoldenOrigin.DRAFTED)
    assert row.answer == "Before take off."
    assert row.expected[0]["document_name"] == "manual.txt"


def test_a_model_that_is_away_ends_it_with_its_reason(
    cora: Persona, hangar: KnowledgeBase, answers: list[Any]
) -> None:
    make_model(cora.space, type="chat", is_default=True)
    answers += [ModelError("unreachable", "The service does not answer.")]
    run = start_drafting(cora.actor, base_id=hangar.pk, count=2)
    carry_out()
    run.refresh_from_db()
    assert (run.state, run.reason) == (EvaluationState.FAILED, "The service does not answer.")
