"""Restrictions: who is kept out, from when, and by what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from accounts.access import explain, require, visible
from accounts.constants import Role
from accounts.models import AuditEvent, SpaceGroup
from accounts.signals import membership_ended
from core.errors import AccessDenied, Invalid, NotFound
from core.tenancy import space_scope
from knowledge.access.fit import folders_above, raise_walls
from knowledge.access.queries import restricted_ids, who_may_read
from knowledge.access.restrict import Place, lift, restrict
from knowledge.models import Chunk, Document, DocumentWall, RemovedDocument
from knowledge.services.documents import add_document, delete_document
from knowledge.services.removal import remove_document
from tests.factories.accounts import make_member
from tests.factories.knowledge import make_document
from tests.knowledge.access.conftest import Shelf, make_group, sees
from tests.personas import Persona, make_persona

ALWAYS = {"olivia", "adam", "cora"}
"""Owner and admin of the space, and who made the base."""
MakeGroup = Callable[..., SpaceGroup]


def place(document: Document) -> Place:
    return Place(base_id=document.base_id, document_id=document.pk)


def folder(shelf: Shelf, path: str) -> Place:
    return Place(base_id=shelf.base.pk, folder_path=path)


def test_a_restricted_document_is_read_by_whom_it_names(shelf: Shelf, victor: Persona) -> None:
    vera = make_persona(shelf.base.space, name="Vera", role=Role.VIEWER)
    with victor.scope():
        restrict(
            shelf.people["cora"].actor, place(shelf.root), user_ids=[vera.user.pk], group_ids=[]
        )
        assert shelf.readers(shelf.root) == ALWAYS
        assert sees(vera.actor, shelf.root)
        assert not sees(victor.actor, shelf.root)
        assert shelf.readers(shelf.outer) == {*ALWAYS, "victor"}


def test_a_restricted_folder_holds_for_all_below_it_and_nothing_beside(shelf: Shelf) -> None:
    twin = Document(base=shelf.base, folder_path="Law/20266", name="twin.txt", size_bytes=1)
    twin.space_id = shelf.base.space_id
    with space_scope(shelf.base.space_id):
        twin.save()
        restrict(shelf.people["adam"].actor, folder(shelf, "/Law/2026/"), user_ids=[], group_ids=[])
        assert shelf.readers(shelf.outer) == shelf.readers(shelf.inner) == ALWAYS
        assert "victor" in shelf.readers(shelf.root)
        assert "victor" in shelf.readers(twin)


def test_who_reads_a_document_passes_every_restriction_above_it(
    shelf: Shelf, victor: Persona
) -> None:
    cora = shelf.people["cora"].actor
    with victor.scope():
        restrict(cora, folder(shelf, "Law"), user_ids=[victor.user.pk], group_ids=[])
        restrict(cora, folder(shelf, "Law/2026/Cases"), user_ids=[], group_ids=[])
        assert sees(victor.actor, shelf.outer)
        assert not sees(victor.actor, shelf.inner)


def test_a_group_passes_and_leaving_it_closes_the_document_at_once(
    shelf: Shelf, victor: Persona, group_of: MakeGroup
) -> None:
    with victor.scope():
        group = group_of(victor)
        restrict(shelf.people["cora"].actor, place(shelf.root), user_ids=[], group_ids=[group.pk])
        assert sees(victor.actor, shelf.root)
        victor.user.groups.clear()
        assert not sees(victor.actor, shelf.root)


def test_setting_it_again_names_exactly_the_new_people(shelf: Shelf, victor: Persona) -> None:
    vera = make_persona(shelf.base.space, name="Vera", role=Role.VIEWER)
    cora = shelf.people["cora"].actor
    with victor.scope():
        restrict(cora, place(shelf.root), user_ids=[vera.user.pk], group_ids=[])
        restrict(cora, place(shelf.root), user_ids=[victor.user.pk], group_ids=[])
        assert sees(victor.actor, shelf.root)
        assert not sees(vera.actor, shelf.root)
        events = AuditEvent.objects.filter(action="restriction.set").order_by("pk")
        assert events[1].details["old"]["users"] == [vera.user.pk]
        assert events[1].details["new"]["users"] == [victor.user.pk]


def test_lifting_opens_only_what_nothing_else_closes(shelf: Shelf, victor: Persona) -> None:
    cora = shelf.people["cora"].actor
    with victor.scope():
        restrict(cora, folder(shelf, "Law"), user_ids=[], group_ids=[])
        restrict(cora, place(shelf.outer), user_ids=[], group_ids=[])
        lift(cora, folder(shelf, "Law"))
        assert sees(victor.actor, shelf.inner)
        assert not sees(victor.actor, shelf.outer)
        with pytest.raises(NotFound, match="folders above"):
            lift(cora, folder(shelf, "Law"))


def test_a_new_document_stands_behind_the_walls_of_its_folder(
    shelf: Shelf, victor: Persona, settings: Settings, tmp_path: object
) -> None:
    settings.MEDIA_ROOT = tmp_path
    cora = shelf.people["cora"].actor
    with victor.scope():
        restrict(cora, folder(shelf, "Law"), user_ids=[], group_ids=[])
        new = add_document(
            cora, base_id=shelf.base.pk, name="a/new.txt", content=b"x", folder_path="Law/2027"
        )
        assert not sees(victor.actor, new)
        assert restricted_ids([new.pk, shelf.root.pk]) == {new.pk}


def test_a_moved_document_changes_its_walls(shelf: Shelf, victor: Persona) -> None:
    with victor.scope():
        restrict(shelf.people["cora"].actor, folder(shelf, "Law"), user_ids=[], group_ids=[])
        shelf.root.folder_path, shelf.outer.folder_path = "Law", ""
        Document.objects.bulk_update([shelf.root, shelf.outer], ["folder_path"])
        raise_walls([shelf.root, shelf.outer])
        assert not sees(victor.actor, shelf.root)
        assert sees(victor.actor, shelf.outer)


def test_passages_are_as_closed_as_their_document(shelf: Shelf, victor: Persona) -> None:
    with victor.scope():
        restrict(shelf.people["cora"].actor, folder(shelf, "Law"), user_ids=[], group_ids=[])
        found = visible(victor.actor, "view", Chunk.objects.all())
        assert [chunk.document_id for chunk in found] == [shelf.root.pk]
        assert visible(shelf.people["cora"].actor, "view", Chunk.objects.all()).count() == 3


def test_what_one_may_not_see_one_may_not_change(shelf: Shelf) -> None:
    """A base's editor, a contributor who did not make it, changes nothing behind a wall."""
    with space_scope(shelf.base.space_id):
        restrict(shelf.people["adam"].actor, place(shelf.root), user_ids=[], group_ids=[])
        for action in ("view", "change", "delete"):
            with pytest.raises(NotFound):
                require(shelf.people["victor"].actor, action, shelf.root)
        verdict = explain(shelf.people["victor"].actor, "view", shelf.root)
        assert verdict.reasons == ("It is restricted to others.",)


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "api_key", "user_id": None},
        {"kind": "embed", "user_id": None, "role": None},
        {"home_space_id": 999},
    ],
    ids=["key", "visitor", "guest"],
)
def test_only_people_of_the_space_pass(
    shelf: Shelf, olivia: Persona, changes: dict[str, object]
) -> None:
    """Even with an admin's role, even when the restriction names the person behind it."""
    somebody = replace(olivia.actor, **changes)  # type: ignore[arg-type]  # fields by name
    with olivia.scope():
        restrict(olivia.actor, place(shelf.root), user_ids=[olivia.user.pk], group_ids=[])
        assert not sees(somebody, shelf.root)
        if somebody.role:
            assert sees(somebody, shelf.outer)


