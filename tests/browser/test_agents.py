"""An agent's life in a real browser: made from a preset, changed, compared, brought back, asked with @."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import axe_findings
from tests.browser.test_whole_way import sign_in
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MINUTE = 60_000
OPEN_FOLDS = "document.querySelectorAll('details').forEach(each => each.open = true)"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    running = Product(tmp_path_factory.mktemp("product"))
    running.start()
    yield running
    running.stop()


def look(page: Page, name: str) -> None:
    """Look for what axe finds, in both themes and widths, and keep pictures where they are wanted."""
    folder = os.environ.get("WEKNORA_SCREENSHOTS")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.wait_for_timeout(200)  # colours move
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            if folder:
                page.screenshot(path=str(Path(folder) / f"{name}-{width}-{theme}.png"))
            # At its end nothing lies half under the bar that stays at the foot
            page.locator("main .scroll").first.evaluate(
                "each => each.scrollTo(0, each.scrollHeight)"
            )
            found = axe_findings(page)
            assert not found, f"{name} {width} {theme}:\n" + "\n".join(found)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def test_an_agents_life(page: Page, product: Product) -> None:
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda m: problems.append(m.text) if "Content Security" in m.text else None)
    sign_in(page, product)
    page.get_by_role("link", name="Agents", exact=True).click()
    expect(page.locator(".agent-card")).to_have_count(3)
    look(page, "agents")

    # From a preset
    page.get_by_role("button", name="New agent").click()
    page.get_by_role("link", name="Questions about documents").click()
    page.fill("[name=name]", "Harbour")
    page.fill("[name=instructions]", "Answer in two sentences.")
    expect(page.get_by_text("Unsaved changes")).to_be_visible()
    page.get_by_role("button", name="Create agent").click()
    expect(page.get_by_text("Harbour is ready to be asked.")).to_be_visible()

    # What fits follows from what is chosen
    page.get_by_label("Selected knowledge bases").check()
    base = page.get_by_role("checkbox", name="Demo")
    expect(base).to_be_enabled()
    base.check()
    page.locator("#id_mode_0").check()
    expect(page.locator("[name=fallback_response]")).to_be_visible()
    page.locator("#id_mode_1").check()
    expect(page.get_by_role("checkbox", name="Exact terms")).to_be_checked()
    expect(base).to_be_checked()

    # Approvals, rules, places in prompts
    page.locator("label:has(#approval-grep_chunks-ask)").click()
    page.get_by_role("button", name="Add a rule").click()
    page.locator("[name=rule_argument]").fill("pattern")
    page.locator("[name=rule_value]").fill("secret")
    page.locator("summary:visible", has_text="Own prompts").click()
    page.get_by_role("button", name="{{language}}").first.click()
    expect(page.locator("[name=system_prompt]")).to_have_value("{{language}}")
    page.fill("[name=system_prompt]", "Hello {{nobody}}")
    save(page)
    expect(page.locator("#id_system_prompt_error")).to_be_visible()
    expect(page.locator("[name=rule_value]")).to_have_value("secret")
    page.evaluate(OPEN_FOLDS)
    look(page, "agent")
    page.fill("[name=system_prompt]", "")
    page.fill("[name=instructions]", "Answer in three sentences.")
    page.fill("[name=note]", "longer")
    save(page)
    expect(page.get_by_text("Saved as version 2.")).to_be_visible()

    # Versions
    page.get_by_role("link", name="All versions").click()
    expect(page.locator(".version")).to_have_count(2)
    look(page, "versions")
    page.get_by_role("button", name="Compare the two marked").click()
    expect(page.locator("ins").get_by_text("three", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Allowed tools")).to_have_count(0)  # they stayed
    look(page, "compare")
    page.get_by_role("button", name="Bring back version 1").click()
    expect(page.locator("[name=instructions]")).to_have_value("Answer in two sentences.")
    expect(page.locator(".editor-side")).to_contain_text("Version 3")

    # A question that names a document
    page.get_by_role("link", name="Try it").click()
    expect(page.locator("#agent option:checked")).to_have_text("Harbour")
    box = page.locator("#prompt")
    box.press_sequentially("What does it say about berths? @harb")
    options = page.locator("#mention-list [role=option]")
    expect(options.first).to_contain_text("harbour", ignore_case=True, timeout=MINUTE)
    look(page, "mentions")
    box.press("Enter")
    expect(page.locator("#mentions .chip")).to_contain_text("harbour", ignore_case=True)
    expect(page.locator("#mention-list")).to_be_hidden()
    box.press("Enter")
    expect(page.locator(".mentioned")).to_contain_text("harbour", ignore_case=True)
    expect(page.locator(".acts").last).to_be_visible(timeout=MINUTE)
    page.reload()
    expect(page.locator(".mentioned")).to_contain_text("harbour", ignore_case=True)
    look(page, "asked")
    assert problems == []
