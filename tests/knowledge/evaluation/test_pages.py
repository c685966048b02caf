"""The pages of quality, through the browser's door: golden questions, files, runs, the gate."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core.errors import Refused
from knowledge.base_settings import base_settings_of
from knowledge.constants import GoldenOrigin, GoldenState
from knowledge.evaluation.files import export_csv, export_json_lines, import_golden, read_file
from knowledge.models import EvaluationRun, GoldenQuestion, KnowledgeBase
from tests.knowledge.evaluation.conftest import carry_out, chunk_with, document_of, golden
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
FILE = """question,answer,document,snippet
When are the flaps checked?,Before take off.,manual.txt,checked before each take off
When are the flaps checked?,,manual.txt,
Who flies?,,missing.txt,
,nobody asked,,
Why not?,Because.,,
"""


def test_a_question_is_written_with_passages_that_a_search_finds(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    url = reverse("golden_new", args=[hangar.pk])
    found = cora.client.post(url, {"question": "Where is snow reported?", "find": "1"})
    passage = chunk_with(hangar, "Snow")
    assert f"chunk:{passage.pk}" in found.content.decode()

    posted = {
        "question": "Where is snow reported?",
        "expected": [f"chunk:{passage.pk}"],
        "confirm": "1",
    }
    assert cora.client.post(url, posted).status_code == 302
    row = GoldenQuestion.objects.get(base=hangar)
    assert row.state == GoldenState.CONFIRMED
    assert row.expected[0]["chunk_hash"] == passage.content_hash

    page = cora.client.get(reverse("golden", args=[hangar.pk, row.pk])).content.decode()
    assert "Snow on the runway" in page
    changed = {
        "question": "Who is told of snow?",
        "expected": ["was:" + json.dumps(row.expected[0])],
        "version": "1",
        "confirm": "1",
    }
    assert cora.client.post(reverse("golden", args=[hangar.pk, row.pk]), changed).status_code == 302
    row.refresh_from_db()
    assert row.question == "Who is told of snow?"
    assert len(row.expected) == 1


def test_many_are_confirmed_at_once(cora: Persona, hangar: KnowledgeBase) -> None:
    rows = [golden(cora, hangar, f"Question {n}?", "flaps", confirmed=False) for n in range(3)]
    posted = {"action": "confirmed", "golden": [str(row.pk) for row in rows[:2]]}
    cora.client.post(reverse("base_quality", args=[hangar.pk]), posted)
    states = GoldenQuestion.objects.filter(base=hangar).values_list("state", flat=True)
    assert sorted(states) == ["confirmed", "confirmed", "draft"]


def test_a_file_is_tried_then_imported_and_its_bad_rows_are_told(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    url = reverse("golden_import", args=[hangar.pk])

    def send(**fields: str) -> str:
        file = SimpleUploadedFile("golden.csv", FILE.encode())
        return cora.client.post(url, {"file": file, **fields}).content.decode()

    assert "nothing was changed" in send(trial="1")
    assert not GoldenQuestion.objects.filter(base=hangar).exists()
    page = send(confirmed="1")
    assert "missing.txt" in page
    rows = {row.question: row for row in GoldenQuestion.objects.filter(base=hangar)}
    assert set(rows) == {"When are the flaps checked?", "Why not?"}
    flaps = rows["When are the flaps checked?"]
    assert (flaps.origin, flaps.state) == (GoldenOrigin.IMPORT, GoldenState.CONFIRMED)
    assert [each["snippet"] for each in flaps.expected] == ["checked before each take off", ""]
    assert flaps.expected[1]["document_id"] == str(document_of(hangar).pk)


def test_what_was_exported_comes_back_as_it_was(cora: Persona, hangar: KnowledgeBase) -> None:
    golden(cora, hangar, "=When are the flaps checked?", "flaps", "Fuel", answer="-Before, always.")
    before = GoldenQuestion.objects.get(base=hangar)
    for content in (
        export_csv(cora.actor, base_id=hangar.pk),
        export_json_lines(cora.actor, base_id=hangar.pk),
    ):
        GoldenQuestion.objects.filter(base=hangar).delete()
        report = import_golden(cora.actor, base_id=hangar.pk, content=content.encode())
        assert (report.added, report.failed) == (1, ())
        row = GoldenQuestion.objects.get(base=hangar)
        assert (row.question, row.answer) == (before.question, before.answer)
        assert row.expected == before.expected
        assert row.state == GoldenState.DRAFT


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"{not json"])
def test_other_files_are_refused_in_words(content: bytes) -> None:
    with pytest.raises(Refused):
        read_file(content)


def test_a_run_is_started_followed_and_shown_worst_first(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    golden(cora, hangar, "Where are the flaps of the wing?", "Snow")
    started = cora.client.post(
        reverse("base_evaluations", args=[hangar.pk]), {"what": "retrieval", "k": "1"}
    )
    run = EvaluationRun.objects.get(base=hangar)
    assert started["Location"] == reverse("evaluation", args=[hangar.pk, run.pk])
    assert "every 2s" in cora.client.get(started["Location"]).content.decode()
    carry_out()
    page = cora.client.get(started["Location"]).content.decode()
    assert "every 2s" not in page
    assert "nDCG@1" in page
    assert page.index("Where are the flaps") < page.index("When are the flaps")
    runs = cora.client.get(reverse("base_evaluations", args=[hangar.pk]))
    assert "manual.txt" in page
    assert runs.status_code == 200


def test_other_settings_of_the_search_lead_through_the_gate(
    cora: Persona, hangar: KnowledgeBase
) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    url = reverse("base_settings", args=[hangar.pk])
    fields = {
        "name": "Hangar",
        "description": "",
        "retrieval_limit": "3",
        "retrieval_rerank": "auto",
    }
    sent = cora.client.post(url, {**fields, "retrieval_keyword_weight": "2.0"})
    assert "/compare/" in sent["Location"]
    hangar.refresh_from_db()
    assert base_settings_of(hangar).retrieval.limit == 10
    assert "without waiting" in cora.client.get(sent["Location"]).content.decode()
    assert cora.client.post(sent["Location"], {"action": "confirm"}).status_code == 422
    carry_out()
    page = cora.client.get(sent["Location"]).content.decode()
    assert "Change the settings" in page
    assert "without waiting" not in page
    cora.client.post(sent["Location"], {"action": "confirm"})
    hangar.refresh_from_db()
    assert base_settings_of(hangar).retrieval.limit == 3


def test_two_runs_make_a_trend(cora: Persona, hangar: KnowledgeBase) -> None:
    golden(cora, hangar, "When are the flaps checked?", "flaps")
    url = reverse("base_evaluations", args=[hangar.pk])
    for _ in range(2):
        cora.client.post(url, {"what": "retrieval"})
        carry_out()
    page = cora.client.get(url).content.decode()
    assert "<polyline" in page
    assert "style=" not in page
