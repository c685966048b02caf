"""The pages of keys and the playground, wide and narrow, light and dark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from accounts.keys.capabilities import Capability
from accounts.models import ApiKey
from tests.browser.conftest import OpenPage, axe_findings
from tests.factories.accounts import make_user
from tests.factories.keys import make_key
from tests.factories.knowledge import make_base
from tests.personas import LOGIN_BACKEND, Persona

pytestmark = pytest.mark.browser
SHOTS = os.environ.get("WEKNORA_SHOTS", "")
"""A folder for pictures of the pages, for people who want to look at them."""
WIDTHS = (1440, 390)


@pytest.fixture
def pages(olivia: Persona) -> dict[str, str]:
    """The pages' HTML."""
    cache.clear()
    base = make_base(olivia.space, name="Hangar handbook")
    make_key(olivia.space, name="Everything")
    make_key(olivia.space, Capability.CHAT, bases=(base,), name="Portal of the flying school")
    gone = make_key(olivia.space, Capability.RETRIEVE, name="Old importer")
    ApiKey.objects.filter(pk=gone.key.pk).update(revoked_at=gone.key.created_at)
    form = {"name": "Importer", "expires_in": "90", "capabilities": ["ingest"]}
    answers = {
        "made": olivia.client.post(reverse("keys"), form),
        "list": olivia.client.get(reverse("keys")),
        "playground": olivia.client.get(reverse("api_playground")),
    }
    root = make_user("root@example.org", name="Root", is_superuser=True, is_staff=True)
    client = Client()
    client.force_login(root, backend=LOGIN_BACKEND)
    make_key(None, Capability.SYSTEM_AUDIT_READ, name="Monitor")
    answers["platform"] = client.post(reverse("platform_keys"), form)
    return {name: answer.content.decode() for name, answer in answers.items()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["made", "list", "playground", "platform"])
def test_the_pages_can_be_used_by_everybody(
    page: Page, open_page: OpenPage, pages: dict[str, str], name: str, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of two
    open_page(pages[name])
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{name} is {overflow} px too wide at {width}"
        if SHOTS:
            path = Path(SHOTS) / f"{name}-{scheme}-{width}.png"
            page.screenshot(path=path)
    assert axe_findings(page) == []


def test_the_playground_writes_the_command(
    page: Page, open_page: OpenPage, pages: dict[str, str]
) -> None:
    open_page(pages["playground"])
    page.select_option("#try-route", "POST /api/v1/agent-chat/{session_id}")
    page.fill("#try-session_id", "abc def")
    page.fill("#try-body", '{"query": "what\'s new?"}')
    command = page.inner_text("#try-curl")
    assert "-X POST 'http://pages.test/api/v1/agent-chat/abc%20def'" in command
    assert "'{\"query\": \"what'\\''s new?\"}'" in command
    page.select_option("#try-route", "POST /api/v1/knowledge-bases/{base_id}/knowledge/file")
    assert page.is_visible("#try-file")
    assert page.is_hidden("#try-body")
    assert "-F 'file=@notes.txt'" in page.inner_text("#try-curl")


def test_the_playground_sends_as_a_key_and_follows_a_stream(
    page: Page, open_page: OpenPage, pages: dict[str, str]
) -> None:
    seen: list[dict[str, str]] = []
    open_page(pages["playground"])
    page.route(
        "**/keys/*/test/",
        lambda route: route.fulfill(json={"headers": {"X-API-Key": "wkt-1"}}),
    )

    def answer(route: object) -> None:
        seen.append(route.request.headers)  # type: ignore[attr-defined]  # playwright's route
        body = 'event: message\ndata: {"response_type": "complete"}\n\n'
        route.fulfill(body=body, content_type="text/event-stream")  # type: ignore[attr-defined]  # as above

    page.route("**/api/v1/**", answer)
    page.select_option("#try-route", "POST /api/v1/knowledge-chat/{session_id}")
    page.select_option("#try-key", index=1)
    page.fill("#try-session_id", "abc")
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#try-answer")).to_contain_text("complete")
    assert seen[0]["x-api-key"] == "wkt-1"
    assert "cookie" not in seen[0]
