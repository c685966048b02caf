"""A proposal's whole way in the browser, and its pages wide and narrow, light and dark.

No server runs: what the browser asks for is answered by the views in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from django.contrib.staticfiles import finders
from django.db import connections
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from knowledge.models import KnowledgeBase
from tests.browser.conftest import ORIGIN, POLICY, OpenPage, problems_of_pages
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_page, make_wiki, propose
from tests.personas import Persona
from wiki.changes.submitting import submit
from wiki.changes.talking import comment_change
from wiki.constants import AuthorKind
from wiki.models import WikiChange, WikiPage
from wiki.pages.writing import text_of
from wiki.text.sentences import sentence_hash
from wiki.values import Author, Edit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = """# Tides

The harbour has two tides a day. The gauge stands at pier 4 and is read at noon.

## Boats

The pilot boat lies at [[concept/berths|berth 9]].

The lamp was lit on 1 May 1901.
"""
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
Visit = Callable[[Persona, str], Page]


def ask(
    client: Client, method: str, path: str, body: bytes, content_type: str
) -> tuple[int, bytes]:
    """Return status and body of what the views answer, behind all redirections."""
    try:
        response = client.generic(method, path, body, content_type=content_type)
        while response.status_code in (301, 302):
            response = client.get(response.headers["Location"])
    finally:
        connections.close_all()
    return response.status_code, response.content


@pytest.fixture
def visit(page: Page) -> Visit:
    """Return a function that opens an address as a person; forms and links work from there."""
    who: list[Persona] = []

    def answer(route: Route) -> None:
        request = route.request
        path = request.url.removeprefix(ORIGIN)
        if path.startswith("/static/"):
            found = finders.find(path.partition("?")[0].removeprefix("/static/"))
            if found is None:
                route.fulfill(status=404)
                return
            file = Path(str(found))
            kind = KINDS.get(file.suffix, "application/octet-stream")
            route.fulfill(body=file.read_bytes(), content_type=kind)
            return
        # In a thread of its own, whose connection to the database is closed with it: this one belongs
        # to the browser's loop.
        with ThreadPoolExecutor(max_workers=1) as thread:
            status, body = thread.submit(
                ask,
                who[-1].client,
                request.method,
                path,
                request.post_data_buffer or b"",
                request.headers.get("content-type", ""),
            ).result()
        route.fulfill(
            status=status,
            body=body,
            content_type="text/html",
            headers={"Content-Security-Policy": POLICY},
        )

    def open_as(persona: Persona, path: str) -> Page:
        who.append(persona)
        page.goto(f"{ORIGIN}{path}")
        return page

    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    page.route(f"{ORIGIN}/**", answer)
    return open_as


@pytest.fixture
def base(olivia: Persona) -> Iterator[KnowledgeBase]:
    with olivia.scope():
        made = make_base(olivia.space, name="Harbour", created_by=olivia.user)
        make_wiki(made)
        yield made


@pytest.fixture
def tides(base: KnowledgeBase, olivia: Persona) -> WikiPage:
    return make_page(base, slug="concept/tides", title="Tides", content=TEXT, by=olivia.user)


def test_proposal_goes_its_whole_way(
    visit: Visit, tides: WikiPage, victor: Persona, olivia: Persona
) -> None:
    first = TEXT.replace("two tides", "2 tides")
    change = propose(victor.actor, tides, content=first, reason="Figures are shorter.")
    address = reverse("wiki_change", args=[tides.base_id, change.number])

    page = visit(olivia, address)
    page.locator(".split-only [data-comment-line]").first.click()
    expect(page.locator("[name=line]")).not_to_have_value("")
    page.fill("#comment-text", "Spell it out, please.")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_text("Spell it out, please.").first).to_be_visible()
    page.fill("#verdict-note", "Write numbers below ten as words.")
    page.get_by_role("button", name="Ask for changes").click()
    expect(page.locator(".change-aside .badge").first).to_have_text("Changes asked")

    page = visit(victor, address)
    page.get_by_role("link", name="Change and hand in").click()
    expect(page.get_by_text("Write numbers below ten as words.")).to_be_visible()
    page.fill("[name=content]", TEXT.replace("at pier 4", "at pier four"))
    page.get_by_role("button", name="Hand in for review").click()
    expect(page.locator(".change-aside .badge").first).to_have_text("In review")

    tides.refresh_from_db()
    meanwhile = replace(text_of(tides), content=TEXT.replace("at pier 4", "at pier 5"))
    author = Author(kind=AuthorKind.USER, user_id=olivia.user.pk)
    submit(olivia.actor, tides.base, tides, Edit(text=meanwhile, author=author), on_version=1)

    page = visit(olivia, address)
    expect(page.get_by_role("button", name="Approve and publish")).to_have_count(0)
    page.get_by_role("link", name="Merge both").click()
    page.wait_for_load_state("load")  # the script that marks the choice is there
    page.fill("[name=own-0]", "The harbour has two tides a day. The gauge stands at pier five.\n")
    expect(page.locator("[name=choice-0][value=own]")).to_be_checked()
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.locator(".change-aside .badge").first).to_have_text("In review")
    page.get_by_role("button", name="Approve and publish").click()
    expect(page.locator(".change-aside .badge").first).to_have_text("Published")
    tides.refresh_from_db()
    assert "at pier five." in tides.content
    assert tides.version == 3


def test_ticked_proposals_are_decided_together(
    visit: Visit, tides: WikiPage, victor: Persona, olivia: Persona
) -> None:
    for word in ("three", "four"):
        propose(victor.actor, tides, content=TEXT.replace("two", word))
    page = visit(olivia, reverse("wiki_changes", args=[tides.base_id]))
    reject = page.locator(".change-bar").get_by_role("button", name="Reject")
    expect(reject).to_be_disabled()
    page.get_by_text("All on this page").click()
    expect(page.get_by_text("2 chosen")).to_be_visible()
    reject.click()
    page.locator("#batch-reject").get_by_role("button", name="Reject").click()
    page.wait_for_selector("text=2 change requests were rejected")
    assert set(WikiChange.objects.values_list("state", flat=True)) == {"rejected"}


@pytest.fixture
def pages(tides: WikiPage, victor: Persona, olivia: Persona) -> dict[str, str]:
    """The pages' HTML: an agent's risky proposal, one that clashes, a list, the inbox."""
    base = tides.base
    new = "The flood gate closes at 5 metres."
    chunk = make_document(base, name="gates.md", texts=[new]).chunks.get()
    content = TEXT.replace("pier 4", "pier 5").replace("[[concept/berths|berth 9]]", "berth 9")
    content = content.replace("The lamp was lit on 1 May 1901.\n", f"{new}\n")
    edit = Edit(
        text=replace(text_of(tides), content=content, title="Tides and gates"),
        author=Author(kind=AuthorKind.AGENT, user_id=victor.user.pk),
        reason="The gauge was moved; the new gate is described in gates.md.",
        sources={sentence_hash(new): [chunk.pk]},
    )
    risky = submit(victor.actor, base, tides, edit, on_version=1).change
    assert risky is not None
    comment_change(olivia.actor, risky, text="Is the lamp gone, or only its date?", line=9)
    client = olivia.client

    def html(name: str, *args: object) -> str:
        return client.get(reverse(name, args=args)).content.decode()

    found = {"wiki-change": html("wiki_change", base.pk, 1)}
    propose(victor.actor, tides, content=TEXT.replace("pier 4", "pier 6"), reason="Moved again.")
    text = replace(text_of(tides), content=TEXT.replace("pier 4", "pier 7"))
    author = Author(kind=AuthorKind.USER, user_id=olivia.user.pk)
    submit(olivia.actor, base, tides, Edit(text=text, author=author), on_version=1)
    return {
        **found,
        "wiki-change-behind": html("wiki_change", base.pk, 2),
        "wiki-change-merge": html("wiki_change_merge", base.pk, 2),
        "wiki-change-edit": html("wiki_change_edit", base.pk, 2),
        "wiki-changes": html("wiki_changes", base.pk),
        "wiki-inbox": html("wiki_inbox"),
        "wiki-page-banner": html("wiki_page", base.pk, tides.slug),
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_of_reviews_are_sound(
    pages: dict[str, str],
    open_page: OpenPage,
    page: Page,
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    assert "Facts would go" in pages["wiki-change"]
    assert problems_of_pages(pages, open_page, page, width=width, theme=theme) == []