def test_who_became_a_viewer_no_longer_passes_as_the_base_s_creator(shelf: Shelf) -> None:
    cora = shelf.people["cora"]
    with cora.scope():
        restrict(cora.actor, place(shelf.root), user_ids=[], group_ids=[])
        assert not sees(replace(cora.actor, role=Role.VIEWER), shelf.root)


@pytest.mark.parametrize("name", ["victor", "mallory"])
def test_who_may_not_share_the_base_restricts_nothing(shelf: Shelf, name: str) -> None:
    person = shelf.people[name]
    expected = NotFound if name == "mallory" else AccessDenied
    with person.scope():
        for change in (
            lambda: restrict(person.actor, place(shelf.root), user_ids=[], group_ids=[]),
            lambda: lift(person.actor, place(shelf.root)),
            lambda: who_may_read(person.actor, document_id=shelf.root.pk),
        ):
            with pytest.raises(expected):
                change()


def test_people_and_groups_of_other_spaces_cannot_be_named(shelf: Shelf, mallory: Persona) -> None:
    cora = shelf.people["cora"]
    with mallory.scope():
        theirs = make_group(mallory.space, mallory)
        theirs.save()
    with cora.scope():
        with pytest.raises(Invalid, match="not an active member"):
            restrict(cora.actor, place(shelf.root), user_ids=[mallory.user.pk], group_ids=[])
        with pytest.raises(Invalid, match="group"):
            restrict(cora.actor, place(shelf.root), user_ids=[], group_ids=[theirs.pk])
        assert not DocumentWall.objects.exists()


