"""The desk, one request, decisions by plain POST and by htmx, and the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django import forms
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents.approvals.forms import ArgumentsForm
from agents.approvals.queries import count_waiting, list_of_others, list_waiting
from agents.approvals.spaces import change_space_rules, space_rules
from agents.constants import DecisionState
from agents.engine.testing import FakeTool, ScriptedModel, call, calls, say
from agents.models import Approval
from tests.agents.approvals.conftest import ask_and_wait, end_of
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.approvals import make_approval
from tests.personas import Persona

HTMX: dict[str, Any] = {"HTTP_HX_REQUEST": "true"}
Play = Callable[..., ScriptedModel]


def post(
    persona: Persona,
    row: Approval,
    edited: Mapping[str, str] | None = None,
    *,
    htmx: bool = True,
    **fields: Any,
) -> Any:
    data = {"decision_hash": row.decision_hash, "place": "desk", **fields, **(edited or {})}
    url = reverse("approval_decide", args=[row.pk])
    return persona.client.post(url, data, **(HTMX if htmx else {}))


def request_of(persona: Persona, **fields: Any) -> Approval:
    """Make an open request of a run of this person that waits."""
    agent = make_agent(persona.space)
    talk = make_conversation(persona.space, user=persona.user, agent=agent, title="Secret talk")
    return make_approval(make_run(talk, state="waiting_approval"), **fields)


def test_desk_lists_what_waits_with_risks_and_arguments(waiting: Approval, asker: Persona) -> None:
    Approval.objects.update(risks=["Formats a disk"])
    page = asker.client.get(reverse("approvals")).content.decode()
    for words in ("Send it to ada", "Formats a disk", "left", "Sender", "<dd", "Approve"):
        assert words in page
    assert "1 waits for you" in page


def test_empty_desk_says_so(asker: Persona) -> None:
    assert "Nothing waits for you." in asker.client.get(reverse("approvals")).content.decode()


def test_decision_by_htmx_answers_with_the_decided_entry(
    asker: Persona, waiting: Approval, send: FakeTool
) -> None:
    answer = post(asker, waiting, resolution="approved", comment="Fine.")
    assert answer.status_code == 200
    assert "Cora approved" in answer.content.decode()
    assert "approvals" in answer.headers["HX-Trigger"]
    end_of(waiting)
    assert send.calls == [{"to": "ada"}]


def test_decision_without_scripts_leads_back_to_the_chat(asker: Persona, waiting: Approval) -> None:
    answer = post(asker, waiting, htmx=False, resolution="rejected", place="chat")
    conversation_id = waiting.run.conversation_id
    assert answer.headers["Location"] == reverse("conversation", args=[conversation_id])
    waiting.refresh_from_db()
    assert waiting.decision == DecisionState.REJECTED


def test_edited_arguments_come_from_fields_of_the_schema(
    asker: Persona, waiting: Approval, send: FakeTool
) -> None:
    fields = {"arg-to": "bo", "arg-copies": "2", "arg-parts": '[{"a": 1}]'}
    assert post(asker, waiting, fields, resolution="edited").status_code == 200
    end_of(waiting)
    assert send.calls == [{"to": "bo", "copies": 2, "parts": [{"a": 1}]}]


def test_optional_value_is_a_plain_field_and_left_out_when_empty(
    asker: Persona, waiting: Approval
) -> None:
    field = ArgumentsForm(waiting).fields["subject"]
    assert isinstance(field, forms.CharField)
    assert not isinstance(field, forms.JSONField)
    form = ArgumentsForm(waiting, data={"arg-to": "bo", "arg-subject": "", "arg-parts": ""})
    assert form.is_valid(), form.errors
    assert form.arguments() == {"to": "bo"}


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"arg-to": "bo", "arg-copies": "9"}, "less than or equal to 5"),
        ({"arg-to": ""}, "required"),
        ({"arg-to": "bo", "arg-parts": "{"}, "valid JSON"),
        ({"arg-to": "bo", "arg-parts": '["x"]'}, "is not of type"),
        ({"arg-to": "bo", "arg-parts": "[" * 5000 + "]" * 5000}, "nested too deep"),
    ],
    ids=["bound", "missing", "broken JSON", "wrong item", "too deep"],
)
def test_wrong_arguments_are_told_at_their_field(
    asker: Persona, waiting: Approval, fields: dict[str, str], words: str
) -> None:
    answer = post(asker, waiting, fields, resolution="edited")
    page = answer.content.decode()
    assert answer.status_code == 422
    assert words in page
    assert 'aria-invalid="true"' in page
    assert "data-edit open" in page
    waiting.refresh_from_db()
    assert waiting.decision == DecisionState.OPEN


def test_unchanged_arguments_are_a_plain_approval(asker: Persona, waiting: Approval) -> None:
    post(asker, waiting, {"arg-to": "ada"}, resolution="edited")
    waiting.refresh_from_db()
    assert (waiting.decision, waiting.edited_arguments) == (DecisionState.APPROVED, None)


def test_refused_decision_shows_who_was_first(
    asker: Persona, adam: Persona, waiting: Approval
) -> None:
    post(adam, waiting, resolution="approved")
    answer = post(asker, waiting, resolution="rejected", htmx=False)
    assert answer.status_code == 422
    assert "Adam approved this call already." in answer.content.decode()


def test_done_tab_shows_the_change_and_the_comment(asker: Persona, waiting: Approval) -> None:
    post(asker, waiting, {"arg-to": "bo"}, resolution="edited", comment="Bo instead.")
    page = asker.client.get(reverse("approvals"), {"tab": "done"}).content.decode()
    assert "Cora approved with changes" in page
    assert "Bo instead." in page
    assert "<del>" in page
    assert "ada</del>" in page
    assert "bo</ins>" in page


def test_who_decides_for_others_sees_the_call_and_not_the_conversation(
    asker: Persona, adam: Persona
) -> None:
    row = request_of(asker)
    page = adam.client.get(reverse("approval", args=[row.pk])).content.decode()
    assert "Send it to ada" in page
    assert "Secret talk" not in page
    assert "Secret talk" in asker.client.get(reverse("approval", args=[row.pk])).content.decode()


@pytest.mark.parametrize(
    ("deciders", "named", "mine", "others"),
    [
        ("person", False, {"cora"}, set()),
        ("person_or_admins", False, {"cora"}, {"adam"}),
        ("others", False, {"adam"}, {"cora"}),
        ("person", True, {"cora", "victor"}, set()),
    ],
)
def test_tabs_follow_the_settings(
    asker: Persona,
    adam: Persona,
    victor: Persona,
    deciders: str,
    named: bool,
    mine: set[str],
    others: set[str],
) -> None:
    request_of(asker)
    change_space_rules(
        adam.actor,
        deciders=deciders,
        named_ids=[victor.user.pk] if named else [],
        timeout_seconds=3600,
        ask_for_high_risk=True,
    )
    people = {"cora": asker, "adam": adam, "victor": victor}
    assert {name for name, each in people.items() if list_waiting(each.actor).exists()} == mine
    assert {name for name, each in people.items() if list_of_others(each.actor).exists()} == others


def test_like_calls_are_decided_with_one_confirmation(
    asker: Persona, play: Play, send: FakeTool
) -> None:
    both = calls(call("send", call_id="a", to="ada"), call("send", call_id="b", index=1, to="bo"))
    play(both, say("Done."))
    first = ask_and_wait(asker)
    page = asker.client.get(reverse("approvals")).content.decode()
    assert "Approve all 2" in page
    items = [f"{row.pk}:{row.decision_hash}" for row in Approval.objects.all()]
    url = reverse("approval_batch") + "?resolution=approved"
    assert asker.client.post(url, {"item": items}).status_code == 302
    end_of(first)
    assert send.calls == [{"to": "ada"}, {"to": "bo"}]


def test_risky_calls_are_not_offered_together(asker: Persona) -> None:
    for _ in range(2):
        request_of(asker, risks=["Formats a disk"])
    assert "Approve all" not in asker.client.get(reverse("approvals")).content.decode()


def test_count_follows(asker: Persona, waiting: Approval) -> None:
    url = reverse("approvals_count")
    assert ">1<" in asker.client.get(url, **HTMX).content.decode()
    post(asker, waiting, resolution="approved")
    assert count_waiting(asker.actor) == 0
    assert asker.client.get(url, **HTMX).content.decode().strip() == ""


def test_admin_settles_who_decides(asker: Persona, adam: Persona, victor: Persona) -> None:
    url = reverse("approval_settings")
    data = {
        "deciders": "others",
        "named_people": [str(victor.user.pk)],
        "timeout_seconds": "604800",
    }
    assert adam.client.post(url, data).status_code == 302
    rules = space_rules()
    assert (rules.deciders, rules.timeout_seconds, rules.ask_for_high_risk) == (
        "others",
        604_800,
        False,
    )
    assert rules.named_ids == {victor.user.pk}


def test_stranger_to_the_space_cannot_be_named(
    asker: Persona, adam: Persona, mallory: Persona
) -> None:
    data = {
        "deciders": "others",
        "named_people": [str(mallory.user.pk)],
        "timeout_seconds": "3600",
    }
    assert adam.client.post(reverse("approval_settings"), data).status_code == 422
    assert space_rules().named_ids == frozenset()


def test_desk_asks_the_database_as_often_for_many_as_for_few(
    asker: Persona, django_assert_num_queries: Any
) -> None:
    request_of(asker)
    asker.client.get(reverse("approvals"))
    with CaptureQueriesContext(connection) as few:
        asker.client.get(reverse("approvals"))
    for _ in range(6):
        request_of(asker)
    with django_assert_num_queries(len(few)):
        asker.client.get(reverse("approvals"))
