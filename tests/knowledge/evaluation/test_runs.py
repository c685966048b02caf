"""Evaluations: figures, what is gone, stopping and going on, rights, comparison and the gate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from accounts.access import Shared
from accounts.constants import Role, SharePermission
from accounts.models import AuditEvent, Membership
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from knowledge.access.restrict import Place, restrict
from knowledge.base_settings import BaseSettings, RetrievalOptions, base_settings_of
from knowledge.constants import EvaluationState, GoldenState
from knowledge.evaluation import searching
from knowledge.evaluation.compare import compare_runs
from knowledge.evaluation.gate import Proposal, confirm_gate, discard_gate, open_gate
from knowledge.evaluation.golden import (
    GoldenDraft,
    add_golden,
    change_golden,
    expected_from,
    set_state,
)
from knowledge.evaluation.queries import list_golden, results_of
from knowledge.evaluation.runs import Plan, continue_run, start_run, stop_run
from knowledge.models import EvaluationResult, EvaluationRun, GoldenQuestion, KnowledgeBase
from knowledge.services.bases import update_base
from tests.knowledge.evaluation.conftest import (
    carry_out,
    chunk_with,
    document_of,
    golden,
    recut,
)
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def run_now(persona: Persona, base: KnowledgeBase, **plan: Any) -> EvaluationRun:
    run = start_run(persona.actor, base_id=base.pk, plan=Plan(**plan))
    carry_out()
    run.refresh_from_db()
    return run


def test_a_run_measures_every_confirmed_question(cora: Persona, hangar: KnowledgeBase) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    golden(cora, hangar, "How much fuel is filled in?", "Fuel")
    golden(cora, hangar, "Only a draft?", "Snow", confirmed=False)

    run = run_now(cora, hangar)

    assert (run.state, run.done, run.total) == (EvaluationState.DONE, 2, 2)
    means = run.metrics["means"]
    assert means["hit"] == {"value": 1.0, "low": 1.0, "high": 1.0, "count": 2}
    assert means["mrr"]["value"] == 1.0
    assert means["precision"]["value"] == pytest.approx(0.1)
    first = EvaluationResult.objects.get(run=run, position=0)
    assert first.ranked[0]["target"] == 0
    assert run.options["retrieval"]["limit"] == 10


def test_a_passage_that_was_cut_anew_is_found_by_its_snippet(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    passage = chunk_with(hangar, "flaps")
    recut(hangar, passage.pk, text=f"Chapter 1.  {passage.text}", content_hash="0" * 64)

    run = run_now(cora, hangar)

    assert run.metrics["means"]["hit"]["value"] == 1.0
    assert run.metrics["gone"] == 0


def test_a_passage_that_is_gone_is_told_and_never_a_miss(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    golden(cora, hangar, "How much fuel is filled in?", "Fuel")
    passage = chunk_with(hangar, "flaps")
    recut(hangar, passage.pk, text="Something else stands here.", content_hash="0" * 64)

    run = run_now(cora, hangar)

    assert run.metrics["gone"] == 1
    assert run.metrics["means"]["hit"] == {"value": 1.0, "low": 1.0, "high": 1.0, "count": 1}
    assert EvaluationResult.objects.get(run=run, position=0).gone == [0]


def test_a_whole_document_is_met_by_any_of_its_passages(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    expected = expected_from(cora.actor, hangar, document_ids=[document_of(hangar).pk])
    draft = GoldenDraft(question="What about the tower?", expected=expected)
    add_golden(cora.actor, base_id=hangar.pk, draft=draft, is_confirmed=True)

    run = run_now(cora, hangar)

    assert run.metrics["means"]["recall"]["value"] == 1.0


def test_a_stopped_run_goes_on_behind_its_last_question(
    cora: Persona, hangar: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, word in enumerate(("flaps", "Fuel", "tower", "Snow")):
        golden(cora, hangar, f"Question {number} about {word}?", word)
    asked: list[str] = []
    real: Callable[..., None] = searching.search_for

    def search_two(actor: Any, run: EvaluationRun, row: EvaluationResult, options: Any) -> None:
        asked.append(row.question)
        real(actor, run, row, options)
        if len(asked) == 2:
            stop_run(cora.actor, run_id=run.pk)

    monkeypatch.setattr(searching, "search_for", search_two)
    run = run_now(cora, hangar)
    assert (run.state, run.done) == (EvaluationState.CANCELLED, 1)

    continue_run(cora.actor, run_id=run.pk)
    carry_out()
    run.refresh_from_db()
    assert (run.state, run.done) == (EvaluationState.DONE, 4)
    assert asked[1] == asked[2]
    assert len(asked) == 5


def test_who_may_not_edit_the_base_any_more_has_the_run_ended_with_a_reason(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    run = start_run(cora.actor, base_id=hangar.pk, plan=Plan())
    Membership.objects.filter(pk=cora.membership.pk).update(role=Role.VIEWER)
    carry_out()
    run.refresh_from_db()
    assert run.state == EvaluationState.FAILED
    assert "may not work on the base" in run.reason


def test_only_who_edits_the_base_sees_its_golden_questions(
    cora: Persona, victor: Persona, mallory: Persona, hangar: KnowledgeBase
) -> None:
    with pytest.raises(AccessDenied):
        list_golden(victor.actor, hangar.pk)
    with pytest.raises(AccessDenied):
        start_run(victor.actor, base_id=hangar.pk, plan=Plan())
    with mallory.scope(), pytest.raises(NotFound):
        list_golden(mallory.actor, hangar.pk)


def test_nothing_confirmed_is_told(cora: Persona, hangar: KnowledgeBase) -> None:
    with pytest.raises(Invalid, match="no confirmed golden question"):
        start_run(cora.actor, base_id=hangar.pk, plan=Plan())


def test_what_a_restriction_closes_is_neither_listed_nor_told_in_results(
    olivia: Persona, cora: Persona, hangar: KnowledgeBase
) -> None:
    """The creator of a base passes every wall in it, so it is made another's first."""
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    run = run_now(cora, hangar)
    KnowledgeBase.objects.filter(pk=hangar.pk).update(created_by=olivia.user)
    with olivia.scope():
        place = Place(base_id=hangar.pk, document_id=document_of(hangar).pk)
        restrict(olivia.actor, place, user_ids=[], group_ids=[])
    # An editor of the base by a share passes no wall.
    opened = Shared(kind="base", object_id=hangar.pk, permission=SharePermission.EDITOR)
    guest = replace(cora.actor, role=None, home_space_id=-1, shared=frozenset({opened}))

    assert list_golden(guest, hangar.pk) == []
    (seen,) = results_of(guest, run)
    assert seen.is_closed
    assert {each["name"] for each in seen.ranked} == {""}
    (open_to_her,) = results_of(olivia.actor, run)
    assert not open_to_her.is_closed


