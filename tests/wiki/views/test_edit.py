"""Writing pages: publish, propose, drafts, conflicts, preview, completion, pictures."""

from __future__ import annotations

import io
from datetime import timedelta

from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from PIL import Image

from knowledge.models import KnowledgeBase
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.models import WikiDraft, WikiPage, WikiSettings
from wiki.services.pages import edit_page

BODY = "One.\n\nTwo.\n\nThree.\n\nFour.\n"


def editor(page: WikiPage) -> str:
    return reverse("wiki_edit", args=[page.base_id, page.pk])


def typed(page: WikiPage, **changes: str) -> dict[str, str]:
    return {
        "action": "publish",
        "version": str(page.version),
        "title": page.title,
        "kind": page.kind,
        "status": "published",
        "content": page.content,
        **changes,
    }


def test_edit_is_published_with_its_reason(harbour: WikiPage, olivia: Persona) -> None:
    sent = typed(harbour, content="New text.\r\nMore.", reason="It moved")
    response = olivia.client.post(editor(harbour), sent)
    assert response.status_code == 302
    harbour.refresh_from_db()
    assert (harbour.version, harbour.content) == (2, "New text.\nMore.")
    assert harbour.revisions.get(number=2).reason == "It moved"


def test_viewer_and_review_of_all_make_change_requests(
    base: KnowledgeBase, harbour: WikiPage, olivia: Persona, victor: Persona
) -> None:
    assert "Hand in for review" in victor.client.get(editor(harbour)).content.decode()
    victor.client.post(editor(harbour), typed(harbour, content="Mine."))
    olivia.client.post(editor(harbour), typed(harbour, content="Asked.", action="propose"))
    WikiSettings.objects.update(review="all")
    assert "Hand in for review" in olivia.client.get(editor(harbour)).content.decode()
    harbour.refresh_from_db()
    assert (harbour.version, harbour.changes.count()) == (1, 2)


def test_new_page_gets_its_address_and_its_draft_goes(base: KnowledgeBase, olivia: Persona) -> None:
    draft_url = reverse("wiki_draft", args=[base.pk])
    kept = olivia.client.post(draft_url, {"title": "Grey heron", "is_changed": "1"})
    assert "Draft saved" in kept.content.decode()
    draft = WikiDraft.objects.get()
    address = reverse("wiki_new", args=[base.pk])
    assert "Grey heron" in olivia.client.get(address).content.decode()
    assert 'value="Grey heron"' in olivia.client.get(f"{address}?draft={draft.pk}").content.decode()
    sent = {"title": "Grey heron", "kind": "entity", "status": "published", "draft": str(draft.pk)}
    olivia.client.post(address, {**sent, "content": "A bird."})
    assert WikiPage.objects.get(base=base).slug == "entity/grey-heron"
    assert not WikiDraft.objects.exists()


def test_draft_is_offered_restored_and_discarded(harbour: WikiPage, olivia: Persona) -> None:
    fields = {"content": "Half a sen", "title": "Port", "is_changed": "1"}
    sent = {"page": str(harbour.pk), "version": "1", **fields}
    olivia.client.post(reverse("wiki_draft", args=[harbour.base_id]), sent)
    assert "Restore your draft" in olivia.client.get(editor(harbour)).content.decode()
    restored = olivia.client.get(editor(harbour), {"draft": "restore"}).content.decode()
    assert "\nHalf a sen</textarea>" in restored
    olivia.client.post(editor(harbour), {"action": "discard"})
    assert not WikiDraft.objects.exists()


def test_editor_says_who_else_writes_for_a_minute(
    harbour: WikiPage, olivia: Persona, adam: Persona
) -> None:
    beat = {"page": str(harbour.pk), "version": "1"}
    adam.client.post(reverse("wiki_draft", args=[harbour.base_id]), beat)
    assert "Adam is writing here, too." in olivia.client.get(editor(harbour)).content.decode()
    assert "Restore" not in adam.client.get(editor(harbour)).content.decode()
    WikiDraft.objects.update(seen_at=timezone.now() - timedelta(seconds=61))
    assert "Adam is writing" not in olivia.client.get(editor(harbour)).content.decode()


