"""Who may see and limit what is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q

from accounts.access import Action, Actor, Clause, Policy, RolePolicy, register
from accounts.constants import RANK, Role
from agents.models import Budget, ModelUsage


class BudgetPolicy(RolePolicy):
    """Admins set budgets."""

    area = "budgets"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.ADMIN,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
    }


class UsagePolicy(Policy):
    """Admins see what all spend, others what they spend themselves."""

    area = "usage"

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Allow reading; nobody changes what was metered."""
        if action != "view" or not actor.role:
            return ()
        if actor.rank >= RANK[Role.ADMIN]:
            return (Clause(effect="allow", reason="Admins see what the space spends."),)
        if actor.user_id is None:
            return ()
        where = Q(user_id=actor.user_id)
        return (Clause(effect="allow", reason="Your own usage.", where=where),)


register(Budget, BudgetPolicy())
register(ModelUsage, UsagePolicy())
