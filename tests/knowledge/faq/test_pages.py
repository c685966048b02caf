"""The pages of entries, through the browser's requests."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from core.tenancy import space_scope
from knowledge.models import Document, FaqEntry, FaqImport, KnowledgeBase, Tag
from tests.knowledge.faq.conftest import index, make_entry
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


def form(**fields: Any) -> dict[str, Any]:
    return {
        "standard_question": "How do I pay?",
        "answers": ["By card."],
        "strategy": "all",
        "is_enabled": "on",
        "is_recommended": "on",
        **fields,
    }


def test_an_empty_base_teaches_and_its_address_leads_here(
    cora: Persona, faq: KnowledgeBase
) -> None:
    response = cora.client.get(reverse("base", args=[faq.pk]), follow=True)
    assert response.redirect_chain[-1][0] == reverse("faq", args=[faq.pk])
    assert "No entry yet" in response.content.decode()


def test_an_entry_is_made_in_the_panel_and_the_table_is_told(
    cora: Persona, faq: KnowledgeBase
) -> None:
    address = reverse("faq_new", args=[faq.pk])
    data = form(similar_questions="Payment\nCard?", answers=["By card.", "In cash."])
    response = cora.client.post(address, data, headers=HTMX)
    assert (response.status_code, response.content) == (200, b"")
    assert "documents" in response.headers["HX-Trigger"]
    entry = FaqEntry.objects.get()
    assert entry.similar_questions == ["Payment", "Card?"]
    assert entry.answers == ["By card.", "In cash."]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"answers": ["", " "]}, "needs an answer"),
        ({"similar_questions": "how do i pay"}, "is the standard question itself"),
        ({"standard_question": "taken"}, "Entry 1 already asks"),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    cora: Persona, faq: KnowledgeBase, fields: dict[str, Any], says: str
) -> None:
    make_entry(cora, faq, "Taken?")
    response = cora.client.post(reverse("faq_new", args=[faq.pk]), form(**fields), headers=HTMX)
    assert response.status_code == 422
    assert says in response.content.decode()


def test_who_saves_an_older_version_is_told_on_the_page(cora: Persona, faq: KnowledgeBase) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    address = reverse("faq_entry", args=[entry.pk])
    cora.client.post(address, form(version=1, answers=["One."]), headers=HTMX)
    response = cora.client.post(address, form(version=1, answers=["Two."]), headers=HTMX)
    assert response.status_code == 422
    assert "changed this entry in the meantime" in response.content.decode()


def test_a_question_of_another_entry_is_hinted_at_while_writing(
    cora: Persona, faq: KnowledgeBase
) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    address = reverse("faq_hints", args=[faq.pk])
    hint = cora.client.post(address, {"standard_question": "how do I PAY"}).content.decode()
    assert reverse("faq_entry", args=[entry.pk]) in hint
    own = {"standard_question": "how do I PAY", "entry": str(entry.pk)}
    assert "is asked by" not in cora.client.post(address, own).content.decode()


def test_a_switch_sends_its_row(cora: Persona, faq: KnowledgeBase) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    response = cora.client.post(reverse("faq_switch", args=[entry.pk]), {"field": "enabled"})
    assert (
        response.content.decode().lstrip().startswith(f'<tr id="entry-{entry.pk}" class="is-off"')
    )
    entry.refresh_from_db()
    assert not entry.is_enabled


def test_many_are_deleted_and_brought_back(cora: Persona, faq: KnowledgeBase) -> None:
    for question in ("One?", "Two?", "Three?"):
        make_entry(cora, faq, question)
    bulk = reverse("faq_bulk", args=[faq.pk])
    page = cora.client.post(
        bulk, {"action": "delete", "all": "1", "query": "q=t"}, follow=True
    ).content.decode()
    assert "2 entries were deleted" in page
    with space_scope(faq.space_id):
        ids = list(FaqEntry.objects.filter(trashed_at__isnull=False).values_list("pk", flat=True))
    cora.client.post(reverse("faq_restore", args=[faq.pk]), {"entry": ids})
    assert not FaqEntry.objects.filter(trashed_at__isnull=False).exists()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"action": "disable"}, {"is_enabled": False}),
        ({"action": "hold_back"}, {"is_recommended": False}),
        ({"action": "strategy", "strategy": "random"}, {"answer_strategy": "random"}),
        ({"action": "tag", "tag": "Money"}, {"tag__name": "Money"}),
    ],
    ids=lambda value: str(value)[:30],
)
def test_chosen_entries_are_changed(
    cora: Persona, faq: KnowledgeBase, data: dict[str, str], expected: dict[str, Any]
) -> None:
    Tag.objects.create(space_id=faq.space_id, base=faq, name="Money")
    entry = make_entry(cora, faq, "One?")
    make_entry(cora, faq, "Two?")
    cora.client.post(reverse("faq_bulk", args=[faq.pk]), {**data, "entry": [str(entry.pk)]})
    assert FaqEntry.objects.filter(**expected).get() == entry


def test_a_file_is_imported_and_its_result_shown(cora: Persona, faq: KnowledgeBase) -> None:
    content = b"Question,Answer\nPay?,By card.\nNo answer,\n"
    data = {"file": SimpleUploadedFile("e.csv", content), "mode": "append"}
    page = cora.client.post(reverse("faq_import", args=[faq.pk]), data, follow=True)
    assert "Waiting for a worker" in page.content.decode()
    index()
    row = FaqImport.objects.get()
    panel = cora.client.get(reverse("faq_import_one", args=[row.pk]), headers=HTMX)
    assert "1 added" in panel.content.decode()
    assert "1 failed" in panel.content.decode()
    failed = cora.client.get(reverse("faq_import_problems", args=[row.pk])).content.decode()
    assert "An entry needs an answer." in failed


def test_entries_leave_as_a_file(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "=Pay?", "By card.")
    response = cora.client.get(reverse("faq_export", args=[faq.pk]), {"type": "csv"})
    content = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]  # of a FileResponse
    assert content.startswith("\ufeffTag,Standard question")
    assert "'=Pay?" in content
    assert "attachment" in response.headers["Content-Disposition"]


def test_the_search_test_shows_score_kind_and_question(cora: Persona, faq: KnowledgeBase) -> None:
    make_entry(cora, faq, "How do I pay?", "By card.", similar_questions=("Payment",))
    index()
    page = cora.client.get(reverse("faq_search", args=[faq.pk]), {"question": "payment!"})
    text = page.content.decode()
    assert "The same question" in text
    assert "matched “Payment”" in text
    assert "1.000" in text


def test_a_viewer_reads_and_has_nothing_to_change(
    cora: Persona, victor: Persona, faq: KnowledgeBase
) -> None:
    entry = make_entry(cora, faq, "How do I pay?", "By card.")
    table = victor.client.get(reverse("faq", args=[faq.pk])).content.decode()
    assert "How do I pay?" in table
    assert "data-bulk-one" not in table
    page = victor.client.get(reverse("faq_entry", args=[entry.pk])).content.decode()
    assert "By card." in page
    assert "data-faq-form" not in page


def test_a_citation_leads_to_the_entry(cora: Persona, faq: KnowledgeBase) -> None:
    entry = make_entry(cora, faq, "How do I pay?")
    index()
    document = Document.objects.get()
    address = reverse("document", args=[document.pk])
    found = cora.client.get(address, {"chunk": str(document.chunks.get().pk)})
    assert found.headers["Location"] == reverse("faq_entry", args=[entry.pk])


def test_other_settings_index_anew(cora: Persona, faq: KnowledgeBase) -> None:
    entry = make_entry(cora, faq, "How do I pay?", "By card.")
    index()
    address = reverse("base_settings", args=[faq.pk])
    page = cora.client.get(address).content.decode()
    assert "Only questions" in page
    data = {"name": faq.name, "faq_index_mode": "question_only", "faq_question_index": "combined"}
    assert cora.client.post(address, data).status_code == 302
    index()
    assert entry.chunks.get().detail["indexed_as"] == "How do I pay?"


def test_a_base_of_entries_takes_no_document(cora: Persona, faq: KnowledgeBase) -> None:
    upload = {"file": SimpleUploadedFile("e.txt", b"text")}
    response = cora.client.post(reverse("base_upload", args=[faq.pk]), upload)
    assert b"import the file there" in response.content or response.status_code in (302, 400)
    assert not Document.objects.filter(base=faq).exclude(source="faq").exists()