def test_conflict_shows_both_joins_them_or_overwrites(
    base: KnowledgeBase, olivia: Persona, adam: Persona
) -> None:
    page = make_page(base, content=BODY)
    edit_page(adam.actor, page.pk, on_version=1, content=BODY.replace("One", "Uno"), reason="Ok")
    mine = typed(page, content=BODY.replace("Four", "Vier"), version="1")
    conflict = olivia.client.post(editor(page), mine)
    html = conflict.content.decode()
    assert conflict.status_code == 409
    assert "Adam published revision 2 while you were writing." in html
    assert WikiDraft.objects.get().fields["content"] == mine["content"]
    joined = olivia.client.post(editor(page), {**mine, "action": "merge"}).content.decode()
    assert "\nUno.\n\nTwo.\n\nThree.\n\nVier.\n</textarea>" in joined
    assert 'name="version" value="2"' in joined
    olivia.client.post(editor(page), {**mine, "version": "2"})
    page.refresh_from_db()
    assert (page.version, page.content) == (3, mine["content"])
    assert not WikiDraft.objects.exists()


def test_places_that_both_changed_must_be_decided(
    base: KnowledgeBase, olivia: Persona, adam: Persona
) -> None:
    page = make_page(base, content=BODY)
    edit_page(adam.actor, page.pk, on_version=1, content=BODY.replace("One", "Uno"))
    mine = typed(page, content=BODY.replace("One", "Eins"), version="1", action="merge")
    joined = olivia.client.post(editor(page), mine).content.decode()
    assert "1 place was changed by both" in joined
    assert "&lt;&lt;&lt;&lt;&lt;&lt;&lt; yours" in joined
    marked = "<<<<<<< yours\nEins.\n=======\nUno.\n>>>>>>> revision 2\n"
    left = olivia.client.post(editor(page), typed(page, content=marked, version="2"))
    assert left.status_code == 422
    assert "are left of a merge" in left.content.decode()


def test_preview_is_what_the_page_shows(harbour: WikiPage, olivia: Persona) -> None:
    address = reverse("wiki_preview", args=[harbour.base_id])
    html = olivia.client.post(address, {"content": harbour.content}).content.decode()
    page = reverse("wiki_page", args=[harbour.base_id, harbour.slug])
    assert html.strip() in olivia.client.get(page).content.decode()


def test_completion_finds_by_title_and_other_name(harbour: WikiPage, victor: Persona) -> None:
    WikiPage.objects.filter(slug="entity/crane").update(aliases=["Big lift"])
    address = reverse("wiki_complete", args=[harbour.base_id])
    html = victor.client.get(address, {"q": "big li"}).content.decode()
    assert 'data-slug="entity/crane" data-title="Crane"' in html
    assert "No page of this name" in victor.client.get(address, {"q": "zzz"}).content.decode()


def test_picture_is_written_anew_and_closed_to_strangers(
    base: KnowledgeBase, olivia: Persona, mallory: Persona
) -> None:
    target = io.BytesIO()
    gradient = Image.radial_gradient("L").resize((120, 90))
    gradient.save(target, "PNG")
    address = reverse("wiki_pictures", args=[base.pk])
    sent = SimpleUploadedFile("my [crane].png", target.getvalue(), content_type="image/png")
    answer = olivia.client.post(address, {"file": sent}).json()
    assert answer["markdown"].startswith("![my  crane](/wiki/")
    url = answer["markdown"].partition("(")[2].rstrip(")")
    shown = olivia.client.get(url)
    assert (shown["Content-Type"], shown.content[:4]) == ("image/webp", b"RIFF")
    assert mallory.client.get(url).status_code == 404
    script = SimpleUploadedFile("x.png", b"<svg onload=alert(1)>" * 60, content_type="image/png")
    assert olivia.client.post(address, {"file": script}).status_code == 422
