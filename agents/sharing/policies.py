"""Who hides a shared agent in the space that receives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, RolePolicy, register
from accounts.constants import Role
from agents.models import HiddenAgent


class HiddenAgentPolicy(RolePolicy):
    """Administrators say which shared agents their people are offered."""

    area = "hidden_agents"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.ADMIN,
        "create": Role.ADMIN,
        "delete": Role.ADMIN,
    }


register(HiddenAgent, HiddenAgentPolicy())
