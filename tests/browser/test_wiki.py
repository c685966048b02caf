"""The wiki in a browser: read, write, compare, roll back, look at the graph; wide and narrow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from knowledge.models import Chunk, KnowledgeBase
from tests.browser.conftest import OpenPage, problems_of_pages
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.models import WikiFolder, WikiPage
from wiki.pages.sources import store_sources
from wiki.services.pages import edit_page
from wiki.text.sentences import split_sentences

pytestmark = [pytest.mark.browser, pytest.mark.django_db]

TIDES = """The harbour master keeps the tide table. High water comes about every twelve hours, see
[[entity/crane|the crane]] and [[concept/lantern]].

## Low water

Ships wait outside when the water is lower than four metres.

| Month | Low water | Keeper |
|---|--:|---|
| May | 3.9 m | [[entity/crane|Crane crew]] |
| June | 4.1 m | 港口主管 |

## Storms

- The gate closes at force nine.
- Nobody crosses the bridge.

### Bells

Three bells mean that the gate is shut.
"""


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    """A wiki with folders, links, sources and a history."""
    cache.clear()
    made = make_base(olivia.space, name="Harbour handbook", created_by=olivia.user)
    make_wiki(made)
    with olivia.scope():
        yield made


@pytest.fixture
def tides(base: KnowledgeBase, olivia: Persona) -> WikiPage:
    """A page with three revisions and sources, among others."""
    fields = {"space": olivia.space, "base": base}
    water = WikiFolder.objects.create(**fields, name="Water", path="Water")
    WikiFolder.objects.create(**fields, name="Tides", path="Water/Tides", parent=water, depth=2)
    make_page(base, slug="entity/crane", title="Crane", content="It lifts; see [[concept/tides]].")
    for n in range(24):
        make_page(base, slug=f"concept/berth-{n}", title=f"Berth {n}", content="[[concept/tides]]")
    first = TIDES.replace("twelve", "eleven").replace("### Bells\n", "")
    page = make_page(
        base, slug="concept/tides", title="Tides", content=first, by=olivia.user, folder=water
    )
    edit_page(
        olivia.actor,
        page.pk,
        on_version=1,
        content=TIDES.replace("four metres", "five metres"),
        summary="When ships come in.",
        aliases=["Tide table", "Low and high water"],
        reason="Measured anew in spring",
    )
    edit_page(olivia.actor, page.pk, on_version=2, content=TIDES)
    document = make_document(
        base,
        name="tide table of the harbour.txt",
        texts=["High water comes about every twelve hours.", "Four metres are asked for."],
    )
    chunks = list(Chunk.objects.filter(document=document).order_by("position"))
    page.refresh_from_db()
    sentences = split_sentences(page.content)
    store_sources(
        page, {sentences[1].hash: [chunks[0].pk], sentences[2].hash: [each.pk for each in chunks]}
    )
    return page


def html(persona: Persona, name: str, *args: object, query: str = "") -> str:
    response = persona.client.get(f"{reverse(name, args=args)}{query}")
    return str(response.content.decode())


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_sound(
    base: KnowledgeBase,
    tides: WikiPage,
    olivia: Persona,
    open_page: OpenPage,
    page: Page,
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    this = (base.pk, tides.pk)
    pages = {
        "wiki-bases": html(olivia, "wikis"),
        "wiki-index": html(olivia, "wiki_index", base.pk),
        "wiki-search": html(olivia, "wiki_index", base.pk, query="?q=water"),
        "wiki-page": html(olivia, "wiki_page", base.pk, tides.slug),
        "wiki-missing": html(olivia, "wiki_page", base.pk, "concept/fog"),
        "wiki-edit": html(olivia, "wiki_edit", *this),
        "wiki-new": html(olivia, "wiki_new", base.pk),
        "wiki-history": html(olivia, "wiki_history", *this),
        "wiki-compare": html(olivia, "wiki_compare", *this, query="?from=1&to=3"),
        "wiki-compare-read": html(olivia, "wiki_compare", *this, query="?from=1&to=3&view=read"),
        "wiki-revision": html(olivia, "wiki_revision", *this, 1),
        "wiki-blame": html(olivia, "wiki_blame", *this),
        "wiki-graph": html(olivia, "wiki_graph", base.pk),
        "wiki-settings": html(olivia, "wiki_settings", base.pk),
        "wiki-trash": html(olivia, "wiki_trash", base.pk),
    }

    def settle(name: str) -> None:
        if name == "wiki-graph" and width > 560:
            expect(page.locator("[data-wiki-graph][data-settled]")).to_be_visible(timeout=30_000)

    found = problems_of_pages(pages, open_page, page, width=width, theme=theme, prepare=settle)
    assert found == []


def test_source_of_a_sentence_opens_beside_it(
    base: KnowledgeBase, tides: WikiPage, olivia: Persona, open_page: OpenPage, page: Page
) -> None:
    open_page(html(olivia, "wiki_page", base.pk, tides.slug))
    page.locator(".wiki-prose a.cite").first.click()
    expect(page.locator("#cite-pop")).to_contain_text("High water comes about every twelve hours.")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Storms").click()
    assert page.url.endswith("#p-storms")


def test_page_is_moved_in_the_tree_by_pointer_and_by_menu(
    base: KnowledgeBase, tides: WikiPage, olivia: Persona, open_page: OpenPage, page: Page
) -> None:
    open_page(html(olivia, "wiki_index", base.pk))
    berth = page.locator(".wiki-tree").get_by_role("link", name="Berth 0")
    berth.drag_to(page.locator("summary", has_text="Water"))
    expect(page.locator("#wiki-move-dialog")).to_contain_text("Move “Berth 0” to Water?")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Actions for the folder Water").click()
    page.get_by_role("button", name="Move to…").click()
    expect(page.locator("#wiki-move-to [data-subject]")).to_have_text("Water")


def test_editor_completes_links_previews_and_keeps_drafts(
    base: KnowledgeBase, tides: WikiPage, olivia: Persona, open_page: OpenPage, page: Page
) -> None:
    drafts: list[tuple[bytes, str]] = []
    written = f"{TIDES}New: [[entity/crane|Crane]] **stands**"
    options = html(olivia, "wiki_complete", base.pk, query="?q=cra")
    shown = olivia.client.post(reverse("wiki_preview", args=[base.pk]), {"content": written})

    def keep(route: Route) -> None:
        request = route.request
        drafts.append((request.post_data_buffer or b"", request.headers["content-type"]))
        route.fulfill(body="<span>Draft saved 10:51.</span>")

    page.route("**/wiki/*/complete/**", lambda route: route.fulfill(body=options))
    page.route("**/wiki/*/draft/", keep)
    page.route("**/wiki/*/preview/", lambda route: route.fulfill(body=shown.content))
    open_page(html(olivia, "wiki_edit", base.pk, tides.pk))
    box = page.get_by_label("Text", exact=True)
    box.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("New: [[cra")
    expect(page.get_by_role("option", name="Crane")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.type(" **stands**")
    assert box.input_value() == written
    expect(page.locator("[data-draft-line]")).to_contain_text("Draft saved", timeout=10_000)
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#wiki-preview a.wiki-link").last).to_have_text("Crane")
    expect(page.locator("#wiki-preview strong")).to_have_text("stands")
    sent, kind = drafts[-1]
    olivia.client.post(reverse("wiki_draft", args=[base.pk]), data=sent, content_type=kind)
    open_page(html(olivia, "wiki_edit", base.pk, tides.pk))
    expect(page.get_by_role("link", name="Restore your draft")).to_be_visible()
    open_page(html(olivia, "wiki_edit", base.pk, tides.pk, query="?draft=restore"))
    assert page.get_by_label("Text", exact=True).input_value() == written


def test_pasted_picture_is_put_into_the_text(
    base: KnowledgeBase, tides: WikiPage, olivia: Persona, open_page: OpenPage, page: Page
) -> None:
    answer = json.dumps({"markdown": "![crane](/wiki/x/pictures/1)"})
    page.route(
        "**/wiki/*/pictures/", lambda r: r.fulfill(body=answer, content_type="application/json")
    )
    open_page(html(olivia, "wiki_new", base.pk))
    page.get_by_label("Text", exact=True).focus()
    page.evaluate("""() => {
      const data = new DataTransfer();
      data.items.add(new File(["x"], "crane.png", {type: "image/png"}));
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
    }""")
    expect(page.get_by_label("Text", exact=True)).to_have_value("![crane](/wiki/x/pictures/1)")


def test_comparison_switches_jumps_and_rolls_back(
    base: KnowledgeBase, tides: WikiPage, olivia: Persona, open_page: OpenPage, page: Page
) -> None:
    open_page(html(olivia, "wiki_compare", base.pk, tides.pk, query="?from=1&to=3"))
    expect(page.locator(".split-only del").first).to_have_text("eleven")
    expect(page.locator(".inline-only")).to_be_hidden()
    page.get_by_role("button", name="In one column").click()
    expect(page.locator(".inline-only ins").first).to_have_text("twelve")
    expect(page.locator(".split-only")).to_be_hidden()
    page.keyboard.press("n")
    page.get_by_role("button", name="Roll back to 1").click()
    dialog = page.locator("#roll-back")
    expect(dialog).to_contain_text("A new revision is made")
    address = dialog.locator("form").get_attribute("action")
    assert address == reverse("wiki_restore", args=[base.pk, tides.pk, 1])
    olivia.client.post(address, {"version": "3", "reason": "Wrong table"})
    tides.refresh_from_db()
    assert tides.version == 4
    assert tides.content == tides.revisions.get(number=1).content


def test_graph_chooses_a_page_and_hides_kinds(
    base: KnowledgeBase, tides: WikiPage, olivia: Persona, open_page: OpenPage, page: Page
) -> None:
    card = html(olivia, "wiki_graph_card", base.pk, query=f"?page={tides.pk}")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.route("**/graph/card/**", lambda route: route.fulfill(body=card))
    open_page(html(olivia, "wiki_graph", base.pk))
    expect(page.locator("[data-wiki-graph][data-settled]")).to_be_visible(timeout=30_000)
    found = page.evaluate("""() => {
      const canvas = document.querySelector("canvas");
      for (let y = 5; y < canvas.clientHeight; y += 10)
        for (let x = 5; x < canvas.clientWidth; x += 10) {
          canvas.dispatchEvent(new PointerEvent("pointermove", {clientX: 0, clientY: 0}));
          const box = canvas.getBoundingClientRect();
          canvas.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + x, clientY: box.top + y}));
          if (canvas.classList.contains("is-over")) return {x, y};
        }
      return null;
    }""")
    page.locator("canvas").click(position=found)
    expect(page.locator("#wiki-graph-card h3")).to_have_text("Tides")
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator("[data-wiki-graph]")).to_be_hidden()
    expect(page.get_by_role("link", name="Crane", exact=True)).to_be_visible()
