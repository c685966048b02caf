"""Every page in both themes, wide and narrow: no finding of axe, no sideways scroll, no refused code."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory

from tests.browser import samples
from tests.browser.conftest import problems_of_pages

pytestmark = pytest.mark.browser


def sign_in_page() -> str:
    from allauth.account.forms import LoginForm

    form = LoginForm({"login": "no address", "password": ""})
    context = {
        "form": form,
        "signup_url": "/",
        "PASSKEY_LOGIN_ENABLED": True,
        "request": RequestFactory().get("/account/login/"),
    }
    return render_to_string("account/login.html", context)


PAGES = {
    "sign-in": sign_in_page,
    "new chat": samples.new_chat_page,
    "chat": lambda: samples.chat_page(samples.user_turn(), samples.agent_turn()),
    "chat in the making": lambda: samples.chat_page(
        samples.user_turn(), samples.open_turn(answer_markdown=samples.ANSWER[:60])
    ),
    "bases": samples.bases_page,
    "documents": samples.base_page,
    "document": samples.document_page,
    "retrieval test": samples.search_page,
}
OPEN_FOLDS = "document.querySelectorAll('details').forEach(each => each.open = true)"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_accessible(open_page, socket, page, width, theme):
    pages = {name: build() for name, build in PAGES.items()}
    look = {"width": width, "theme": theme, "prepare": lambda _: page.evaluate(OPEN_FOLDS)}
    assert problems_of_pages(pages, open_page, page, **look) == []


def test_theme_is_the_admins(open_page, page):
    open_page(samples.new_chat_page())
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("localStorage.getItem('adminTheme')") == '"dark"'
    page.reload()
    assert page.evaluate("document.documentElement.className") == "dark"


def test_sidebar_becomes_a_drawer_on_narrow_screens(open_page, page):
    page.set_viewport_size({"width": 390, "height": 800})
    open_page(samples.new_chat_page())
    assert page.get_by_role("link", name="Knowledge").count() == 0
    page.get_by_role("button", name="Open menu").click()
    assert page.get_by_role("link", name="Knowledge").is_visible()
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1200, "height": 800})
    assert page.get_by_role("link", name="Knowledge").is_visible()
