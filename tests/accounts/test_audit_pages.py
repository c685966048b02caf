"""Who reads the audit log, what its pages show, and what leaves as a file."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone

from accounts.audit_pages import csv_lines
from accounts.models import AuditEvent
from accounts.services.audit import record_audit
from accounts.services.audit_reading import PAGE_ROWS
from knowledge.services.bases import create_base, update_base
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.personas import Persona

STREAMS = pytest.mark.django_db(transaction=True)
"""A file is read by another thread, which sees only what was committed."""


def get(persona: Persona, name: str, *args: Any, **query: str) -> Any:
    return persona.client.get(reverse(name, args=args), query)


def text_of(response: Any) -> str:
    if not response.streaming:
        return str(response.content.decode())

    async def read() -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    return async_to_sync(read)().decode()


def write(persona: Persona, *actions: str, **details: Any) -> None:
    with persona.scope():
        for action in actions:
            record_audit(persona.actor, action, **details)


@pytest.mark.parametrize(
    ("name", "status"), [("olivia", 200), ("adam", 200), ("cora", 403), ("victor", 403)]
)
def test_admins_read_the_log(request: pytest.FixtureRequest, name: str, status: int) -> None:
    persona: Persona = request.getfixturevalue(name)
    assert get(persona, "audit").status_code == status
    assert get(persona, "audit_export", type="csv").status_code == status


@STREAMS
def test_a_log_is_of_its_space_alone(olivia: Persona, mallory: Persona) -> None:
    write(olivia, "space.change")
    assert "Changed name or description" in text_of(get(olivia, "audit"))
    assert "Changed name or description" not in text_of(get(mallory, "audit"))
    assert "space.change" not in text_of(get(mallory, "audit_export", type="jsonl"))


def test_pages_of_fifty_follow_each_other(olivia: Persona) -> None:
    write(olivia, *[f"test.number_{number}" for number in range(PAGE_ROWS + 5)])
    first = get(olivia, "audit")
    assert text_of(first).count("<details") == PAGE_ROWS
    cursor = first.context["next_cursor"]
    second = get(olivia, "audit", after=cursor)
    assert [row.action for row in second.context["rows"]] == [
        f"test.number_{number}" for number in range(4, -1, -1)
    ]
    assert second.context["next_cursor"] == ""


@pytest.mark.parametrize("cursor", ["x", "2026-01-01_5", "2026-13-45T00:00:00+00:00_1", "_", "1_²"])
def test_a_cursor_that_nobody_gave_is_refused(olivia: Persona, cursor: str) -> None:
    assert get(olivia, "audit", after=cursor).status_code == 400


def test_filters_narrow_the_log(olivia: Persona, adam: Persona, victor: Persona) -> None:
    write(olivia, "space.change", "member.role")
    write(adam, "group.create")
    victor.client.post(reverse("space_settings"), {"name": "Mine"})

    def shown(**query: str) -> list[str]:
        return [row.action for row in get(olivia, "audit", **query).context["rows"]]

    assert shown(person=str(adam.user.pk)) == ["group.create"]
    assert shown(area="member") == ["member.role"]
    assert shown(outcome="refused") == ["access.denied"]
    assert len(shown(since="2000-01-01")) == 4
    assert shown(until="2000-01-01") == []
    assert shown(since="2199-01-01") == []


@pytest.mark.parametrize("door", ["audit", "audit_export"])
@pytest.mark.parametrize(
    "query",
    [{"until": "9999-12-31"}, {"until": "2201-01-01"}, {"since": "0001-01-01"}, {"area": "x"}],
    ids=str,
)
def test_a_filter_that_cannot_be_used_is_told(
    olivia: Persona, victor: Persona, door: str, query: dict[str, str]
) -> None:
    write(olivia, "space.change")
    answer = get(olivia, door, **query)
    assert answer.status_code == 422
    text = text_of(answer)
    assert "Changed name or description" not in text
    assert ("between the years 1970 and 2200" in text) == ("area" not in query)
    with olivia.scope():
        assert not AuditEvent.objects.filter(action="audit.export").exists()
    assert get(victor, "audit", **query).status_code == 403


@STREAMS
def test_an_export_reaches_the_last_day_that_can_be_chosen(olivia: Persona) -> None:
    write(olivia, "space.change")
    answer = get(olivia, "audit_export", type="jsonl", since="1970-01-01", until="2200-12-31")
    assert '"space.change"' in text_of(answer)


def test_an_export_that_fails_at_once_is_an_error(
    olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> list[AuditEvent]:
        raise OperationalError("the database is gone")

    monkeypatch.setattr("accounts.views.audit.read_for_export", fail)
    client = olivia.client
    client.raise_request_exception = False
    assert client.get(reverse("audit_export")).status_code == 500


@STREAMS
def test_an_export_is_written_down_and_holds_no_formula(olivia: Persona) -> None:
    write(olivia, "group.create", name='=HYPERLINK("http://evil")')
    with olivia.scope():
        base = make_base(olivia.space, name="@SUM(1)")
        record_audit(olivia.actor, "base.create", target=base)
    response = get(olivia, "audit_export", type="csv")
    assert response.headers["Content-Disposition"].startswith('attachment; filename="audit-')
    rows = list(csv.DictReader(io.StringIO(text_of(response))))
    assert [row["action"] for row in rows] == ["audit.export", "base.create", "group.create"]
    assert rows[1]["target_name"] == "'@SUM(1)"
    assert json.loads(rows[2]["details"])["name"].startswith("=HYPERLINK")


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@x", "\t=1", "  =1", "＝1", "＋1", "－1", "＠x"]
)
def test_no_cell_begins_a_formula(name: str) -> None:
    event = AuditEvent(actor_name=name, action="test.x")
    event.created_at = timezone.now()
    assert f"'{name}" in csv_lines([event])


@STREAMS
def test_lines_of_json_can_be_read_again(olivia: Persona) -> None:
    write(olivia, "space.change", old="Ä", new="東京")
    lines = text_of(get(olivia, "audit_export", type="jsonl", area="space")).splitlines()
    (row,) = [json.loads(line) for line in lines]
    assert row["details"] == {"old": "Ä", "new": "東京"}
    assert get(olivia, "audit_export", type="exe").status_code == 400


def test_a_base_shows_its_activity_to_its_creator_and_admins(
    olivia: Persona, adam: Persona, cora: Persona, victor: Persona
) -> None:
    make_model(cora.space, type="embedding", is_default=True)
    with cora.scope():
        base = create_base(cora.actor, name="Tower")
        update_base(cora.actor, base_id=base.pk, name="Tower 2", description="")
    other = make_base(olivia.space, created_by=olivia.user)
    assert get(cora, "base_activity", other.pk).status_code == 403
    assert get(victor, "base_activity", base.pk).status_code == 403
    for persona in (olivia, adam, cora):
        rows = get(persona, "base_activity", base.pk).context["rows"]
        assert [row.action for row in rows] == ["base.change", "base.create"]


def test_many_events_cost_no_more_queries(
    olivia: Persona, django_assert_max_num_queries: Any
) -> None:
    write(olivia, *["space.change"] * PAGE_ROWS)
    client = olivia.client
    with django_assert_max_num_queries(12):
        client.get(reverse("audit"))


def test_a_refusal_says_what_was_tried(olivia: Persona, victor: Persona) -> None:
    assert victor.client.post(reverse("space_settings"), {"name": "Mine"}).status_code == 403
    text = text_of(get(olivia, "audit"))
    head = text[text.index("Was denied access") :].partition("</summary>")[0]
    assert "spaces.change" in head
