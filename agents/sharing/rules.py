"""Which agents may be shared, and how one that is shared may change.

An agent's share opens the bases that the agent names. So who shares it, and who gives a shared one
another base, must be allowed to share each of those bases.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.constants import BaseScope
from agents.models import Agent
from agents.services.readiness import blocking_problem
from core.errors import Invalid
from core.wording import listed
from knowledge.models import KnowledgeBase


def check_sharable(actor: Actor, agent: Agent) -> None:
    """Return when the agent can answer and its bases are the actor's to share.

    Raises:
        Invalid: says what to mend first.
    """
    if not agent.is_enabled:
        raise Invalid(_("It is turned off; turn it on before you share it."))
    problem = blocking_problem(agent)
    if problem is not None:
        raise Invalid(problem.message)
    if agent.base_scope == BaseScope.ALL:
        raise Invalid(
            _(
                "It may read all knowledge bases, also those that are added later. Select the knowledge bases that it should read, or none, before it is shared."
            )
        )
    _require_shareable(actor, _named(agent))


def check_change(actor: Actor, agent: Agent, *, before: Collection[UUID]) -> None:
    """Return when a changed agent may stay shared; `before` are the bases it named until now.

    Raises:
        Invalid: it would open more than the actor may share; `field` names what to correct.
    """
    if not agent.shares.exists():
        return
    if agent.base_scope == BaseScope.ALL:
        raise Invalid(
            _(
                "It is shared with other spaces, so it must name its knowledge bases. Select them, or none."
            ),
            field="base_scope",
        )
    _require_shareable(actor, _named(agent) - set(before), field="base_ids")


def _named(agent: Agent) -> set[UUID]:
    if agent.base_scope != BaseScope.SELECTED:
        return set()
    return set(agent.bases.values_list("pk", flat=True))


def _require_shareable(actor: Actor, base_ids: Collection[UUID], *, field: str = "") -> None:
    if not base_ids:
        return
    rows = KnowledgeBase.objects.filter(pk__in=base_ids, deleted_at__isnull=True)
    own = visible(actor, "share", rows).values_list("pk", flat=True)
    others = rows.exclude(pk__in=list(own)).order_by("name")
    names = listed(others.values_list("name", flat=True))
    if names:
        message = _(
            "Sharing it would open %(names)s. Only the person who created a knowledge base, and administrators, may share it."
        ) % {"names": names}
        raise Invalid(message, field=field) if field else Invalid(message)
