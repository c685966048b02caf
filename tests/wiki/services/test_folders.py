"""Folders of a wiki."""

from __future__ import annotations

import pytest

from core.errors import AccessDenied, Conflict, Invalid
from knowledge.models import KnowledgeBase
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.models import WikiFolder, WikiPage
from wiki.services.folders import create_folder, delete_folder, move_folder, rename_folder
from wiki.services.pages import delete_page


def paths() -> list[str]:
    return sorted(WikiFolder.objects.values_list("path", flat=True))


def chain(person: Persona, base: KnowledgeBase, *names: str) -> list[WikiFolder]:
    found: list[WikiFolder] = []
    for name in names:
        parent_id = found[-1].pk if found else None
        found.append(create_folder(person.actor, base_id=base.pk, name=name, parent_id=parent_id))
    return found


def test_folders_are_three_deep_at_most(olivia: Persona, wiki: KnowledgeBase) -> None:
    folders = chain(olivia, wiki, "a", "b", "c")
    assert paths() == ["a", "a/b", "a/b/c"]
    with pytest.raises(Invalid, match="3"):
        create_folder(olivia.actor, base_id=wiki.pk, name="d", parent_id=folders[-1].pk)
    (other,) = chain(olivia, wiki, "x")
    with pytest.raises(Invalid, match="4"):
        move_folder(olivia.actor, folders[0].pk, parent_id=other.pk)


@pytest.mark.parametrize("name", ["", "  ", "a/b", "x" * 201])
def test_a_name_that_cannot_be_kept_is_refused(
    olivia: Persona, wiki: KnowledgeBase, name: str
) -> None:
    with pytest.raises(Invalid):
        create_folder(olivia.actor, base_id=wiki.pk, name=name)


def test_what_is_in_a_folder_goes_along(olivia: Persona, wiki: KnowledgeBase) -> None:
    first, second, _third = chain(olivia, wiki, "a", "b", "c")
    rename_folder(olivia.actor, first.pk, name="z")
    move_folder(olivia.actor, second.pk, parent_id=None)
    assert paths() == ["b", "b/c", "z"]
    assert list(WikiFolder.objects.order_by("path").values_list("depth", flat=True)) == [1, 2, 1]


def test_a_folder_moves_neither_into_itself_nor_onto_another(
    olivia: Persona, wiki: KnowledgeBase
) -> None:
    first, second = chain(olivia, wiki, "a", "b")
    (twin,) = chain(olivia, wiki, "b")
    for target in (first, second):
        with pytest.raises(Invalid):
            move_folder(olivia.actor, first.pk, parent_id=target.pk)
    with pytest.raises(Conflict):
        move_folder(olivia.actor, twin.pk, parent_id=first.pk)


def test_only_an_empty_folder_is_deleted(olivia: Persona, wiki: KnowledgeBase) -> None:
    (folder,) = chain(olivia, wiki, "a")
    page = make_page(wiki, folder=folder)
    with pytest.raises(Conflict, match="1 pages"):
        delete_folder(olivia.actor, folder.pk)
    delete_page(olivia.actor, page.pk, on_version=1)
    delete_folder(olivia.actor, folder.pk)
    assert WikiPage.objects.get(pk=page.pk).folder is None


def test_a_viewer_makes_none(victor: Persona, wiki: KnowledgeBase) -> None:
    with pytest.raises(AccessDenied):
        create_folder(victor.actor, base_id=wiki.pk, name="a")


def test_a_base_goes_with_its_folders_and_pages(olivia: Persona, wiki: KnowledgeBase) -> None:
    _first, second = chain(olivia, wiki, "a", "b")
    make_page(wiki, folder=second)
    wiki.delete()
    assert not WikiFolder.objects.exists()
