"""Who may look into a recorded search."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Q

from accounts.access import Action, Actor, Clause, Policy, register, visible
from knowledge.constants import SearchDoor
from knowledge.models import KnowledgeBase, SearchRecord

_IN_CONVERSATIONS = (SearchDoor.QUICK, SearchDoor.TOOL)


class SearchPolicy(Policy):
    """Who searched, and who may change every one of the bases that were searched.

    What an agent searched for tells of a conversation, which is private: it is its person's alone.
    """

    area = "searches"

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Allow nothing but to view: a record is written by the platform and ends by itself.

        A base that is gone is nobody's to change: then the record is its person's alone.
        """
        if action != "view":
            return ()
        managed = visible(actor, "change", KnowledgeBase.objects.all()).order_by().values("pk")
        managers = Clause(
            effect="allow",
            reason="Who may change all bases that were searched sees what was asked of them.",
            where=Q(base_ids__contained_by=ArraySubquery(managed), base_ids__len__gt=0)
            & ~Q(door__in=_IN_CONVERSATIONS),
        )
        return (*_own(actor), managers)


def _own(actor: Actor) -> tuple[Clause, ...]:
    if actor.kind == "user" and actor.user_id is not None:
        where = Q(user_id=actor.user_id)
    elif actor.is_machine:
        where = Q(user__isnull=True, principal=actor.principal)
    else:
        return ()
    return (Clause(effect="allow", reason="Your own search.", where=where),)


register(SearchRecord, SearchPolicy())
