from __future__ import annotations

import pytest

from accounts.access import visible
from accounts.models import AuditEvent
from core.errors import AccessDenied, Conflict, Invalid, NotFound
from knowledge.access.restrict import Place, restrict
from knowledge.models import Document, DocumentWall, Folder, Restriction
from knowledge.organising.folders import create_folder, delete_folder, move_folder
from knowledge.organising.tree import folder_tree
from tests.knowledge.organising.conftest import Shelf
from tests.personas import Persona

pytestmark = pytest.mark.django_db


def paths(person: Persona, shelf: Shelf) -> dict[str, int]:
    return {node.path: node.documents for node in folder_tree(person.actor, shelf.base)}


def closed(person: Persona, document: Document) -> bool:
    rows = visible(person.actor, "view", Document.objects.filter(pk=document.pk))
    return not rows.exists()


def test_tree_counts_what_is_in_and_below(cora: Persona, shelf: Shelf) -> None:
    assert paths(cora, shelf) == {"Law": 2, "Law/Cases": 1}


def test_empty_folder_stays(cora: Persona, shelf: Shelf) -> None:
    create_folder(cora.actor, base_id=shelf.base.pk, path="  Plans / 2027 ")
    assert paths(cora, shelf) == {"Law": 2, "Law/Cases": 1, "Plans": 0, "Plans/2027": 0}
    with pytest.raises(Conflict):
        create_folder(cora.actor, base_id=shelf.base.pk, path="Plans")


def test_viewer_makes_no_folder(victor: Persona, shelf: Shelf) -> None:
    with pytest.raises(AccessDenied):
        create_folder(victor.actor, base_id=shelf.base.pk, path="Mine")


@pytest.mark.parametrize("path", ["", " / ", "..", "a\x00b"])
def test_folder_without_a_name_that_can_be_kept_is_refused(
    cora: Persona, shelf: Shelf, path: str
) -> None:
    with pytest.raises(Invalid):
        create_folder(cora.actor, base_id=shelf.base.pk, path=path)


def test_renamed_folder_takes_all_below_along(cora: Persona, shelf: Shelf) -> None:
    create_folder(cora.actor, base_id=shelf.base.pk, path="Law/Empty")
    assert move_folder(cora.actor, base_id=shelf.base.pk, path="Law", new_path="Legal/Old") == 2
    assert paths(cora, shelf) == {
        "Legal": 2,
        "Legal/Old": 2,
        "Legal/Old/Cases": 1,
        "Legal/Old/Empty": 0,
    }


def test_folder_that_is_there_takes_the_moved_one_in(cora: Persona, shelf: Shelf) -> None:
    move_folder(cora.actor, base_id=shelf.base.pk, path="Law/Cases", new_path="Law")
    assert paths(cora, shelf) == {"Law": 2}


@pytest.mark.parametrize("new_path", ["Law", "Law/Cases/Law"])
def test_folder_does_not_go_into_itself(cora: Persona, shelf: Shelf, new_path: str) -> None:
    with pytest.raises(Invalid):
        move_folder(cora.actor, base_id=shelf.base.pk, path="Law", new_path=new_path)


def test_names_that_only_begin_alike_stay(cora: Persona, shelf: Shelf) -> None:
    create_folder(cora.actor, base_id=shelf.base.pk, path="Lawn")
    move_folder(cora.actor, base_id=shelf.base.pk, path="Law", new_path="Legal")
    assert "Lawn" in paths(cora, shelf)


def test_restriction_moves_with_its_folder(cora: Persona, victor: Persona, shelf: Shelf) -> None:
    place = Place(base_id=shelf.base.pk, folder_path="Law/Cases")
    restrict(cora.actor, place, user_ids=[], group_ids=[])
    move_folder(cora.actor, base_id=shelf.base.pk, path="Law", new_path="Open")
    assert closed(victor, shelf.inner)
    assert not closed(victor, shelf.outer)
    assert Restriction.objects.get().folder_path == "Open/Cases"


def test_folder_moved_below_a_restricted_one_is_closed_too(
    cora: Persona, victor: Persona, shelf: Shelf
) -> None:
    create_folder(cora.actor, base_id=shelf.base.pk, path="Board")
    restrict(
        cora.actor, Place(base_id=shelf.base.pk, folder_path="Board"), user_ids=[], group_ids=[]
    )
    move_folder(cora.actor, base_id=shelf.base.pk, path="Law", new_path="Board/Law")
    assert closed(victor, shelf.inner)
    assert DocumentWall.objects.count() == 2


def test_two_restricted_folders_are_not_joined(cora: Persona, shelf: Shelf) -> None:
    create_folder(cora.actor, base_id=shelf.base.pk, path="Board")
    for folder in ("Law", "Board"):
        place = Place(base_id=shelf.base.pk, folder_path=folder)
        restrict(cora.actor, place, user_ids=[], group_ids=[])
    with pytest.raises(Conflict, match="Lift one"):
        move_folder(cora.actor, base_id=shelf.base.pk, path="Law", new_path="Board")
    shelf.inner.refresh_from_db()
    assert shelf.inner.folder_path == "Law/Cases"


def test_name_of_a_restricted_empty_folder_is_hidden(
    cora: Persona, victor: Persona, shelf: Shelf
) -> None:
    create_folder(cora.actor, base_id=shelf.base.pk, path="Takeover/Bids")
    place = Place(base_id=shelf.base.pk, folder_path="Takeover")
    restrict(cora.actor, place, user_ids=[], group_ids=[])
    assert "Takeover" in paths(cora, shelf)
    assert not [path for path in paths(victor, shelf) if path.startswith("Takeover")]
    restrict(cora.actor, place, user_ids=[victor.user.pk], group_ids=[])
    assert "Takeover/Bids" in paths(victor, shelf)


def test_deleted_folder_goes_with_its_documents_to_the_trash(cora: Persona, shelf: Shelf) -> None:
    create_folder(cora.actor, base_id=shelf.base.pk, path="Law")
    assert delete_folder(cora.actor, base_id=shelf.base.pk, path="Law") == 2
    assert paths(cora, shelf) == {}
    assert Document.objects.filter(trashed_at__isnull=False).count() == 2
    assert not Folder.objects.exists()
    event = AuditEvent.objects.get(action="folder.delete")
    assert event.details["documents"] == 2
    with pytest.raises(NotFound):
        delete_folder(cora.actor, base_id=shelf.base.pk, path="Law/None")