def test_two_runs_are_compared_question_by_question(cora: Persona, hangar: KnowledgeBase) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    golden(cora, hangar, "Where is snow reported?", "Snow")
    before = run_now(cora, hangar)
    after = run_now(cora, hangar)
    row = EvaluationResult.objects.get(run=after, position=1)
    row.metrics = {**row.metrics, "ndcg": 0.5}
    row.save()

    found = compare_runs(cora.actor, before_id=before.pk, after_id=after.pk)

    assert [pair.change for pair in found.pairs] == ["worse", "same"]
    assert found.pairs[0].after.row.question == "Where is snow reported?"
    assert found.differences["ndcg"].value == pytest.approx(-0.25)
    assert found.differences["hit"].value == 0.0
    assert (found.number("worse"), found.only_before, found.only_after) == (1, 0, 0)


def test_settings_of_the_search_change_only_through_the_gate(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    other = BaseSettings(retrieval=RetrievalOptions(limit=1, keyword_weight=0.0))
    with pytest.raises(Conflict, match="golden questions"):
        update_base(cora.actor, base_id=hangar.pk, name="Hangar", description="", settings=other)
    proposal = Proposal(name="Hangar", description="", settings=other)
    gate = open_gate(cora.actor, base_id=hangar.pk, proposal=proposal)
    with pytest.raises(Invalid):
        confirm_gate(cora.actor, run_id=gate.pk)

    carry_out()
    confirm_gate(cora.actor, run_id=gate.pk)

    hangar.refresh_from_db()
    assert base_settings_of(hangar).retrieval.limit == 1
    assert AuditEvent.objects.filter(action="evaluation.gate_confirm").exists()
    with pytest.raises(Conflict, match="decided already"):
        discard_gate(cora.actor, run_id=gate.pk)


def test_the_gate_is_passed_by_with_a_reason_that_is_audited(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    other = BaseSettings(retrieval=RetrievalOptions(limit=3))
    proposal = Proposal(name="Hangar", description="", settings=other)
    gate = open_gate(cora.actor, base_id=hangar.pk, proposal=proposal)

    confirm_gate(cora.actor, run_id=gate.pk, reason="The demonstration begins now.")

    hangar.refresh_from_db()
    assert base_settings_of(hangar).retrieval.limit == 3
    event = AuditEvent.objects.get(action="evaluation.gate_bypass")
    assert event.details["reason"] == "The demonstration begins now."
    gate.refresh_from_db()
    assert gate.state == EvaluationState.CANCELLED


def test_a_discarded_proposal_changes_nothing(cora: Persona, hangar: KnowledgeBase) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    other = BaseSettings(retrieval=RetrievalOptions(limit=3))
    proposal = Proposal(name="Hangar", description="", settings=other)
    gate = open_gate(cora.actor, base_id=hangar.pk, proposal=proposal)
    discard_gate(cora.actor, run_id=gate.pk)
    hangar.refresh_from_db()
    assert base_settings_of(hangar).retrieval.limit == 10


def test_the_same_question_stands_once_and_versions_are_kept_apart(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    row = golden(cora, hangar, "When are the flaps checked?", "flaps")
    with pytest.raises(Conflict, match="already"):
        golden(cora, hangar, "when are the FLAPS checked", "Fuel")
    draft = GoldenDraft(question="Another one?", answer="Yes.")
    change_golden(cora.actor, golden_id=row.pk, version=1, draft=draft)
    with pytest.raises(Conflict, match="meanwhile"):
        change_golden(cora.actor, golden_id=row.pk, version=1, draft=draft)
    row.refresh_from_db()
    assert (row.question, row.answer, row.language) == ("Another one?", "Yes.", "")


def test_what_expects_nothing_is_not_confirmed(cora: Persona, hangar: KnowledgeBase) -> None:
    empty = add_golden(cora.actor, base_id=hangar.pk, draft=GoldenDraft(question="Nothing?"))
    full = golden(cora, hangar, "When are the flaps checked?", "flaps", confirmed=False)
    ids = [empty.pk, full.pk, uuid4()]
    assert (
        set_state(cora.actor, base_id=hangar.pk, golden_ids=ids, state=GoldenState.CONFIRMED) == 1
    )
    assert GoldenQuestion.objects.get(pk=empty.pk).state == GoldenState.DRAFT
    assert GoldenQuestion.objects.get(pk=full.pk).confirmed_by == cora.user
