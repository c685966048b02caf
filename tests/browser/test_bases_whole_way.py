"""Bases in a real browser on the whole product: a folder with a bad file, its batch, moves, deletion."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.conftest import axe_findings
from tests.product import EMAIL, Product

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MINUTE = 60_000
WIDTHS = (1440, 390)


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    running = Product(
        tmp_path_factory.mktemp("product"), WEKNORA_BATCH_FILES="5", WEKNORA_LIMIT_UPLOAD="100000"
    )
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three texts in two folders, one file that is none, and a hidden one that is no content."""
    top = tmp_path_factory.mktemp("drop") / "Club"
    (top / "Law" / "Cases").mkdir(parents=True)
    (top / "rules.md").write_text("# Rules\n\nMembers pay 42 crowns a year.\n")
    (top / "Law" / "leave.txt").write_text("Leave is thirty days a year.\n")
    (top / "Law" / "Cases" / "lamp.txt").write_text("The lamp at the pier burns all night.\n")
    (top / "Law" / "torn.pdf").write_bytes(b"%PDF-1.7\n" + b"\0" * 300)
    (top / ".DS_Store").write_bytes(b"\0" * 10)
    return top


@pytest.fixture
def signed_in(page: Page, product: Product) -> Page:
    page.on("pageerror", lambda error: pytest.fail(f"the page's script failed: {error}"))
    page.goto(product.url)
    page.fill("[name=login]", EMAIL)
    page.fill("[name=password]", product.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.locator("#prompt")).to_be_visible()
    return page


def new_base(page: Page, product: Product, name: str) -> str:
    page.goto(f"{product.url}/knowledge/new/")
    page.fill("[name=name]", name)
    page.get_by_role("button", name="Create knowledge base").click()
    expect(page.locator("#upload")).to_be_visible()
    return page.url


def row(page: Page, name: str) -> Locator:
    return page.locator("#documents tbody tr").filter(has_text=name)


def upload(page: Page, *names: str) -> None:
    page.locator("#upload input[name=file]").set_input_files(
        [
            FilePayload(
                name=name, mimeType="text/plain", buffer=f"{name} lies in the harbor.".encode()
            )
            for name in names
        ]
    )
    for name in names:
        expect(row(page, name).get_by_text("Ready")).to_be_visible(timeout=2 * MINUTE)


def look(page: Page, name: str) -> list[str]:
    """Return what axe finds and what scrolls, at two widths in two themes; keeps pictures on wish."""
    problems: list[str] = []
    shots = os.environ.get("WEKNORA_SHOTS", "")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished))")
            if shots:
                page.screenshot(path=Path(shots) / f"{name} {width} {theme}.png")
            if page.evaluate("document.documentElement.scrollWidth") > width:
                problems.append(f"{name} {width}: scrolls sideways")
            problems += [f"{name} {width} {theme}: {each}" for each in axe_findings(page)]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    return problems


def test_folder_is_uploaded_with_its_structure_and_the_bad_file_named(
    signed_in: Page, product: Product, folder: Path
) -> None:
    page = signed_in
    new_base(page, product, "Folder")
    page.locator("#upload input[data-folder]").set_input_files(folder)
    expect(page.locator("#tray-title")).to_have_text("4 uploaded", timeout=MINUTE)
    line = page.locator("#tray .batch-line")
    expect(line).to_contain_text("3 of 4 ready", timeout=2 * MINUTE)
    expect(line).to_contain_text("1 not read")
    expect(row(page, "torn.pdf").locator("small.bidi")).not_to_be_empty()
    expect(page.get_by_role("navigation", name="Folders")).to_contain_text("Cases")
    problems = look(page, "base with tray")
    page.get_by_role("link", name="Uploads").click()
    problems += look(page, "batches")
    page.get_by_role("link", name="4 documents").click()
    failure = page.locator(".failures li").filter(has_text="torn.pdf")
    expect(failure.locator("p")).not_to_be_empty()
    expect(page.locator("#batch")).to_contain_text("Done")
    problems += look(page, "batch")
    page.get_by_role("button", name="Read all of them again").click()
    expect(page.get_by_text("1 document is read again.")).to_be_visible()
    assert problems == []


