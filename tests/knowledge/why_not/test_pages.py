"""The pages of missing passages, recorded searches and two settings side by side, as people use them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from knowledge.access.restrict import Place, restrict
from knowledge.base_settings import base_settings_of
from knowledge.constants import DocumentState
from knowledge.models import Chunk, Document, KnowledgeBase, SearchRecord
from tests.factories.knowledge import make_document
from tests.knowledge.search_models import WordModel, add_document
from tests.personas import Persona

pytestmark = pytest.mark.django_db
QUESTION = "What is the notice period of consultants?"
PASSAGE = "The notice period of consultants is two weeks to the end of a month."
LUNCH = "Lunch is served at noon by the canteen, and consultants pay for it."


@pytest.fixture
def notice(base: KnowledgeBase, words: WordModel) -> Document:
    """The document that answers; another one stands beside it."""
    cache.clear()
    add_document(base, LUNCH, name="lunch.txt", model=words)
    return add_document(base, PASSAGE, name="notice.txt", model=words)


def explain(client: Client, base_id: UUID, **asked: Any) -> str:
    response = client.post(reverse("base_why_not", args=[base_id]), asked)
    assert response.status_code == 200
    return response.content.decode()


def stage_of(html: str) -> str:
    return html.partition('data-stage="')[2].partition('"')[0]


def test_a_viewer_sees_that_a_passage_is_found_and_no_button_to_change_it(
    victor: Persona, notice: Document
) -> None:
    html = explain(victor.client, notice.base_id, question=QUESTION, text=PASSAGE.upper())
    assert stage_of(html) == "found"
    assert (
        reverse("chunk_questions", args=[notice.pk, Chunk.objects.get(document=notice).pk])
        not in html
    )


def test_a_switched_off_passage_is_switched_on_with_one_click(
    olivia: Persona, notice: Document
) -> None:
    chunk = Chunk.objects.get(document=notice)
    Chunk.objects.filter(pk=chunk.pk).update(is_enabled=False)
    html = explain(olivia.client, notice.base_id, question=QUESTION, text=PASSAGE)
    assert stage_of(html) == "disabled"
    url = reverse("chunk_switch", args=[notice.pk, chunk.pk])
    assert f'action="{url}"' in html
    assert olivia.client.post(url, {"enabled": "1"}).status_code == 302
    html = explain(olivia.client, notice.base_id, question=QUESTION, text=PASSAGE)
    assert stage_of(html) == "found"


def test_what_was_expected_becomes_a_golden_question(
    victor: Persona, olivia: Persona, notice: Document
) -> None:
    chunk = Chunk.objects.get(document=notice)
    Chunk.objects.filter(pk=chunk.pk).update(is_enabled=False)
    html = explain(olivia.client, notice.base_id, question=QUESTION, text=PASSAGE)
    url = f"{reverse('golden_new', args=[notice.base_id])}?{urlencode({'question': QUESTION})}"
    address = f"{url}&expected=chunk:{chunk.pk}"
    assert address.replace("+", "%20").replace("&", "&amp;") in html
    form = olivia.client.get(address).content.decode()
    assert QUESTION in form
    assert "notice.txt" in form
    html = explain(victor.client, notice.base_id, question=QUESTION, text=PASSAGE)
    assert reverse("golden_new", args=[notice.base_id]) not in html


def test_a_restricted_passage_is_nowhere_for_whom_it_is_closed_to(
    olivia: Persona, victor: Persona, notice: Document
) -> None:
    restrict(
        olivia.actor,
        Place(base_id=notice.base_id, document_id=notice.pk),
        user_ids=[olivia.user.pk],
        group_ids=[],
    )
    html = explain(victor.client, notice.base_id, question=QUESTION, text=PASSAGE)
    assert stage_of(html) == "no_text"
    assert "notice.txt" not in html
    asked = {"question": QUESTION, "text": PASSAGE, "user": str(victor.user.pk)}
    html = explain(olivia.client, notice.base_id, **asked)
    assert stage_of(html) == "not_permitted"
    assert reverse("document_access", args=[notice.pk]) in html


def test_only_who_may_share_the_base_asks_for_another_person(
    olivia: Persona, cora: Persona, notice: Document
) -> None:
    url = reverse("base_why_not", args=[notice.base_id])
    assert 'name="user"' in olivia.client.get(url).content.decode()
    assert 'name="user"' not in cora.client.get(url).content.decode()
    chunk = Chunk.objects.get(document=notice)
    asked = {"question": QUESTION, "chunk": str(chunk.pk), "user": str(olivia.user.pk)}
    html = explain(cora.client, notice.base_id, **asked)
    assert stage_of(html) == "found"  # the field is not there for her: it is her own search


def test_a_document_is_named_and_several_are_asked_about(
    olivia: Persona, base: KnowledgeBase, notice: Document
) -> None:
    make_document(base, name="scan.pdf", state=DocumentState.FAILED, reason="The file is damaged.")
    html = explain(olivia.client, base.pk, question=QUESTION, name="scan")
    assert stage_of(html) == "failed"
    assert "The file is damaged." in html
    html = explain(olivia.client, base.pk, question=QUESTION, name=".txt")
    assert f"document={notice.pk}" in html
    assert "No document has this in its name." in explain(olivia.client, base.pk, name="nothing")


def test_the_explanation_itself_is_no_recorded_search(olivia: Persona, notice: Document) -> None:
    explain(olivia.client, notice.base_id, question=QUESTION, text=PASSAGE)
    assert not SearchRecord.objects.exists()


def test_without_anything_named_it_says_what_to_do(olivia: Persona, notice: Document) -> None:
    assert "Paste the passage" in explain(olivia.client, notice.base_id, question=QUESTION)


def test_a_recorded_search_is_opened_with_its_stages_and_leads_to_the_explanation(
    olivia: Persona, victor: Persona, cora: Persona, notice: Document
) -> None:
    asked = {"question": QUESTION, "limit": "1", "rerank": "never"}
    victor.client.get(reverse("base_search", args=[notice.base_id]), asked)
    row = SearchRecord.objects.get()
    listed = olivia.client.get(reverse("base_searches", args=[notice.base_id])).content.decode()
    assert reverse("search_record", args=[notice.base_id, row.pk]) in listed
    page = olivia.client.get(
        reverse("search_record", args=[notice.base_id, row.pk])
    ).content.decode()
    assert "lunch.txt" in page
    assert "Victor" not in page.partition("<main")[2]
    lost = Chunk.objects.get(document__name="lunch.txt")
    url = f"{reverse('base_why_not', args=[notice.base_id])}?search={row.pk}&chunk={lost.pk}"
    assert url.replace("&", "&amp;") in page
    assert stage_of(olivia.client.get(url).content.decode()) == "limit"
    assert (
        cora.client.get(reverse("search_record", args=[notice.base_id, row.pk])).status_code == 404
    )
    assert cora.client.get(url).status_code == 404


def test_the_list_is_narrowed_to_searches_without_an_answer(
    victor: Persona, base: KnowledgeBase, words: WordModel
) -> None:
    cache.clear()
    victor.client.get(reverse("base_search", args=[base.pk]), {"question": "anything?"})
    url = reverse("base_searches", args=[base.pk])
    assert "anything?" in victor.client.get(url, {"result": "nothing"}).content.decode()
    assert "anything?" not in victor.client.get(url, {"door": "api"}).content.decode()


def test_two_settings_stand_side_by_side_with_what_moved(olivia: Persona, notice: Document) -> None:
    asked = {
        "question": QUESTION,
        "compare": "on",
        "limit": "2",
        "keyword_weight": "2",
        "rerank": "never",
        "b-limit": "1",
        "b-keyword_weight": "2",
        "b-rerank": "never",
    }
    html = olivia.client.get(reverse("base_search", args=[notice.base_id]), asked).content.decode()
    assert html.count('class="column"') == 2
    assert "not in B" in html
    assert SearchRecord.objects.count() == 2


def test_settings_are_made_the_bases_own_and_audited(olivia: Persona, notice: Document) -> None:
    search = reverse("base_search", args=[notice.base_id])
    html = olivia.client.get(search, {"question": QUESTION, "limit": "3"}).content.decode()
    url = reverse("base_search_default", args=[notice.base_id])
    assert f'action="{url}"' in html
    response = olivia.client.post(url, {"limit": "3", "next": search})
    assert (response.status_code, response["Location"]) == (302, search)
    base = KnowledgeBase.objects.get(pk=notice.base_id)
    assert base_settings_of(base).retrieval.limit == 3
    event = AuditEvent.objects.get(action="base.change")
    assert (event.details["before"], event.details["after"]) == ({"limit": 10}, {"limit": 3})


def test_a_setting_out_of_bounds_and_a_viewer_change_nothing(
    olivia: Persona, victor: Persona, notice: Document
) -> None:
    url = reverse("base_search_default", args=[notice.base_id])
    assert olivia.client.post(url, {"limit": "9000"}).status_code == 400
    assert victor.client.post(url, {"limit": "3"}).status_code == 403
    base = KnowledgeBase.objects.get(pk=notice.base_id)
    assert base_settings_of(base).retrieval.limit == 10


def test_the_limit_is_raised_from_the_explanation(olivia: Persona, notice: Document) -> None:
    olivia.client.post(reverse("base_search_default", args=[notice.base_id]), {"limit": "1"})
    html = explain(olivia.client, notice.base_id, question=QUESTION, name="lunch.txt")
    assert stage_of(html) == "limit"
    assert '<input type="hidden" name="limit" value="2">' in html
