"""Two spaces full of secrets, who may see each of them, and how that changes.

The oracle knows nothing of the product's policies: it has the rules of `docs/boundaries/access.md`
written down once more, as plain Python over sets.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.auth.models import Group
from django.test import Client

from accounts.constants import MembershipState, OrganisationRole, Role
from accounts.models import (
    Membership,
    Organisation,
    OrganisationSpace,
    Space,
    SpaceGroup,
    User,
)
from accounts.signals import membership_ended
from core.tenancy import space_scope
from knowledge.access.fit import lock_base, raise_walls
from knowledge.access.restrict import Place, lift, restrict
from knowledge.constants import DocumentState
from knowledge.ingest.embed import embed_chunks
from knowledge.ingest.index import index_chunks
from knowledge.models import BaseShare, Chunk, Document, KnowledgeBase
from knowledge.services.documents import delete_document
from knowledge.services.removal import remove_document
from knowledge.storage import store_file

TOKEN = re.compile(r"zq[0-9a-f]{14}")
FOLDERS = ("", "Law", "Law/2025", "Law/2026", "Law/2026/Cases", "Staff", "Staff/Pay", "Open")
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@dataclass(kw_only=True)
class Secret:
    """A document with its secrets: one in its text, one in its name."""

    number: int
    document_id: UUID
    base_id: UUID
    space_id: int
    folder: str
    text: str
    name: str
    is_gone: bool = False
    was_restricted: bool = False
    """When it went."""


@dataclass(kw_only=True)
class Person:
    """Somebody who calls."""

    name: str
    user: User | None
    space_id: int | None
    role: Role | None
    client: Client
    state: str = "active"
    """`active`, `suspended`, `removed` or `stranger` (not signed in)."""


@dataclass(kw_only=True)
class Rule:
    """A restriction as the oracle has it."""

    users: set[int]
    groups: set[int]


Key = tuple[UUID, str, UUID | None]
"""Base, folder, document."""


@dataclass(kw_only=True)
class CanaryWorld:
    """Everything there is, and the oracle's book about it."""

    a: Space
    b: Space
    organisation: Organisation
    people: list[Person]
    bases: dict[UUID, KnowledgeBase]
    creators: dict[UUID, int]
    secrets: list[Secret] = field(default_factory=list)
    by_token: dict[str, Secret] = field(default_factory=dict)
    rules: dict[Key, Rule] = field(default_factory=dict)
    groups: dict[int, set[int]] = field(default_factory=dict)
    """Members of each group, by the group's id."""
    shared: set[UUID] = field(default_factory=set)
    """Bases of B that are open to A."""
    changes: int = 0

    def may_see(self, person: Person, secret: Secret) -> bool:
        """Say whether the person may see what is in the document now."""
        user = person.user
        if user is None or person.state != "active" or person.role is None:
            return False
        rules = list(self._rules_of(secret))
        if person.space_id != secret.space_id:
            closed = rules or (secret.is_gone and secret.was_restricted)
            return secret.base_id in self.shared and not closed
        if person.role in (Role.OWNER, Role.ADMIN):
            return True
        is_creator = self.creators[secret.base_id] == user.pk and person.role == Role.CONTRIBUTOR
        if is_creator:
            return True
        if secret.is_gone:
            return not secret.was_restricted
        return all(self._passes(user.pk, rule) for rule in rules)

    def is_restricted(self, secret: Secret) -> bool:
        """Say whether any rule holds for the document."""
        return any(True for _ in self._rules_of(secret))

    def _rules_of(self, secret: Secret) -> Iterator[Rule]:
        if secret.is_gone:
            return
        for (base_id, folder, document_id), rule in self.rules.items():
            if base_id != secret.base_id:
                continue
            if document_id is not None:
                holds = document_id == secret.document_id
            else:
                holds = folder == "" or f"{secret.folder}/".startswith(f"{folder}/")
            if holds:
                yield rule

    def _passes(self, user_id: int, rule: Rule) -> bool:
        return user_id in rule.users or any(user_id in self.groups[group] for group in rule.groups)

    def leaks(self, person: Person, sent: str, answer: str) -> list[str]:
        """Return the secrets in an answer that the person may not see and did not send themselves."""
        found = set(TOKEN.findall(answer)) - set(TOKEN.findall(sent))
        return [
            token
            for token in sorted(found)
            if token in self.by_token and not self.may_see(person, self.by_token[token])
        ]

    def actor_of_admin(self) -> Any:
        """Return the owner of space A, who makes the changes."""
        from accounts.actors import actor_of  # noqa: PLC0415  after the settings

        owner = self.people[0].user
        assert owner is not None
        return actor_of(owner, space_id=self.a.pk)


