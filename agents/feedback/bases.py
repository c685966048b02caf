"""Which bases a question was put to: those whose editors can do something about its answer."""

from __future__ import annotations

from uuid import UUID

from accounts.access import Actor
from agents.models import AgentRun
from agents.runs.scope import bases_of
from knowledge.models import EvidenceRow, KnowledgeBase


def bases_behind(actor: Actor, run: AgentRun) -> list[UUID]:
    """Return the bases that the answer cites, else those that the agent could read for its asker.

    Bases of other spaces are left out: their people have no page here.
    """
    cited = EvidenceRow.objects.filter(origin_id__in=[run.answer_id]).order_by()
    own = {base.pk for base in _readable(actor, run)}
    found = [each for each in cited.values_list("base_id", flat=True).distinct() if each in own]
    return found or sorted(own)


def _readable(actor: Actor, run: AgentRun) -> list[KnowledgeBase]:
    if run.agent is None:  # another space's, which shares it, or gone
        return []
    asked = [UUID(each) for each in run.base_ids]
    return [base for base in bases_of(actor, run.agent, asked) if base.space_id == run.space_id]
