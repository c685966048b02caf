"""The pages on which documents and folders are restricted."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse

from accounts.models import SpaceGroup
from knowledge.access.restrict import Place, restrict
from knowledge.models import Restriction
from tests.knowledge.access.conftest import Shelf, sees
from tests.personas import Persona


def address(shelf: Shelf, folder: str | None = None) -> str:
    if folder is None:
        return reverse("document_access", args=[shelf.root.pk])
    return f"{reverse('base_access', args=[shelf.base.pk])}?folder={folder}"


@pytest.fixture
def cora_s(shelf: Shelf) -> Persona:
    return shelf.people["cora"]


def test_a_document_is_restricted_to_chosen_people_and_groups(
    shelf: Shelf, cora_s: Persona, victor: Persona, group_of: Callable[..., SpaceGroup]
) -> None:
    with victor.scope():
        group = group_of(victor)
    response = cora_s.client.post(address(shelf), {"who": [f"group:{group.pk}"]}, follow=True)
    text = response.content.decode()
    assert "Restricted" in text
    assert "in Legal" in text  # why victor reads it
    with victor.scope():
        assert sees(victor.actor, shelf.root)


@pytest.mark.parametrize("folder", ["Law/2026", ""])
def test_a_folder_and_the_whole_base_are_restricted_and_opened_again(
    shelf: Shelf, cora_s: Persona, victor: Persona, folder: str
) -> None:
    cora_s.client.post(address(shelf, folder))
    with victor.scope():
        assert not sees(victor.actor, shelf.inner)
    assert "Lift the restriction" in cora_s.client.get(address(shelf, folder)).content.decode()
    cora_s.client.post(address(shelf, folder), {"lift": "1"})
    with victor.scope():
        assert sees(victor.actor, shelf.inner)


@pytest.mark.parametrize("folder", ["Law/2025", "law", "Law/20", "root.txt"])
def test_a_folder_that_does_not_exist_is_refused(
    shelf: Shelf, cora_s: Persona, folder: str
) -> None:
    response = cora_s.client.post(address(shelf, folder))
    assert response.status_code == 422
    assert f"This knowledge base has no folder “{folder}”." in response.content.decode()
    with cora_s.scope():
        assert not Restriction.objects.exists()


def test_restrictions_of_folders_above_are_shown(shelf: Shelf, cora_s: Persona) -> None:
    with cora_s.scope():
        place = Place(base_id=shelf.base.pk, folder_path="Law")
        restrict(cora_s.actor, place, user_ids=[], group_ids=[])
    page = cora_s.client.get(reverse("document_access", args=[shelf.inner.pk]))
    assert "Restricted by a folder above" in page.content.decode()


def test_the_search_among_people_keeps_what_is_checked(
    shelf: Shelf, cora_s: Persona, victor: Persona, olivia: Persona
) -> None:
    response = cora_s.client.get(
        address(shelf),
        {"q": "olivia", "who": f"user:{victor.user.pk}"},
        headers={"HX-Request": "true"},
    )
    text = response.content.decode()
    assert f'value="user:{victor.user.pk}" checked' in text
    assert f'value="user:{olivia.user.pk}">' in text
    assert "adam@" not in text


@pytest.mark.parametrize(("who", "status"), [("user:999999", 422), ("group:1", 422), ("x:y", 302)])
def test_who_is_not_of_the_space_is_not_named(
    shelf: Shelf, cora_s: Persona, who: str, status: int
) -> None:
    """What is no choice of the form is left out; what looks like one but is not is told."""
    assert cora_s.client.post(address(shelf), {"who": [who]}).status_code == status
    with cora_s.scope():
        assert ("victor" in shelf.readers(shelf.root)) == (status == 422)


def test_the_folders_of_a_base_are_listed_with_those_above_them(
    shelf: Shelf, cora_s: Persona
) -> None:
    text = cora_s.client.get(reverse("base_access", args=[shelf.base.pk])).content.decode()
    for path in ("Law", "Law/2026", "Law/2026/Cases", "All documents of this knowledge base"):
        assert f">{path}<" in text


def test_lists_mark_what_is_restricted(shelf: Shelf, cora_s: Persona, victor: Persona) -> None:
    cora_s.client.post(address(shelf), {"who": [f"user:{victor.user.pk}"]})
    base = reverse("base", args=[shelf.base.pk])
    for person in (cora_s, victor):
        assert person.client.get(base).content.decode().count("badge warn") == 1
    assert (
        "Who reads this"
        in cora_s.client.get(reverse("document", args=[shelf.root.pk])).content.decode()
    )


def test_who_may_not_share_the_base_is_refused(shelf: Shelf, victor: Persona) -> None:
    for url in (address(shelf), address(shelf, "Law")):
        assert victor.client.get(url).status_code == 403
        assert victor.client.post(url).status_code == 403
