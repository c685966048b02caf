"""What ends with a share of an agent, however it ended: the runs that are under way."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models.signals import m2m_changed, post_delete, post_save
from django.dispatch import receiver

from accounts.models import OrganisationSpace
from agents.models import Agent, AgentShare
from agents.sharing.stopping import stop_closed_runs


@receiver([post_save, post_delete], sender=AgentShare)
@receiver(post_save, sender=Agent)
def look_again(instance: AgentShare | Agent, created: bool = False, **_: Any) -> None:
    """A share was ended or changed, or an agent was: stop what is closed now."""
    if not created:
        _look_later(instance.space_id)


@receiver(m2m_changed, sender=AgentShare.receivers.through)
def look_at_receivers(instance: object, **_: Any) -> None:
    """A space may have been taken out of those that get a share."""
    if isinstance(instance, AgentShare):
        _look_later(instance.space_id)


@receiver([post_save, post_delete], sender=OrganisationSpace)
def look_at_place(instance: OrganisationSpace, created: bool = False, **_: Any) -> None:
    """A space left an organisation or has another role there: what it shares or asks may be closed."""
    if not created:
        _look_later(instance.member_id)


def _look_later(space_id: int) -> None:
    transaction.on_commit(lambda: stop_closed_runs(space_id), robust=True)
