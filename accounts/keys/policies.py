"""Who may see and make keys: the owners of their space. No key manages keys."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from accounts.access import Action, Actor, Clause, RolePolicy, register
from accounts.constants import Role
from accounts.models import ApiKey


class KeyPolicy(RolePolicy):
    """A key can do much without a person: only owners have them."""

    area = "keys"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.OWNER,
        "create": Role.OWNER,
        "change": Role.OWNER,
        "delete": Role.OWNER,
    }

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Allow people alone, whatever a machine was given."""
        return super().clauses(actor, action) if actor.kind == "user" else ()


register(ApiKey, KeyPolicy())
