"""From what a request carries to an actor: keys, test credentials, external people.

A key acts with the role of an admin and never of an owner, limited by the scopes of its
capabilities and by its bases. It owns nothing: what it makes has no creator.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from django.core import signing
from django.db.models import Q
from django.utils import timezone

from accounts.access import Actor
from accounts.constants import Role
from accounts.keys.capabilities import Capability, known, scopes_of
from accounts.keys.external import ExternalPerson, read_token
from accounts.keys.queries import live_keys
from accounts.keys.secrets import KEY_PREFIX, hash_of
from accounts.models import ApiKey, Space
from core.errors import AccessDenied, Invalid, NotFound, NotSignedIn

TEST_PREFIX = "wkt-"
TEST_SECONDS = 600
_TEST_SALT = "accounts.keys.test"
LAST_USE_WRITTEN_EVERY = timedelta(minutes=1)
_WRONG = "This key is not valid: it is wrong, has expired, or was revoked."


@dataclass(frozen=True, kw_only=True)
class Credential:
    """A key that a request carries, and for whom."""

    key: ApiKey
    person: ExternalPerson | None = None
    """The application's user in whose name it asks."""
    is_test: bool = False
    """It came by a credential of the playground."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What the key may do."""
        return known(self.key.capabilities)

    @property
    def is_of_platform(self) -> bool:
        """Whether the request must name the space."""
        return self.key.space_id is None


def authenticate(text: str, *, user_token: str = "") -> Credential:
    """Return the credential of a key or test credential, and note its use.

    Raises:
        NotSignedIn: the key opens nothing, or the user's token is not valid.
    """
    if text.startswith(TEST_PREFIX):
        key, is_test = _key_of_test(text), True
    elif text.startswith(KEY_PREFIX):
        key, is_test = live_keys().filter(key_hash=hash_of(text)).first(), False
    else:
        key, is_test = None, False
    if key is None:
        raise NotSignedIn(_WRONG)
    person = read_token(key, user_token) if user_token else None
    note_use(key)
    return Credential(key=key, person=person, is_test=is_test)


def actor_for(credential: Credential, *, space_id: int) -> Actor:
    """Return who acts in a space.

    Raises:
        AccessDenied: it is a key of another space.
        NotFound: there is no such space.
    """
    key = credential.key
    if key.space_id is not None and key.space_id != space_id:
        raise AccessDenied("This key belongs to another space than X-Tenant-ID names.")
    if key.space_id is None and not Space.objects.filter(pk=space_id).exists():
        raise NotFound("There is no such space.")
    actor = machine_actor(key, space_id=space_id)
    if credential.person is not None:
        actor = _as_person(actor, key, credential.person)
    return replace(actor, name=f"{actor.name} (test)") if credential.is_test else actor


def machine_actor(key: ApiKey, *, space_id: int) -> Actor:
    """Return the key itself as an actor of the space."""
    return Actor(
        kind="api_key",
        id=str(key.identity),
        name=str(key),
        space_id=space_id,
        role=Role.ADMIN,
        scopes=scopes_of(known(key.capabilities)),
        base_ids=frozenset(UUID(each) for each in key.base_ids) or None,
    )


def actor_of_principal(principal: str, *, space_id: int) -> Actor:
    """Return the key or external person that a stored `Actor.principal` names, as they are now.

    Raises:
        NotFound: the key has expired, was revoked, or is of another space.
    """
    kind, _, name = principal.partition(":")
    identity, _, digest = name.partition(":")
    key = _newest_key(identity, space_id=space_id) if kind in ("api_key", "external") else None
    if key is None:
        raise NotFound("The key with which this was asked is not valid any more.")
    actor = machine_actor(key, space_id=space_id)
    return actor if kind == "api_key" else _limited_to_person(actor, identity, digest)


def mint_test_credential(key: ApiKey, *, user_id: int) -> str:
    """Return a credential with which the playground acts as the key for ten minutes."""
    return TEST_PREFIX + signing.dumps({"key": str(key.pk), "by": user_id}, salt=_TEST_SALT)


def note_use(key: ApiKey) -> None:
    """Write down that the key was used; once a minute is enough."""
    now = timezone.now()
    if key.last_used_at is not None and now - key.last_used_at < LAST_USE_WRITTEN_EVERY:
        return
    due = Q(last_used_at=None) | Q(last_used_at__lte=now - LAST_USE_WRITTEN_EVERY)
    ApiKey.objects.filter(due, pk=key.pk).update(last_used_at=now)


def space_id_of(text: str) -> int:
    """Read the header X-Tenant-ID.

    Raises:
        Invalid: it is no positive whole number.
    """
    if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) == 0:
        raise Invalid("X-Tenant-ID must be the number of a space, such as 12.")
    return int(text)


def _key_of_test(text: str) -> ApiKey | None:
    try:
        found = signing.loads(text.removeprefix(TEST_PREFIX), salt=_TEST_SALT, max_age=TEST_SECONDS)
    except signing.BadSignature:
        return None
    return live_keys().filter(pk=found["key"]).first()


def _newest_key(identity: str, *, space_id: int) -> ApiKey | None:
    try:
        rows = live_keys().filter(identity=UUID(identity))
    except ValueError:
        return None
    return rows.filter(Q(space_id=space_id) | Q(space_id=None)).order_by("-created_at").first()


def _as_person(actor: Actor, key: ApiKey, person: ExternalPerson) -> Actor:
    limited = _limited_to_person(actor, key.identity.hex, person.digest)
    return replace(limited, name=f"{person.name or person.subject} by {key}"[:200])


def _limited_to_person(actor: Actor, identity: str, digest: str) -> Actor:
    """Return the actor that reads and asks for one of the application's people."""
    return replace(actor, kind="external", id=f"{identity}:{digest}", role=Role.VIEWER)
