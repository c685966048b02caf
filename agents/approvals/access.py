"""Who sees a request for approval, and who decides it: as the space's settings say.

A decider need not see the conversation; the request shows the call and nothing else of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, assert_never

from django.db.models import Q

from accounts.access import Action, Actor, Clause, Policy, RolePolicy, register
from accounts.constants import RANK, Role
from agents.approvals.spaces import SpaceRules, space_rules
from agents.constants import Deciders
from agents.models import Approval, ApprovalSettings


class ApprovalPolicy(Policy):
    """Seen by who asked and who may decide or did; "change" is to decide."""

    area = "approvals"

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Allow by the settings of the space, which are read anew each time."""
        if actor.user_id is None or not actor.role or action not in ("view", "change"):
            return ()
        found = deciding_clauses(actor, space_rules())
        if action == "view":
            found += [
                Clause(
                    effect="allow",
                    reason="It is about your own question.",
                    where=Q(run__user_id=actor.user_id),
                ),
                Clause(
                    effect="allow",
                    reason="You decided it.",
                    where=Q(decided_by_id=actor.user_id),
                ),
            ]
        return found


class ApprovalSettingsPolicy(RolePolicy):
    """Members see who decides; administrators settle it."""

    area = "approvals"
    minimum: ClassVar = {
        "view": Role.VIEWER,
        "create": Role.ADMIN,
        "change": Role.ADMIN,
        "manage": Role.ADMIN,
    }


def deciding_clauses(actor: Actor, rules: SpaceRules) -> list[Clause]:
    """Return the reasons for which the actor decides requests of the space."""
    found: list[Clause] = []
    is_admin = actor.rank >= RANK[Role.ADMIN]
    is_named = actor.user_id in rules.named_ids
    own = Q(run__user_id=actor.user_id)
    match rules.deciders:
        case Deciders.PERSON:
            found.append(_allow("Who asked decides.", own))
        case Deciders.PERSON_OR_ADMINS:
            found.append(_allow("Who asked decides.", own))
            if is_admin:
                found.append(_allow("Administrators decide.", Q()))
        case Deciders.OTHERS:
            if is_admin:
                found.append(_allow("Administrators decide.", ~own))
        case _:
            assert_never(rules.deciders)
    if is_named:
        four_eyes = rules.deciders == Deciders.OTHERS
        found.append(_allow("The space names you.", ~own if four_eyes else Q()))
    return found


def meant_for(actor: Actor, rules: SpaceRules) -> Q:
    """Return which of the requests that the actor may decide wait for them in the first place.

    An administrator may stand in for the one who asked, but is not counted on.
    """
    if rules.deciders == Deciders.OTHERS or actor.user_id in rules.named_ids:
        return Q()
    return Q(run__user_id=actor.user_id)


def _allow(reason: str, where: Q) -> Clause:
    return Clause(effect="allow", reason=reason, where=where)


register(Approval, ApprovalPolicy())
register(ApprovalSettings, ApprovalSettingsPolicy())
