"""The pages of organisations and of sharing, as several people see them, wide and narrow."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.urls import reverse

from accounts.constants import SharePermission
from accounts.models import JoinRequest, Organisation
from tests.accounts.organisations.worlds import make_organisation, share_base
from tests.browser.conftest import problems_of_pages
from tests.factories.accounts import make_space
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

pytestmark = pytest.mark.browser
"""A folder for pictures of the pages, for people who want to look at them."""


@pytest.fixture
def organisation(olivia: Persona, mallory: Persona) -> Organisation:
    found = make_organisation(
        olivia.space,
        name="Airfield association",
        description="All spaces that work at the airfield share their handbooks here.",
        editors=(mallory.space, make_space("A space with a rather long name for a row")),
    )
    asked = JoinRequest(organisation=found, member=make_space("Depot"), message="Let us in")
    asked.save()
    return found


@pytest.fixture
def pages(olivia: Persona, mallory: Persona, organisation: Organisation) -> dict[str, str]:
    """The pages' HTML."""
    cache.clear()
    base = make_base(olivia.space, name="Hangar handbook", description="What to check, and when.")
    document = make_document(base, name="manual.txt", texts=["Check the flaps."])
    theirs = make_base(mallory.space, name="Tower handbook")
    share_base(base, organisation, permission=SharePermission.EDITOR, only=(mallory.space,))
    share_base(theirs, organisation)
    one = reverse("organisation", args=[organisation.pk])
    asked = {
        "organisations": (olivia, reverse("organisations") + "?q=nothing"),
        "organisation, its admin": (olivia, one),
        "organisation, an editor": (mallory, one),
        "find a space": (olivia, one + "spaces/?q=depot"),
        "join": (mallory, reverse("organisation_join") + f"?code={organisation.invite_code}"),
        "join, wrong code": (mallory, reverse("organisation_join") + "?code=nonsense"),
        "shared with us": (mallory, reverse("shared_with_us")),
        "bases": (mallory, reverse("bases")),
        "sharing of a base": (olivia, reverse("base_sharing", args=[base.pk])),
        "base, a guest": (mallory, reverse("base", args=[base.pk])),
        "document, a guest": (mallory, reverse("document", args=[document.pk])),
    }
    return {name: who.client.get(url).content.decode() for name, (who, url) in asked.items()}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_accessible(pages, open_page, page, width, theme):
    assert problems_of_pages(pages, open_page, page, width=width, theme=theme) == []


def test_a_guests_page_says_whose_it_is_and_offers_no_settings(pages, open_page):
    page = open_page(pages["base, a guest"])
    assert page.get_by_role("note").inner_text() == "Shared with your space by Space A"
    views = page.get_by_role("navigation", name="Views of the knowledge base")
    assert views.get_by_role("link").all_inner_texts() == [
        "Documents\n1",
        "Weak pages",
        "Graph",
        "Lost corrections",
        "Retrieval test",
        "Quality",
        "Wiki",
        "Feedback",
        "Unanswered",
    ]
    assert page.locator("#upload").count() == 1  # an editor's


def test_ending_a_share_asks_first_and_names_it(pages, open_page):
    page = open_page(pages["organisation, its admin"])
    page.get_by_role("button", name="Stop sharing Hangar handbook").click()
    dialog = page.get_by_role("dialog", name="Stop sharing this?")
    assert "Hangar handbook" in dialog.inner_text()
    action = dialog.locator("form").get_attribute("action")
    assert action.endswith("/end/")
