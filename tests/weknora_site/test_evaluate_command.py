"""`manage.py evaluate`: figures as JSON, and an exit code for a build."""

from __future__ import annotations

import json

import pytest
from celery import current_app
from django.core.management import call_command

from knowledge.evaluation.expected import expected_of
from knowledge.evaluation.golden import GoldenDraft, add_golden
from knowledge.models import Chunk
from tests.factories.knowledge import make_base
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _hangar(olivia: Persona, monkeypatch: pytest.MonkeyPatch) -> None:
    model = WordModel()
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    monkeypatch.setattr("knowledge.retrieval.models.get_embedding_model", lambda row: model)
    monkeypatch.setattr("knowledge.retrieval.retrieve.find_rerank_model", lambda space_id: None)
    base = make_base(olivia.space, name="Hangar", created_by=olivia.user)
    with olivia.scope():
        add_document(base, "The flaps are checked.", "Fuel is filled in.", model=model)
        chunk = Chunk.objects.select_related("document").get(base=base, position=0)
        draft = GoldenDraft(question="What about the flaps?", expected=(expected_of(chunk),))
        add_golden(olivia.actor, base_id=base.pk, draft=draft, is_confirmed=True)


def evaluate(olivia: Persona, *arguments: str) -> None:
    call_command("evaluate", "--base", "Hangar", *arguments, space=olivia.space.name)


def test_figures_are_printed_as_json(olivia: Persona, capsys: pytest.CaptureFixture[str]) -> None:
    evaluate(olivia, "--json", "--at-least", "hit@5=0.9")
    found = json.loads(capsys.readouterr().out)
    assert (found["state"], found["k"], found["answered"]) == ("done", 5, 1)
    assert found["means"]["hit"]["value"] == 1.0
    assert found["failures"] == []


def test_a_measure_below_its_threshold_ends_with_code_1(
    olivia: Persona, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        evaluate(olivia, "--at-least", "precision@5=0.9")
    assert end.value.code == 1
    assert "precision is 0.2000, less than 0.9" in capsys.readouterr().err


def test_what_was_not_measured_and_what_is_no_threshold_are_told(olivia: Persona) -> None:
    with pytest.raises(SystemExit) as end:
        evaluate(olivia, "--at-least", "correctness=0.5")
    assert end.value.code == 1
    for wrong in (("--at-least", "hit"), ("--at-least", "hit@5=1", "--at-least", "ndcg@10=1")):
        with pytest.raises(SystemExit) as end:
            evaluate(olivia, *wrong)
        assert end.value.code == 2
