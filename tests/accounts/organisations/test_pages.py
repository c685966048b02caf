"""The pages of organisations and of sharing, as browsers use them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse

from accounts.constants import OrganisationRole, SharePermission
from accounts.models import Organisation, OrganisationSpace
from accounts.views.organisations import CODES_PER_MINUTE
from core.tenancy import space_scope
from knowledge.models import BaseShare, KnowledgeBase
from tests.accounts.organisations.worlds import make_organisation, share_base
from tests.factories.agents import make_conversation
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    cache.clear()


@pytest.fixture
def organisation(adam: Persona, mallory: Persona) -> Organisation:
    return make_organisation(adam.space, editors=(mallory.space,))


@pytest.fixture
def base(adam: Persona) -> KnowledgeBase:
    return make_base(adam.space, name="Hangar", description="What to check.")


def text_of(response: Any) -> str:
    return str(response.content.decode())


def test_the_code_is_shown_to_who_manages_and_to_nobody_else(
    adam: Persona, victor: Persona, mallory: Persona, organisation: Organisation
) -> None:
    page = reverse("organisation", args=[organisation.pk])
    assert organisation.invite_code in text_of(adam.client.get(page))
    for persona in (victor, mallory):
        assert organisation.invite_code not in text_of(persona.client.get(page))


def test_codes_cannot_be_tried_without_end(mallory: Persona) -> None:
    page = reverse("organisation_join")
    answers = [mallory.client.get(page, {"code": "x"}) for _ in range(CODES_PER_MINUTE + 1)]
    assert [each.status_code for each in answers] == [422] * CODES_PER_MINUTE + [429]


def test_joining_shows_what_it_is_before_anything_happens(adam: Persona, mallory: Persona) -> None:
    there = make_organisation(adam.space, name="Tower circle", require_approval=False)
    page = reverse("organisation_join")
    shown = text_of(mallory.client.get(page, {"code": there.invite_code}))
    assert "Tower circle" in shown
    assert not there.members.filter(member=mallory.space).exists()
    mallory.client.post(page, {"code": there.invite_code})
    place = OrganisationSpace.objects.get(organisation=there, member=mallory.space)
    assert (place.role, place.representative) == (OrganisationRole.VIEWER, mallory.user)


def test_a_base_is_shared_changed_and_closed_on_its_page(
    adam: Persona, mallory: Persona, organisation: Organisation, base: KnowledgeBase
) -> None:
    page = reverse("base_sharing", args=[base.pk])
    theirs = reverse("base", args=[base.pk])
    assert mallory.client.get(theirs).status_code == 404
    form = {"organisation": str(organisation.pk), "permission": "viewer", "reach": "all"}
    adam.client.post(page, form)
    shown = text_of(mallory.client.get(theirs))
    assert "Shared with your space by" in shown
    assert 'id="upload"' not in shown
    chosen = {"permission": "editor", "reach": "chosen", "receivers": str(mallory.space.pk)}
    adam.client.post(page, {**form, **chosen})
    assert 'id="upload"' in text_of(mallory.client.get(theirs))
    with adam.scope():
        share = BaseShare.objects.get()
    adam.client.post(reverse("base_sharing_end", args=[base.pk, share.pk]))
    assert mallory.client.get(theirs).status_code == 404


def test_a_form_that_chooses_nobody_is_shown_again(
    adam: Persona, organisation: Organisation, base: KnowledgeBase
) -> None:
    page = reverse("base_sharing", args=[base.pk])
    form = {"organisation": str(organisation.pk), "permission": "viewer", "reach": "chosen"}
    response = adam.client.post(page, form)
    assert response.status_code == 422
    assert "Choose at least one space" in text_of(response)
    with adam.scope():
        assert not BaseShare.objects.exists()


def test_shared_bases_are_listed_where_bases_are(
    mallory: Persona, organisation: Organisation, base: KnowledgeBase
) -> None:
    share_base(base, organisation)
    for page in ("bases", "shared_with_us"):
        assert "Hangar" in text_of(mallory.client.get(reverse(page)))


def test_the_shell_of_a_guests_page_is_their_own(
    mallory: Persona, organisation: Organisation, base: KnowledgeBase
) -> None:
    share_base(base, organisation)
    make_conversation(mallory.space, user=mallory.user, title="Mallory's own talk")
    shown = text_of(mallory.client.get(reverse("base", args=[base.pk])))
    assert "Mallory&#x27;s own talk" in shown
    assert "Space: Space B" in shown


def test_an_editor_of_another_space_deletes_a_document_but_not_the_base(
    mallory: Persona, organisation: Organisation, base: KnowledgeBase
) -> None:
    share_base(base, organisation, permission=SharePermission.EDITOR)
    document = make_document(base, name="manual.txt")
    mallory.client.post(reverse("document_delete", args=[document.pk]))
    assert mallory.client.post(reverse("base_delete", args=[base.pk])).status_code == 403
    with space_scope(base.space_id):
        document.refresh_from_db()
        base.refresh_from_db()
    assert document.trashed_at is not None
    assert base.deleted_at is None


def test_pages_of_other_things_stay_closed_to_guests(
    mallory: Persona, organisation: Organisation, base: KnowledgeBase
) -> None:
    share_base(base, organisation, permission=SharePermission.EDITOR)
    other = make_document(make_base(base.space, name="Tower"), name="secret.txt")
    for name in ("document", "document_file"):
        assert mallory.client.get(reverse(name, args=[other.pk])).status_code == 404
    assert mallory.client.get(reverse("base", args=[other.base_id])).status_code == 404
