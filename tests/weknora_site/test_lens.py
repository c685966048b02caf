"""The access lens says what every door says, to those who may ask, and writes it down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.access import may
from accounts.models import AuditEvent, PlatformAuditEvent, User
from accounts.platform.lens import (
    explain_access,
    find_person,
    find_thing,
    lens_kind,
    lens_kinds,
    list_seen,
    look_as_administrator,
    look_as_member,
)
from core.errors import AccessDenied, NotFound
from core.tenancy import space_scope
from knowledge.access.restrict import Place, restrict
from tests.contracts.world import World, make_world
from tests.factories.accounts import make_user
from tests.factories.agents import make_agent
from tests.personas import LOGIN_BACKEND, Persona


@pytest.fixture
def root(db: None) -> User:
    return make_user("root@example.org", is_superuser=True, is_staff=True)


@pytest.fixture
def world(
    olivia: Persona, adam: Persona, cora: Persona, victor: Persona, settings: Any, tmp_path: Path
) -> World:
    settings.MEDIA_ROOT = tmp_path
    return make_world({"olivia": olivia, "adam": adam, "cora": cora, "victor": victor})


def test_each_answer_is_that_of_the_permission_engine(root: User, world: World) -> None:
    look = look_as_administrator(root, space_id=world.space.pk)
    rows = {
        "base": world.base,
        "document": world.document,
        "agent": world.agent,
        "conversation": world.conversation,
        "model": world.model,
    }
    for name in ("olivia", "adam", "cora", "victor"):
        persona = world.people[name]
        for kind_name, row in rows.items():
            kind = lens_kind(kind_name)
            found = explain_access(look, person=persona.user, kind=kind, row=row)
            (standing,) = found
            assert standing.role == persona.membership.role
            with space_scope(world.space.pk):
                for line in standing.lines:
                    assert line.verdict.allowed == may(persona.actor, line.action, row)
                    assert line.verdict.reasons


def test_a_guest_comes_from_another_space(root: User, world: World) -> None:
    look = look_as_administrator(root, space_id=world.space.pk)
    eddie = world.people["eddie"]
    for name, row in (("base", world.base), ("document", world.document)):
        (standing,) = explain_access(look, person=eddie.user, kind=lens_kind(name), row=row)
        assert (standing.home, standing.role) == ("Space D", "")
        verdicts = {line.action: line.verdict.allowed for line in standing.lines}
        assert verdicts["view"]
        assert not verdicts["delete"] or name == "document"
    agent = lens_kind("agent")
    (standing,) = explain_access(look, person=eddie.user, kind=agent, row=world.agent)
    verdicts = {line.action: line.verdict.allowed for line in standing.lines}
    assert verdicts == {
        "view": False,
        "use": True,
        "change": False,
        "share": False,
        "delete": False,
    }
    other = make_agent(world.space)
    assert not explain_access(look, person=eddie.user, kind=agent, row=other)


def test_a_restriction_is_the_reason(root: User, world: World) -> None:
    olivia, victor = world.people["olivia"], world.people["victor"]
    with olivia.scope():
        place = Place(base_id=world.base.pk, document_id=world.document.pk)
        restrict(olivia.actor, place, user_ids=[world.people["cora"].user.pk], group_ids=[])
    look = look_as_administrator(root, space_id=world.space.pk)
    kind = lens_kind("document")
    (standing,) = explain_access(look, person=victor.user, kind=kind, row=world.document)
    assert not any(line.verdict.allowed for line in standing.lines)
    assert standing.lines[0].verdict.reasons != ("Nothing allows it.",)
    seen = {one.kind.name: one.things for one in list_seen(look, person=victor.user)}
    assert seen["document"] == ()


def test_what_a_person_sees_is_what_they_may_view(root: User, world: World) -> None:
    look = look_as_administrator(root, space_id=world.space.pk)
    seen = {
        one.kind.name: one.things for one in list_seen(look, person=world.people["victor"].user)
    }
    assert [thing.name for thing in seen["base"]] == ["Answers", "Hangar"]
    assert [thing.name for thing in seen["document"]] == ["manual.txt"]
    assert "conversation" not in seen
    assert not list_seen(look, person=world.people["vera"].user)


def test_only_those_who_manage_the_space_look(world: World, root: User) -> None:
    for name in ("cora", "victor"):
        persona = world.people[name]
        with persona.scope(), pytest.raises(AccessDenied):
            look_as_member(persona.actor, persona.user)
        with pytest.raises(AccessDenied):
            look_as_administrator(persona.user, space_id=world.space.pk)
    with pytest.raises(NotFound):
        look_as_administrator(root, space_id=10**9)


def test_a_spaces_admin_asks_about_members_and_about_what_they_see_themselves(world: World) -> None:
    adam = world.people["adam"]
    with adam.scope():
        look = look_as_member(adam.actor, adam.user)
        with pytest.raises(NotFound):
            find_person(look, user_id=world.people["vera"].user.pk)
        with pytest.raises(NotFound):  # olivia's alone
            find_thing(look, lens_kind("conversation"), thing_id=str(world.conversation.pk))
        with pytest.raises(NotFound):
            find_thing(look, lens_kind("base"), thing_id="no number")


def test_each_look_is_written_down(root: User, world: World) -> None:
    adam, victor = world.people["adam"], world.people["victor"]
    with adam.scope():
        look = look_as_member(adam.actor, adam.user)
        explain_access(look, person=victor.user, kind=lens_kind("base"), row=world.base)
        event = AuditEvent.objects.get(action="lens.explain")
    assert (event.actor_id, event.target_id) == (str(adam.user.pk), str(victor.user.pk))
    list_seen(look_as_administrator(root, space_id=world.space.pk), person=victor.user)
    written = PlatformAuditEvent.objects.get(action="lens.list")
    assert (written.user, written.details["space"]) == (root, world.space.pk)


def test_a_conversation_is_called_by_person_and_day_alone(root: User, world: World) -> None:
    name = lens_kind("conversation").called(world.conversation)
    assert "Olivia" in name
    assert world.conversation.title not in name


def test_every_kind_has_a_policy_and_can_be_found(root: User, world: World) -> None:
    look = look_as_administrator(root, space_id=world.space.pk)
    victor = world.people["victor"].user
    with space_scope(world.space.pk):
        for kind in lens_kinds():
            row = kind.find(world.space.pk).first()
            assert explain_access(look, person=victor, kind=kind, row=row), kind.name


def test_the_pages_show_verdicts_and_reasons(root: User, world: World) -> None:
    client = Client()
    client.force_login(root, backend=LOGIN_BACKEND)
    victor = world.people["victor"].user
    asked = {"person": str(victor.pk), "kind": "base", "thing": str(world.base.pk)}
    own = world.people["adam"].client.get(reverse("lens"), asked).content.decode()
    site = client.get(
        reverse("admin:accounts_lens"), {**asked, "space": str(world.space.pk)}
    ).content.decode()
    for page in (own, site):
        assert 'data-verdict="yes"' in page
        assert 'data-verdict="no"' in page
        assert "The role viewer may view bases." in page
        assert "Nothing allows it." in page
    for part in (
        {},
        {"person": victor.email},
        {"person": victor.email, "kind": "document", "q": "man"},
    ):
        assert world.people["adam"].client.get(reverse("lens"), part).status_code == 200
        answer = client.get(reverse("admin:accounts_lens"), {**part, "space": str(world.space.pk)})
        assert answer.status_code == 200