def test_large_upload_is_estimated_and_may_be_declined(signed_in: Page, product: Product) -> None:
    page = signed_in
    new_base(page, product, "Large")
    files = [
        FilePayload(name=f"{number}.txt", mimeType="text/plain", buffer=b"One lamp burns. " * 40)
        for number in range(6)
    ]
    page.locator("#upload input[name=file]").set_input_files(files)
    dialog = page.get_by_role("dialog", name="Upload all of this?")
    expect(dialog).to_contain_text("about 1 minute")
    problems = look(page, "estimate")
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.locator("#tray")).to_be_hidden()
    page.locator("#upload input[name=file]").set_input_files(files)
    dialog.get_by_label("Tokens").fill("10")
    dialog.get_by_role("button", name="Start the upload").click()
    expect(page.locator("#tray .batch-line")).to_contain_text("Paused", timeout=2 * MINUTE)
    page.locator("#tray .batch-line").get_by_role("link", name="Details").click()
    expect(page.get_by_text("Nothing is lost; what was not begun waits.")).to_be_visible()
    problems += look(page, "paused batch")
    page.get_by_role("button", name="Resume").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    expect(page.locator("#batch")).to_contain_text("6 of 6 ready", timeout=2 * MINUTE)
    assert problems == []


def test_timeline_grows_while_the_document_is_read(signed_in: Page, product: Product) -> None:
    page = signed_in
    new_base(page, product, "Steps")
    text = "\n\n".join(
        f"Paragraph {number} tells of the pier and its lamp." for number in range(900)
    )
    page.locator("#upload input[name=file]").set_input_files(
        [FilePayload(name="long.txt", mimeType="text/plain", buffer=text.encode() * 4)]
    )
    row(page, "long.txt").get_by_role("link", name="long.txt").click()
    page.get_by_role("link", name="Timeline").click()
    steps = page.locator("#timeline")
    expect(steps).to_contain_text("Embed", timeout=MINUTE)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#document-head")).to_contain_text(re.compile("Cancell?ed"), timeout=MINUTE)
    page.get_by_role("button", name="Read again").click()
    page.get_by_role("link", name="Timeline").click()
    expect(steps).to_contain_text("Attempt 2", timeout=MINUTE)
    expect(steps.locator(".step.is-done").filter(has_text="Index")).to_be_visible(
        timeout=3 * MINUTE
    )
    assert look(page, "timeline") == []


def test_deleted_documents_come_back_and_moved_ones_too(signed_in: Page, product: Product) -> None:
    page = signed_in
    new_base(page, product, "Harbor office")
    address = new_base(page, product, "Pier")
    upload(page, "one.txt", "two.txt")
    problems = look(page, "base")
    page.get_by_label("Choose all on this page").check()
    problems += look(page, "bulk bar")
    page.locator("#bulk").get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("2 documents are in the trash.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(row(page, "one.txt")).to_be_visible()
    page.get_by_label("Choose one.txt").check()
    page.get_by_role("button", name="To another knowledge base").click()
    dialog = page.get_by_role("dialog", name="To another knowledge base")
    dialog.get_by_label("To which knowledge base").select_option(label="Harbor office")
    problems += look(page, "carry")
    dialog.get_by_role("button", name="Go ahead").click()
    expect(page.get_by_text("1 document was moved to “Harbor office”.")).to_be_visible()
    expect(row(page, "one.txt")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(row(page, "one.txt")).to_be_visible()
    assert page.url.startswith(address)
    page.get_by_role("link", name="one.txt").click()
    problems += look(page, "document")
    page.get_by_role("link", name="Move or copy to another knowledge base").click()
    problems += look(page, "carry page")
    assert problems == []


def test_base_is_copied_with_its_content(signed_in: Page, product: Product) -> None:
    page = signed_in
    new_base(page, product, "Original")
    upload(page, "one.txt")
    page.get_by_role("link", name="Settings", exact=True).last.click()
    problems = look(page, "base settings")
    page.get_by_role("button", name="Copy").click()
    dialog = page.get_by_role("dialog", name="Copy knowledge base")
    dialog.get_by_label("The content, too").check()
    dialog.get_by_role("button", name="Copy").click()
    expect(page.locator("#batch")).to_contain_text("1 of 1 ready", timeout=2 * MINUTE)
    page.goto(f"{product.url}/knowledge/")
    expect(page.get_by_role("link", name="Copy of Original")).to_be_visible()
    problems += look(page, "bases")
    page.get_by_role("button", name="Pin Copy of Original").click()
    expect(page.get_by_role("button", name="Pin Copy of Original")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert problems == []
