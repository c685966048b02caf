"""Keys for tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from accounts.keys.capabilities import PLATFORM_ONLY, Capability
from accounts.keys.external import ExternalPerson, mint_token
from accounts.keys.services import KeyWish, issue
from accounts.models import ApiKey, Space
from knowledge.models import KnowledgeBase

SPACE_CAPABILITIES = frozenset(Capability) - PLATFORM_ONLY
_numbers = count(1)


@dataclass(frozen=True, kw_only=True)
class HeldKey:
    """A key with its text, as the application that uses it has it."""

    key: ApiKey
    text: str

    @property
    def headers(self) -> dict[str, str]:
        """What its requests carry."""
        return {"X-API-Key": self.text}

    def headers_for(self, subject: str, *, name: str = "") -> dict[str, str]:
        """What its requests carry that are made for one of the application's people."""
        token = mint_token(self.key, ExternalPerson(subject=subject, name=name))
        return {**self.headers, "X-External-User-Token": token}


def make_key(
    space: Space | None,
    *capabilities: Capability,
    bases: Iterable[KnowledgeBase] = (),
    expires_at: datetime | None = None,
    name: str = "",
) -> HeldKey:
    """Make a key of a space, of the platform for None; without capabilities it has all."""
    wish = KeyWish(
        name=name or f"Key {next(_numbers)}",
        capabilities=frozenset(capabilities) or SPACE_CAPABILITIES,
        base_ids=tuple(base.pk for base in bases),
        expires_at=expires_at,
    )
    issued = issue(wish, space_id=space.pk if space else None, created_by_id=None)
    return HeldKey(key=issued.key, text=issued.text)
