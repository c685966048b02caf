"""The permission engine: one answer for a check, a list and the question why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pytest
from django.db.models import Exists, OuterRef, Q

from accounts import access
from accounts.access import (
    Action,
    Actor,
    Clause,
    InheritedPolicy,
    Policy,
    explain,
    may,
    policy_of,
    register,
    require,
    visible,
)
from accounts.constants import Role
from accounts.models import Space, User
from core.errors import AccessDenied, NotFound
from core.tenancy import space_scope
from knowledge.models import Chunk, Document, KnowledgeBase
from tests.factories.agents import make_conversation
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona

PEOPLE = ("olivia", "adam", "cora", "victor")
ACTIONS: tuple[Action, ...] = ("view", "use", "change", "delete", "share")


@pytest.fixture
def bases(olivia: Persona, cora: Persona) -> list[KnowledgeBase]:
    """One base of olivia's, one of cora's."""
    return [make_base(one.space, created_by=one.user) for one in (olivia, cora)]


@pytest.fixture
def swapped() -> Iterator[dict[type, Policy]]:
    """The registry, given back as it was."""
    before = dict(access._policies)
    yield access._policies
    access._policies.clear()
    access._policies.update(before)


def allowed(persona: Persona, action: Action, rows: Sequence[KnowledgeBase]) -> list[bool]:
    return [may(persona.actor, action, row) for row in rows]


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("action", ACTIONS)
def test_check_list_and_reason_agree(
    request: pytest.FixtureRequest, bases: list[KnowledgeBase], name: str, action: Action
) -> None:
    persona: Persona = request.getfixturevalue(name)
    with persona.scope():
        listed = set(visible(persona.actor, action, KnowledgeBase.objects.all()))
        for base in bases:
            verdict = explain(persona.actor, action, base)
            assert verdict.allowed == may(persona.actor, action, base) == (base in listed)
            assert verdict.reasons


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("olivia", [True, True]),
        ("adam", [True, True]),
        ("cora", [False, True]),
        ("victor", [False, False]),
    ],
)
def test_contributors_change_what_they_made_and_admins_all(
    request: pytest.FixtureRequest, bases: list[KnowledgeBase], name: str, expected: list[bool]
) -> None:
    persona: Persona = request.getfixturevalue(name)
    with persona.scope():
        assert allowed(persona, "view", bases) == [True, True]
        assert allowed(persona, "change", bases) == expected
        assert allowed(persona, "delete", bases) == expected
        documents = [make_document(base, texts=["x"]) for base in bases]
        assert [may(persona.actor, "change", one) for one in documents] == expected
        assert set(visible(persona.actor, "change", Document.objects.all())) == {
            one for one, yes in zip(documents, expected, strict=True) if yes
        }
        assert Chunk.objects.count() == visible(persona.actor, "view", Chunk.objects.all()).count()


def test_a_maker_who_became_a_viewer_changes_nothing(
    cora: Persona, bases: list[KnowledgeBase]
) -> None:
    cora.membership.role = Role.VIEWER
    with cora.scope():
        assert allowed(cora, "change", bases) == [False, False]


def test_what_may_not_be_seen_is_not_there_and_the_rest_forbidden(
    victor: Persona, mallory: Persona, bases: list[KnowledgeBase]
) -> None:
    with victor.scope(), pytest.raises(AccessDenied, match="Viewer"):
        require(victor.actor, "change", bases[0])
    for scope in (mallory.space, victor.space):
        with space_scope(scope.pk):
            for action in ACTIONS:
                with pytest.raises(NotFound):
                    require(mallory.actor, action, bases[0])
            assert list(visible(mallory.actor, "view", KnowledgeBase.objects.all())) == []


def test_no_role_opens_a_conversation_but_its_persons(olivia: Persona, victor: Persona) -> None:
    talk = make_conversation(victor.space, user=victor.user)
    with victor.scope():
        require(victor.actor, "delete", talk)
        with pytest.raises(NotFound):
            require(olivia.actor, "view", talk)


def test_creating_below_a_row_needs_the_right_to_change_that_row(
    cora: Persona, bases: list[KnowledgeBase]
) -> None:
    olivias, coras = bases
    with cora.scope():
        require(cora.actor, "create", KnowledgeBase)
        require(cora.actor, "create", coras)
        with pytest.raises(AccessDenied):
            require(cora.actor, "create", olivias)


def test_a_class_can_only_be_asked_about_creating(cora: Persona) -> None:
    with pytest.raises(TypeError):
        require(cora.actor, "change", KnowledgeBase)


def test_viewers_create_nothing_that_is_shared(victor: Persona) -> None:
    with pytest.raises(AccessDenied):
        require(victor.actor, "create", KnowledgeBase)


def test_a_model_without_a_policy_cannot_be_asked_about(victor: Persona) -> None:
    with pytest.raises(LookupError, match="User has no policy"):
        policy_of(User)


def test_a_model_gets_one_policy() -> None:
    with pytest.raises(RuntimeError):
        register(KnowledgeBase, policy_of(KnowledgeBase))


@pytest.mark.parametrize("scopes", [frozenset(), frozenset({"bases.change"})])
def test_a_keys_scopes_narrow_its_role(
    olivia: Persona, bases: list[KnowledgeBase], scopes: frozenset[str]
) -> None:
    key = Actor(kind="api_key", id="1", space_id=olivia.space.pk, role=Role.ADMIN, scopes=scopes)
    with olivia.scope():
        assert may(key, "change", bases[0]) == ("bases.change" in scopes)
        assert not may(key, "view", bases[0])
        assert not may(key, "create", KnowledgeBase)
        assert list(visible(key, "view", KnowledgeBase.objects.all())) == []


def test_a_key_owns_nothing_by_having_made_it(bases: list[KnowledgeBase], cora: Persona) -> None:
    key = Actor(kind="api_key", id="1", space_id=cora.space.pk, role=Role.CONTRIBUTOR)
    with cora.scope():
        assert [may(key, "change", base) for base in bases] == [False, False]


class _Fenced(Policy):
    """Everybody sees all, but nobody what is called "secret", and contributors not "internal"."""

    area = "bases"
    allows: ClassVar[bool] = True

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        found = [Clause(effect="deny", reason="secret", where=Q(name="secret"))]
        if actor.role == Role.CONTRIBUTOR:
            found.append(Clause(effect="deny", reason="internal", where=Q(name="internal")))
        if self.allows:
            found.append(Clause(effect="allow", reason="everybody"))
        return found


def _named_bases(space: Space) -> None:
    for name in ("open", "internal", "secret"):
        make_document(make_base(space, name=name), name=name, texts=[name])


@pytest.mark.parametrize(
    ("name", "expected"), [("olivia", {"open", "internal"}), ("cora", {"open"})]
)
def test_a_denial_wins_and_flows_down(
    request: pytest.FixtureRequest, swapped: dict[type, Policy], name: str, expected: set[str]
) -> None:
    persona: Persona = request.getfixturevalue(name)
    _named_bases(persona.space)
    swapped[KnowledgeBase] = _Fenced()
    with persona.scope():
        actor = persona.actor
        bases, documents = KnowledgeBase.objects.all(), Document.objects.all()
        assert {one.name for one in visible(actor, "view", bases)} == expected
        assert {one.name for one in visible(actor, "view", documents)} == expected
        assert {one.name for one in bases if may(actor, "view", one)} == expected
        assert {one.name for one in documents if may(actor, "view", one)} == expected
        texts = visible(persona.actor, "view", Chunk.objects.all()).values_list("text", flat=True)
        assert set(texts) == expected
        secret = KnowledgeBase.objects.get(name="secret")
        assert explain(persona.actor, "view", secret).reasons == ("secret",)


def test_denials_alone_allow_nothing(olivia: Persona, swapped: dict[type, Policy]) -> None:
    _named_bases(olivia.space)
    policy = _Fenced()
    policy.allows = False  # type: ignore[misc]  # this one instance only
    swapped[KnowledgeBase] = policy
    with olivia.scope():
        assert not visible(olivia.actor, "view", KnowledgeBase.objects.all()).exists()
        assert not may(olivia.actor, "create", KnowledgeBase)


def test_a_row_that_is_gone_is_not_there(olivia: Persona, swapped: dict[type, Policy]) -> None:
    base = make_base(olivia.space, name="secret")
    swapped[KnowledgeBase] = _Fenced()
    with olivia.scope():
        KnowledgeBase.objects.filter(pk=base.pk).delete()
        with pytest.raises(NotFound):
            require(olivia.actor, "view", base)


def test_a_condition_that_cannot_be_inherited_is_told(
    olivia: Persona, swapped: dict[type, Policy]
) -> None:
    class Odd(_Fenced):
        def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
            where = Q(Exists(Document.objects.filter(base=OuterRef("pk"))))
            return [Clause(effect="allow", reason="odd", where=where)]

    swapped[KnowledgeBase] = Odd()
    assert isinstance(policy_of(Document), InheritedPolicy)
    with olivia.scope(), pytest.raises(TypeError, match="write it as a lookup"):
        visible(olivia.actor, "view", Document.objects.all())


def test_asking_costs_a_fixed_number_of_queries(
    cora: Persona, bases: list[KnowledgeBase], django_assert_num_queries: Any
) -> None:
    with cora.scope():
        document = make_document(bases[1])
        require(cora.actor, "view", document)  # a process reads the row of the permission once
        with django_assert_num_queries(1):
            require(cora.actor, "change", document)
        with django_assert_num_queries(1):
            require(cora.actor, "view", document)
        with django_assert_num_queries(0):
            require(cora.actor, "view", cora.space)
        with django_assert_num_queries(1):
            list(visible(cora.actor, "change", Document.objects.all()))
