"""Reads of requests for approval, as far as the actor may see them."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.approvals.access import meant_for
from agents.approvals.spaces import space_rules
from agents.constants import OPEN_RUN_STATES, DecisionState
from agents.models import Approval
from core.errors import NotFound

Tab = Literal["mine", "others", "done"]


def get_approval(actor: Actor, approval_id: UUID) -> Approval:
    """Return one request with its run, agent and people.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    found = visible(actor, "view", _rows().filter(pk=approval_id)).first()
    if found is None:
        raise NotFound(_("There is no such request for approval."))
    return found


def list_waiting(actor: Actor) -> QuerySet[Approval]:
    """Return the open requests that wait for the actor, the most urgent first."""
    rows = visible(actor, "change", _open()).filter(meant_for(actor, space_rules()))
    return rows.order_by("due_at")


def list_of_others(actor: Actor) -> QuerySet[Approval]:
    """Return the other open requests that the actor sees: stand-ins may decide them."""
    waiting = list_waiting(actor).order_by().values("pk")
    return visible(actor, "view", _open()).exclude(pk__in=waiting).order_by("due_at")


def list_done(actor: Actor) -> QuerySet[Approval]:
    """Return what was decided, newest first."""
    rows = _rows().exclude(decision=DecisionState.OPEN)
    return visible(actor, "view", rows).order_by("-decided_at")


def count_waiting(actor: Actor) -> int:
    """Return how many requests wait for the actor."""
    return list_waiting(actor).count()


def _open() -> QuerySet[Approval]:
    return _rows().filter(decision=DecisionState.OPEN, run__state__in=OPEN_RUN_STATES)


def _rows() -> QuerySet[Approval]:
    return Approval.objects.select_related(
        "run", "run__agent", "run__user", "run__conversation", "decided_by"
    )
