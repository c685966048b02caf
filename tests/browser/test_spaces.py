"""The pages of a space's members, groups, rules and audit, wide and narrow, light and dark."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.urls import reverse

from accounts.constants import MembershipState, Role
from accounts.models import Membership, Space
from accounts.services.audit import record_audit
from accounts.services.groups import add_to_group, create_group
from tests.browser.conftest import problems_of_pages
from tests.factories.accounts import make_invitation, make_member, make_user
from tests.personas import Persona

pytestmark = pytest.mark.browser
"""A folder for pictures of the pages, for people who want to look at them."""


@pytest.fixture
def pages(olivia: Persona, cora: Persona, mallory: Persona) -> dict[str, str]:
    """The pages' HTML."""
    cache.clear()
    Space.objects.filter(pk=olivia.space.pk).update(storage_quota_bytes=10**9)
    long = make_user("a.rather.long.address.of.somebody@subsidiary.example.org", name="Zoë")
    make_member(olivia.space, role=Role.VIEWER, user=long)
    Membership.objects.filter(user=long).update(state=MembershipState.SUSPENDED)
    make_invitation(olivia.space, email="neo@example.org", invited_by=olivia.user)
    make_invitation(olivia.space, max_accepts=20, invited_by=olivia.user)
    make_invitation(olivia.space, email=mallory.user.email, invited_by=olivia.user)
    with olivia.scope():
        group = create_group(olivia.actor, name="Line maintenance", description="Wings, flaps.")
        create_group(olivia.actor, name="Pilots")
        add_to_group(olivia.actor, group_id=group.pk, user_ids=[cora.user.pk])
        record_audit(olivia.actor, "member.role", target=cora.membership, old="viewer", new="admin")
    for _ in range(3):
        cora.client.post(reverse("space_settings"), {"name": "Mine"})
    many = olivia.client.post(
        reverse("invitations_many"),
        {"addresses": "trinity@example.org nonsense", "role": "viewer", "days": "7"},
    )
    asked = {
        "members": (olivia, reverse("members")),
        "members, a contributor": (cora, reverse("members")),
        "groups": (olivia, reverse("groups")),
        "group": (olivia, reverse("group", args=[group.pk])),
        "settings": (olivia, reverse("space_settings")),
        "delete": (olivia, reverse("space_delete")),
        "audit": (olivia, reverse("audit")),
        "invite many": (olivia, reverse("invitations_many")),
        "own invitations": (mallory, reverse("own_invitations")),
        "spaces": (mallory, reverse("spaces")),
    }
    found = {name: who.client.get(url).content.decode() for name, (who, url) in asked.items()}
    return {**found, "many invited": many.content.decode()}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_pages_are_accessible(pages, open_page, page, width, theme):
    def prepare(name):
        if name == "audit":
            page.locator(".event > summary").first.click()

    look = {"width": width, "theme": theme, "prepare": prepare}
    assert problems_of_pages(pages, open_page, page, **look) == []


def test_a_dialog_names_whom_it_is_about(pages, open_page):
    opened = open_page(pages["members"])
    opened.get_by_role("button", name="More about Cora").click()
    opened.get_by_role("button", name="Suspend").click()
    dialog = opened.get_by_role("dialog", name="Suspend this member?")
    assert dialog.locator("[data-subject]").inner_text() == "Cora"
    assert "/suspend/" in str(dialog.locator("form").get_attribute("action"))