def test_who_left_the_space_is_named_no_more_when_they_come_back(
    shelf: Shelf, victor: Persona
) -> None:
    with victor.scope():
        cora = shelf.people["cora"].actor
        restrict(cora, place(shelf.root), user_ids=[victor.user.pk], group_ids=[])
        membership_ended.send(sender=type(victor), space_id=victor.space.pk, user_id=victor.user.pk)
        assert not sees(victor.actor, shelf.root)


def test_a_document_that_is_gone_leaves_a_trace_that_says_whether_it_was_restricted(
    shelf: Shelf, victor: Persona, settings: Settings, tmp_path: object
) -> None:
    settings.MEDIA_ROOT = tmp_path
    cora = shelf.people["cora"].actor
    with victor.scope():
        restrict(cora, place(shelf.root), user_ids=[], group_ids=[])
        for document in (shelf.root, shelf.outer):
            delete_document(cora, document_id=document.pk)
            remove_document(document.pk)
        traces = {row.document_id: row.was_restricted for row in RemovedDocument.objects.all()}
        assert traces == {shelf.root.pk: True, shelf.outer.pk: False}


def test_the_list_of_readers_is_the_policy_s(
    shelf: Shelf, victor: Persona, group_of: MakeGroup
) -> None:
    vera = make_persona(shelf.base.space, name="Vera", role=Role.VIEWER)
    carl = make_persona(shelf.base.space, name="Carl", role=Role.CONTRIBUTOR)
    cora = shelf.people["cora"].actor
    everybody = [p for n, p in shelf.people.items() if n != "mallory"] + [vera, carl]
    with victor.scope():
        group = group_of(victor, carl)
        restrict(cora, folder(shelf, "Law"), user_ids=[vera.user.pk], group_ids=[group.pk])
        restrict(cora, place(shelf.inner), user_ids=[victor.user.pk], group_ids=[])
        for document in (shelf.root, shelf.outer, shelf.inner):
            told = {each.user.pk for each in who_may_read(cora, document_id=document.pk)}
            assert told == {each.user.pk for each in everybody if sees(each.actor, document)}
        ways = {each.user.pk: each.via for each in who_may_read(cora, document_id=shelf.outer.pk)}
        assert ways[vera.user.pk] == "name"
        assert ways[carl.user.pk] == "Legal"
        assert ways[cora.user_id or 0] == "creator"


@pytest.mark.parametrize("count", [0, 40])
def test_a_check_costs_one_query_whatever_the_number_of_restrictions(
    shelf: Shelf, victor: Persona, count: int
) -> None:
    cora = shelf.people["cora"].actor
    with victor.scope():
        for number in range(count):
            make_document(shelf.base, name="of.txt", folder_path=f"Law/{number}")
            restrict(cora, folder(shelf, f"Law/{number}"), user_ids=[], group_ids=[])
        restrict(cora, folder(shelf, "Law"), user_ids=[victor.user.pk], group_ids=[])
        with CaptureQueriesContext(connection) as asked:
            require(victor.actor, "view", shelf.inner)
        assert len(asked) == 1
        with CaptureQueriesContext(connection) as listed:
            assert visible(victor.actor, "view", Document.objects.all()).count() == 3
        assert len(listed) == 1


def test_folders_are_counted_from_the_root() -> None:
    assert folders_above("") == [""]
    assert folders_above("a/b") == ["", "a", "a/b"]


def test_the_whole_base_can_be_restricted(shelf: Shelf, victor: Persona) -> None:
    with victor.scope():
        restrict(shelf.people["cora"].actor, folder(shelf, ""), user_ids=[], group_ids=[])
        assert not visible(victor.actor, "view", Document.objects.all()).exists()


def test_a_document_of_another_base_cannot_be_restricted_through_one_s_own(
    shelf: Shelf, victor: Persona
) -> None:
    with victor.scope():
        wrong = Place(base_id=uuid4(), document_id=shelf.root.pk)
        with pytest.raises(NotFound):
            restrict(shelf.people["cora"].actor, wrong, user_ids=[], group_ids=[])


def test_a_suspended_member_is_kept_out_by_having_no_actor(shelf: Shelf) -> None:
    member = make_member(shelf.base.space, role=Role.VIEWER)
    with space_scope(shelf.base.space_id):
        cora = shelf.people["cora"].actor
        restrict(cora, place(shelf.root), user_ids=[member.user_id], group_ids=[])
        member.state = "suspended"
        member.save()
        told = {each.user.pk for each in who_may_read(cora, document_id=shelf.root.pk)}
        assert member.user_id not in told
