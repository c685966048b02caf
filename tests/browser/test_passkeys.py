"""Passkeys in Chromium with its virtual authenticator, and a look at the pages of security."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import axe_findings
from tests.product import EMAIL, Product

pytestmark = [pytest.mark.browser, pytest.mark.slow]
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    running = Product(tmp_path_factory.mktemp("product"), WEKNORA_LOCAL_MODELS="false")
    running.start()
    yield running
    running.stop()


@pytest.fixture
def authenticator(page: Page) -> Iterator[Any]:
    """A device that keeps passkeys and always finds the right finger."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    made = session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield session, made["authenticatorId"]
    session.detach()


def give_password(page: Page, product: Product) -> None:
    page.goto(f"{product.url}/account/login/?next=/account/security/")
    page.fill("[name=login]", EMAIL)
    page.fill("[name=password]", product.password)
    page.get_by_role("button", name="Sign in", exact=True).click()


def add_passkey(page: Page, product: Product) -> None:
    page.get_by_role("link", name="Add a passkey").click()
    page.fill("[name=password]", product.password)
    page.get_by_role("button", name="Go on").click()
    page.fill("[name=name]", "This laptop")
    keep_picture(page, "add-passkey")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
    keep_picture(page, "recovery-codes")
    page.get_by_role("link", name="I have kept them").click()


def sign_out(page: Page, product: Product) -> None:
    page.goto(f"{product.url}/account/logout/")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def keep_picture(page: Page, name: str) -> None:
    """Keep screenshots in both themes and widths where a person asked for pictures."""
    folder = os.environ.get("WEKNORA_SCREENSHOTS")
    if not folder:
        return
    for theme in THEMES:
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=str(Path(folder) / f"{name}-{theme}-{width}.png"))
    page.set_viewport_size({"width": 1280, "height": 900})


def test_from_a_password_to_a_passkey_alone(
    page: Page, product: Product, authenticator: Any
) -> None:
    session, device = authenticator
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if "Content Security" in m.text else None)
    give_password(page, product)
    expect(page.get_by_role("heading", name="Security")).to_be_visible()
    add_passkey(page, product)
    expect(page.get_by_text("This laptop")).to_be_visible()
    sign_out(page, product)
    keep_picture(page, "login")

    # A finger that the device does not know: told in words, and one may try again.
    refused = {"authenticatorId": device, "isUserVerified": False}
    session.send("WebAuthn.setUserVerified", refused)
    button = page.get_by_role("button", name="Sign in with a passkey")
    button.click()
    expect(page.get_by_text("No passkey was used.")).to_be_visible(timeout=90_000)
    session.send("WebAuthn.setUserVerified", {**refused, "isUserVerified": True})

    # Without a password.
    button.click()
    page.wait_for_url(lambda url: "/account/" not in url)
    page.goto(f"{product.url}/account/security/")
    expect(page.get_by_text("last used on")).to_be_visible()
    sign_out(page, product)

    # As the second proof after the password.
    give_password(page, product)
    expect(page.get_by_role("heading", name="One more proof")).to_be_visible()
    keep_picture(page, "second-proof")
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("button", name="Ask me each time").click()
    expect(page.get_by_role("heading", name="Security")).to_be_visible()
    look_around(page, product, problems)
    assert problems == []


def look_around(page: Page, product: Product, problems: list[str]) -> None:
    """Look at the pages of security: no finding of axe, no sideways scroll."""
    for path in (
        *("account/security/", "account/2fa/totp/activate/", "account/email/", "profile/"),
        *("spaces/current/", "account/2fa/recovery-codes/generate/"),
    ):
        page.goto(f"{product.url}/{path}")
        if "reauthenticate" in page.url:
            page.fill("[name=password]", product.password)
            page.get_by_role("button", name="Go on").click()
        keep_picture(page, path.strip("/").replace("/", "-"))
        page.set_viewport_size({"width": 390, "height": 900})
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            problems.append(f"{path}: scrolls sideways")
        problems += [f"{path}: {finding}" for finding in axe_findings(page)]
