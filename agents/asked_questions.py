"""Tells the pages of a base what a person asked of it lately: their own questions only."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from accounts.access import Actor
from agents.models import AgentRun
from knowledge.reembedding.questions import register_asked_questions

_LOOKED_AT = 40
_LONGEST = 300
"""Characters; what is longer is no question to choose from a list."""


def own_questions(actor: Actor, base_id: UUID, limit: int) -> Sequence[str]:
    """Return the newest questions of a person that were put to this base, or to all of an agent's."""
    if actor.kind != "user":
        return ()
    rows = AgentRun.objects.filter(
        Q(base_ids=[]) | Q(base_ids__contains=[str(base_id)]),
        user_id=actor.user_id or 0,
        parent__isnull=True,
    )
    texts = rows.order_by("-created_at").values_list("question__text", flat=True)[:_LOOKED_AT]
    short = (" ".join(text.split()) for text in texts if len(text) <= _LONGEST)
    return list(dict.fromkeys(text for text in short if text))[:limit]


register_asked_questions(own_questions)