def build_world(chance: random.Random, *, documents: int, model: Any) -> CanaryWorld:
    """Make the spaces, their people, and documents with secrets behind some restrictions."""
    a, b = Space.objects.create(name="Canaries A"), Space.objects.create(name="Canaries B")
    people = _people(a, b)
    users = {each.name: each.user for each in people if each.user is not None}
    bases: dict[UUID, KnowledgeBase] = {}
    creators: dict[UUID, int] = {}
    for space, name, maker in (
        (a, "Handbook", "olivia"),
        (a, "Contracts", "cora"),
        (a, "Projects", "adam"),
        (b, "Tower", "mallory"),
        (b, "Shared tower", "mallory"),
    ):
        with space_scope(space.pk):
            base = KnowledgeBase.objects.create(space=space, name=name, created_by=users[maker])
        bases[base.pk], creators[base.pk] = base, users[maker].pk
    organisation = Organisation.objects.create(name="Canaries", owner_space=b)
    for space, role in ((b, OrganisationRole.ADMIN), (a, OrganisationRole.EDITOR)):
        OrganisationSpace.objects.create(organisation=organisation, member=space, role=role)
    world = CanaryWorld(
        a=a, b=b, organisation=organisation, people=people, bases=bases, creators=creators
    )
    for name in ("Legal", "Board", "Night shift"):
        _add_group(world, name, chance)
    toggle_share(world)
    for number in range(documents):
        add_secret(world, chance, model, number=number)
    for _ in range(documents // 6):
        change_restriction(world, chance)
    return world


def _people(a: Space, b: Space) -> list[Person]:
    roster: tuple[tuple[str, Space | None, Role | None, str], ...] = (
        ("olivia", a, Role.OWNER, "active"),
        ("adam", a, Role.ADMIN, "active"),
        ("cora", a, Role.CONTRIBUTOR, "active"),
        ("carl", a, Role.CONTRIBUTOR, "active"),
        ("victor", a, Role.VIEWER, "active"),
        ("vera", a, Role.VIEWER, "active"),
        ("vito", a, Role.VIEWER, "active"),
        ("susan", a, Role.VIEWER, "suspended"),
        ("rem", a, Role.CONTRIBUTOR, "removed"),
        ("mallory", b, Role.OWNER, "active"),
        ("mark", b, Role.VIEWER, "active"),
        ("nobody", None, None, "stranger"),
    )
    found = []
    for name, space, role, state in roster:
        if space is None:
            found.append(
                Person(name=name, user=None, space_id=None, role=None, client=Client(), state=state)
            )
            continue
        user = User.objects.create_user(f"{name}@canaries.example", None, name=name)
        client = Client()
        client.force_login(user, backend=BACKEND)
        if state != "removed":
            Membership.objects.create(
                space=space, user=user, role=role or Role.VIEWER, state=MembershipState(state)
            )
        found.append(
            Person(name=name, user=user, space_id=space.pk, role=role, client=client, state=state)
        )
    return found


def _add_group(world: CanaryWorld, name: str, chance: random.Random) -> None:
    auth_group = Group.objects.create(name=f"canaries {world.a.pk} {name}")
    with space_scope(world.a.pk):
        group = SpaceGroup.objects.create(space=world.a, name=name, auth_group=auth_group)
    world.groups[group.pk] = set()
    for person in _members(world):
        if chance.random() < 0.4 and person.user is not None:
            person.user.groups.add(auth_group)
            world.groups[group.pk].add(person.user.pk)


def _members(world: CanaryWorld) -> list[Person]:
    return [p for p in world.people if p.space_id == world.a.pk and p.state != "removed"]


def add_secret(
    world: CanaryWorld, chance: random.Random, model: Any, *, number: int | None = None
) -> Secret:
    """Put a document with two fresh secrets into a base, as an upload would."""
    number = len(world.secrets) if number is None else number
    base = chance.choice(list(world.bases.values()))
    text, name = (f"zq{chance.getrandbits(56):014x}" for _ in range(2))
    folder = chance.choice(FOLDERS)
    body = f"The word of document {number} is {text}. Rent, salary and notice stand here, too."
    with space_scope(base.space_id):
        lock = base.pk
        stored = store_file(base.space_id, _stream(body))
        document = _make_document(base, f"note {number} {name}.txt", folder, stored, lock)
        Chunk.objects.bulk_create([_chunk(document, body, text)])
        embed_chunks(document, model=model)
        index_chunks(document)
    secret = Secret(
        number=number,
        document_id=document.pk,
        base_id=base.pk,
        space_id=base.space_id,
        folder=folder,
        text=text,
        name=name,
    )
    world.secrets.append(secret)
    world.by_token[text] = world.by_token[name] = secret
    return secret


def _stream(body: str) -> Any:
    from io import BytesIO  # noqa: PLC0415  one use

    return BytesIO(body.encode())


def _make_document(
    base: KnowledgeBase, name: str, folder: str, stored: Any, lock: UUID
) -> Document:
    from django.db import transaction  # noqa: PLC0415  one use
    from django.utils import timezone  # noqa: PLC0415  one use

    with transaction.atomic():
        lock_base(lock)
        document = Document.objects.create(
            space_id=base.space_id,
            base=base,
            name=name,
            folder_path=folder,
            file_type="txt",
            size_bytes=stored.size_bytes,
            content_hash=stored.content_hash,
            revision=1,
            state=DocumentState.COMPLETED,
            chunk_count=1,
            searchable_at=timezone.now(),
        )
        raise_walls([document])
    return document


def _chunk(document: Document, body: str, token: str) -> Chunk:
    from hashlib import sha256  # noqa: PLC0415  one use

    return Chunk(
        space_id=document.space_id,
        base_id=document.base_id,
        document=document,
        document_revision=1,
        position=0,
        text=body,
        content_hash=sha256(body.encode()).hexdigest(),
        heading_path=[f"Heading {token}"],
        char_start=0,
        char_end=len(body),
    )


def change_restriction(world: CanaryWorld, chance: random.Random) -> None:
    """Restrict a document or folder of space A (or B), change that, or lift it."""
    in_b = chance.random() < 0.15
    space = world.b if in_b else world.a
    secret = chance.choice(
        [each for each in world.secrets if each.space_id == space.pk and not each.is_gone]
    )
    document_id, folder = (secret.document_id, "")
    parts = secret.folder.split("/") if secret.folder else []
    if parts and chance.random() < 0.4:
        depth = chance.randint(1, len(parts))
        document_id, folder = None, "/".join(parts[:depth])  # type: ignore[assignment]
    key: Key = (secret.base_id, folder, document_id)
    place = Place(base_id=secret.base_id, folder_path=folder, document_id=document_id)
    with space_scope(space.pk):
        actor = _admin_of(world, space)
        if key in world.rules and chance.random() < 0.5:
            lift(actor, place)
            del world.rules[key]
            return
        users = {
            person.user.pk
            for person in world.people
            if person.space_id == space.pk
            and person.state == "active"
            and person.user is not None
            and chance.random() < 0.25
        }
        groups = set() if in_b else {each for each in world.groups if chance.random() < 0.3}
        restrict(actor, place, user_ids=users, group_ids=groups)
        world.rules[key] = Rule(users=users, groups=groups)


def _admin_of(world: CanaryWorld, space: Space) -> Any:
    if space == world.a:
        return world.actor_of_admin()
    from accounts.actors import actor_of  # noqa: PLC0415  after the settings

    owner = next(each for each in world.people if each.name == "mallory").user
    assert owner is not None
    return actor_of(owner, space_id=space.pk)


def toggle_share(world: CanaryWorld) -> None:
    """Open B's second base to A, or close it again."""
    base = [each for each in world.bases.values() if each.space_id == world.b.pk][1]
    with space_scope(world.b.pk):
        if base.pk in world.shared:
            BaseShare.objects.filter(base=base).delete()
            world.shared.discard(base.pk)
        else:
            BaseShare.objects.create(space=world.b, base=base, organisation=world.organisation)
            world.shared.add(base.pk)


def change_group(world: CanaryWorld, chance: random.Random) -> None:
    """Put somebody into a group, or take them out."""
    group_id = chance.choice(list(world.groups))
    person = chance.choice(_members(world))
    assert person.user is not None
    with space_scope(world.a.pk):
        auth_group = SpaceGroup.objects.get(pk=group_id).auth_group
    if person.user.pk in world.groups[group_id]:
        person.user.groups.remove(auth_group)
        world.groups[group_id].discard(person.user.pk)
    else:
        person.user.groups.add(auth_group)
        world.groups[group_id].add(person.user.pk)


def change_membership(world: CanaryWorld, chance: random.Random) -> None:
    """Suspend somebody, let them back, change their role, or remove them and take them in again."""
    person = chance.choice([p for p in world.people if p.name in ("carl", "vito", "susan", "rem")])
    assert person.user is not None
    rows = Membership.objects.filter(space=world.a, user=person.user)
    what = chance.choice(("suspend", "activate", "role", "remove"))
    if what == "remove" and person.state != "removed":
        rows.delete()
        membership_ended.send(sender=Membership, space_id=world.a.pk, user_id=person.user.pk)
        person.state = "removed"
        for rule in world.rules.values():
            rule.users.discard(person.user.pk)
        for members in world.groups.values():
            members.discard(person.user.pk)
        person.user.groups.clear()
        return
    if person.state == "removed":
        Membership.objects.create(space=world.a, user=person.user, role=person.role or Role.VIEWER)
        person.state = "active"
        return
    if what == "role":
        person.role = chance.choice((Role.CONTRIBUTOR, Role.VIEWER))
        rows.update(role=person.role)
    else:
        person.state = "suspended" if what == "suspend" else "active"
        rows.update(state=MembershipState(person.state))


def move_document(world: CanaryWorld, chance: random.Random) -> None:
    """Move a document into another folder, as a service would."""
    from django.db import transaction  # noqa: PLC0415  one use

    secret = chance.choice([each for each in world.secrets if not each.is_gone])
    secret.folder = chance.choice(FOLDERS)
    with space_scope(secret.space_id), transaction.atomic():
        lock_base(secret.base_id)
        document = Document.objects.get(pk=secret.document_id)
        document.folder_path = secret.folder
        document.save(update_fields=["folder_path"])
        raise_walls([document])


def remove_secret(world: CanaryWorld, chance: random.Random) -> None:
    """Delete a document for good."""
    secret = chance.choice([each for each in world.secrets if not each.is_gone])
    space = world.a if secret.space_id == world.a.pk else world.b
    with space_scope(space.pk):
        delete_document(_admin_of(world, space), document_id=secret.document_id)
        remove_document(secret.document_id)
    secret.was_restricted = world.is_restricted(secret)
    secret.is_gone = True
    key: Key = (secret.base_id, "", secret.document_id)
    world.rules.pop(key, None)
