"""The pages of restrictions, as who decides and who reads see them, wide and narrow."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.urls import reverse

from accounts.constants import Role
from accounts.models import SpaceGroup
from knowledge.access.restrict import Place, restrict
from tests.browser.conftest import problems_of_pages
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona, make_persona

pytestmark = pytest.mark.browser
"""A folder for pictures of the pages, for people who want to look at them."""


@pytest.fixture
def pages(olivia: Persona, adam: Persona, cora: Persona, victor: Persona) -> dict[str, str]:
    """The pages' HTML."""
    cache.clear()
    for name in ("Bernadette Featherstonehaugh", "Chidi", "Dao", "Emeka", "Fatima", "Grete"):
        make_persona(olivia.space, name=name, role=Role.CONTRIBUTOR)
    base = make_base(olivia.space, name="Hangar handbook", created_by=cora.user)
    make_document(base, name="checklist.txt", texts=["Check the flaps."])
    inner = make_document(
        base,
        name="A contract with a rather long name for a row of a narrow screen.pdf",
        texts=["The rent is secret."],
        folder_path="Contracts/2026 with a long name as well",
    )
    with olivia.scope():
        group = SpaceGroup.objects.create(
            space=olivia.space, name="Legal", auth_group=Group.objects.create(name="legal")
        )
        victor.user.groups.add(group.auth_group)
        folder = Place(base_id=base.pk, folder_path="Contracts")
        restrict(olivia.actor, folder, user_ids=[], group_ids=[group.pk])
        document = Place(base_id=base.pk, document_id=inner.pk)
        restrict(olivia.actor, document, user_ids=[victor.user.pk], group_ids=[])
    folders = reverse("base_access", args=[base.pk])
    asked = {
        "folders": (cora, folders),
        "a folder": (cora, f"{folders}?folder=Contracts"),
        "an open folder": (cora, f"{folders}?folder="),
        "a document": (olivia, reverse("document_access", args=[inner.pk])),
        "the base": (victor, reverse("base", args=[base.pk])),
        "the document": (olivia, reverse("document", args=[inner.pk])),
    }
    return {name: who.client.get(url).content.decode() for name, (who, url) in asked.items()}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_accessible(pages, open_page, page, width, theme):
    assert problems_of_pages(pages, open_page, page, width=width, theme=theme) == []


def test_lifting_asks_first(pages, open_page):
    page = open_page(pages["a document"])
    page.get_by_role("button", name="Lift the restriction").click()
    dialog = page.get_by_role("dialog", name="Lift the restriction?")
    assert "folders above still apply" in dialog.inner_text()
