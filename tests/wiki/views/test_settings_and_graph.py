"""Settings of a wiki, its graph, and taking it out and in."""

from __future__ import annotations

import io
import zipfile

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from knowledge.models import KnowledgeBase
from tests.factories.knowledge import make_base
from tests.factories.wiki import make_wiki
from tests.personas import Persona
from wiki.models import WikiPage, WikiSettings

VALID = {
    "review": "all",
    "required_approvals": "2",
    "auto_approve": "typos",
    "build_mode": "manual",
    "granularity": "focused",
    "model_id": "",
    "language": "de",
    "batch_size": "5",
    "map_parallel": "10",
    "reduce_parallel": "10",
    "keep_pipeline_revisions": "50",
    "keep_revisions": "200",
}


def test_settings_are_kept_and_wrong_ones_named(base: KnowledgeBase, olivia: Persona) -> None:
    address = reverse("wiki_settings", args=[base.pk])
    wrong = olivia.client.post(address, {**VALID, "required_approvals": "9"})
    assert wrong.status_code == 422
    rules = wrong.context["form"].fields["auto_approve"].choices
    sent = {**VALID, "auto_approve": rules[0][0]}
    assert olivia.client.post(address, sent).status_code == 302
    row = WikiSettings.objects.get(base=base)
    assert (row.review, row.required_approvals, row.language) == ("all", 2, "de")
    assert row.auto_approve == [rules[0][0]]


def test_wiki_that_is_off_is_met_by_nobody_and_comes_back(
    harbour: WikiPage, olivia: Persona
) -> None:
    base_id = harbour.base_id
    olivia.client.post(reverse("wiki_settings", args=[base_id]), {"action": "off"})
    page = reverse("wiki_page", args=[base_id, harbour.slug])
    assert olivia.client.get(page).status_code == 404
    olivia.client.post(reverse("wiki_switch", args=[base_id]))
    assert olivia.client.get(page).status_code == 200


def test_graph_draws_links_around_a_page(harbour: WikiPage, victor: Persona) -> None:
    address = reverse("wiki_graph", args=[harbour.base_id])
    whole = victor.client.get(address).context["graph_data"]
    assert [node["name"] for node in whole["nodes"]] == ["Crane", "Harbour"]
    assert whole["lines"] == [{"from": 1, "to": 0}]
    around = victor.client.get(address, {"center": "entity/crane", "depth": "1"})
    assert around.context["drawn"] == 2
    card = victor.client.get(whole["nodes"][0]["card"]).content.decode()
    assert "Pages that lead here" in card
    assert "Harbour" in card


def test_wiki_is_taken_out_and_into_another_base(harbour: WikiPage, olivia: Persona) -> None:
    archive = olivia.client.get(reverse("wiki_export", args=[harbour.base_id]))
    content = b"".join(archive.streaming_content)  # type: ignore[attr-defined]
    assert len(zipfile.ZipFile(io.BytesIO(content)).namelist()) >= 2
    one = olivia.client.get(reverse("wiki_page_export", args=[harbour.base_id, harbour.pk]))
    assert "one crane" in one.content.decode()
    other = make_base(olivia.space, name="Copy", created_by=olivia.user)
    make_wiki(other)
    sent = {"file": SimpleUploadedFile("wiki.zip", content)}
    response = olivia.client.post(reverse("wiki_import", args=[other.pk]), sent, follow=True)
    assert "2 new" in response.content.decode()
    copied = WikiPage.objects.get(base=other, slug=harbour.slug)
    assert copied.content == harbour.content
