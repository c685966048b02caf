"""Where a run may look: the agent's bases, cut down to what was asked for and what its person sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from accounts.access import Actor, visible
from agents.bindings import capabilities_by_base, is_of_use, requirements_of
from agents.catalogue import tools_for
from agents.constants import BaseScope
from agents.engine.capabilities import Capability
from agents.models import Agent, AgentRun
from agents.sharing.running import bases_of_shared
from core.tenancy import space_scope
from knowledge.constants import DocumentSource, DocumentState
from knowledge.models import Document, KnowledgeBase
from knowledge.queries import get_documents
from knowledge.retrieval.scope import Scope
from knowledge.sharing.parts import parts_of, shared_bases

RECENT_DOCUMENTS = 5
DESCRIBED_BASES = 20
"""Of so many bases the newest documents are named to the model."""


@dataclass(frozen=True, kw_only=True)
class RunScope:
    """The bases and documents of one run."""

    bases: tuple[KnowledgeBase, ...] = ()
    useful: tuple[KnowledgeBase, ...] = ()
    """Those that serve a tool of the agent: what the model is told of."""
    document_ids: tuple[UUID, ...] = ()
    """Documents the question was limited to, seen or not; empty: no limit."""
    documents: tuple[Document, ...] = ()
    """Those of them that the person may see and that lie in the bases."""
    capabilities: Mapping[UUID, frozenset[Capability]] = field(default_factory=dict)
    ready_total: Mapping[UUID, int] = field(default_factory=dict)
    recent: Mapping[UUID, tuple[str, ...]] = field(default_factory=dict)
    """Names of the newest documents of each base."""

    @property
    def base_ids(self) -> tuple[UUID, ...]:
        """The bases' ids, by name."""
        return tuple(base.pk for base in self.bases)

    @property
    def whole_base_ids(self) -> tuple[UUID, ...]:
        """With documents named: the bases of which none was named."""
        if not self.document_ids:
            return ()
        narrowed = {document.base_id for document in self.documents}
        return tuple(base.pk for base in self.bases if base.pk not in narrowed)


def scope_of_run(actor: Actor, agent: Agent, run: AgentRun) -> RunScope:
    """Return where the run may look now; permission is asked anew."""
    config = agent.settings
    asked = [UUID(each) for each in run.base_ids]
    document_ids = tuple(UUID(each) for each in run.document_ids)
    if config.retrieve_kb_only_when_mentioned and not (asked or document_ids):
        return RunScope()
    bases = bases_of(actor, agent, asked)
    can = capabilities_by_base(bases)
    requirements = requirements_of(agent.mode, tools_for(config.allowed_tools, mode=agent.mode))
    useful = tuple(base for base in bases if is_of_use(can[base.pk], requirements))
    documents = get_documents(actor, document_ids)
    return RunScope(
        bases=tuple(bases),
        useful=useful,
        document_ids=document_ids,
        documents=tuple(each for each in documents if each.base_id in can),
        capabilities=can,
        **_described(actor, useful),
    )


def bases_of(actor: Actor, agent: Agent, asked: Sequence[UUID]) -> list[KnowledgeBase]:
    """Return the bases a run may read, by name: the agent's, those asked for, those visible.

    Bases that other spaces share are among them only when they are asked for, at the end. A shared
    agent reads its own space's bases that it names, and the actor's only when they are asked for.
    """
    if agent.space_id != actor.space_id:
        return _bases_of_shared(actor, agent, asked)
    if agent.base_scope == BaseScope.NONE:
        return []
    rows = visible(actor, "use", KnowledgeBase.objects.all())
    if agent.base_scope == BaseScope.SELECTED:
        rows = rows.filter(pk__in=agent.bases.values("pk"))
    if asked:
        rows = rows.filter(pk__in=asked)
    found = list(rows.order_by("name"))
    if asked and agent.base_scope == BaseScope.ALL:
        found += shared_bases(actor, set(asked) - {base.pk for base in found})
    return found


def _bases_of_shared(actor: Actor, agent: Agent, asked: Sequence[UUID]) -> list[KnowledgeBase]:
    named = bases_of_shared(actor, agent)
    if not asked:
        return named
    own = visible(actor, "use", KnowledgeBase.objects.filter(pk__in=asked)).order_by("name")
    return [*own, *(base for base in named if base.pk in asked)]


def _described(actor: Actor, useful: Sequence[KnowledgeBase]) -> dict[str, Any]:
    """Return `ready_total` and `recent`, asked for in each space that owns some of the bases."""
    total: dict[UUID, int] = {}
    recent: dict[UUID, tuple[str, ...]] = {}
    for reader in _readers(actor, useful):
        bases = [base for base in useful if base.space_id == reader.space_id]
        with space_scope(reader.space_id):
            if len(bases) > DESCRIBED_BASES:
                total |= _ready_total(reader, bases)
            for base_id, count, names in _newest(reader, bases[:DESCRIBED_BASES]):
                total[base_id], recent[base_id] = count, names
    return {"ready_total": total, "recent": recent}


def _readers(actor: Actor, bases: Sequence[KnowledgeBase]) -> list[Actor]:
    """Return as whom the bases are read: the actor, and the guest of each space that shares some."""
    if all(base.space_id == actor.space_id for base in bases):
        return [actor] if bases else []
    parts = parts_of(actor, Scope(base_ids=tuple(base.pk for base in bases)))
    return [part.reader for part in parts]


def _ready_total(actor: Actor, bases: Sequence[KnowledgeBase]) -> dict[UUID, int]:
    rows = _ready_documents(actor, bases).order_by().values("base_id")
    return {row["base_id"]: row["total"] for row in rows.annotate(total=Count("pk"))}


def _newest(
    actor: Actor, bases: Sequence[KnowledgeBase]
) -> Iterator[tuple[UUID, int, tuple[str, ...]]]:
    """Yield each base with how many documents are ready and the names of the newest; one query."""
    newest = Window(RowNumber(), partition_by=F("base_id"), order_by=F("created_at").desc())
    rows = (
        _ready_documents(actor, bases)
        .annotate(place=newest, total=Window(Count("*"), partition_by=F("base_id")))
        .filter(place__lte=RECENT_DOCUMENTS)
        .order_by("base_id", "place")
    )
    found = rows.values_list("base_id", "total", "name")
    for (base_id, total), group in groupby(found, key=itemgetter(0, 1)):
        yield base_id, total, tuple(name for _base_id, _total, name in group)


def _ready_documents(actor: Actor, bases: Sequence[KnowledgeBase]) -> QuerySet[Document]:
    rows = Document.objects.filter(
        base_id__in=[base.pk for base in bases], state=DocumentState.COMPLETED
    ).exclude(source=DocumentSource.WIKI)
    return visible(actor, "view", rows)
