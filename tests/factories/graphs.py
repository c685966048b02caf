"""Graphs for tests: what a model would have read out of passages."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from core.tenancy import space_scope
from knowledge.base_settings import GraphOptions, base_settings_of
from knowledge.graph.extraction import Extraction, FoundEntity, FoundRelation
from knowledge.graph.names import normal_form
from knowledge.graph.storing import store_extraction
from knowledge.models import Chunk, KnowledgeBase

Triple = tuple[str, str, str]
"""Source, kind of the relation, target."""


def switch_on(base: KnowledgeBase, **options: object) -> KnowledgeBase:
    """Let a base have a graph."""
    with space_scope(base.space_id):
        settings = base_settings_of(base)
        graph = GraphOptions.model_validate({"is_enabled": True, **options})
        base.options = settings.model_copy(update={"graph": graph}).model_dump()
        base.save(update_fields=["options"])
    return base


def make_graph(
    chunk: Chunk, *, names: Sequence[str] = (), triples: Sequence[Triple] = (), kind: str = "thing"
) -> None:
    """Let a passage name entities and tell of relations; the ends of those are entities, too."""
    ends = [end for source, _, target in triples for end in (source, target)]
    found = {normal_form(name): name for name in reversed([*names, *ends])}
    extraction = Extraction(
        entities=tuple(
            FoundEntity(
                normal=normal,
                name=name,
                kind=kind,
                description=f"{name} in {chunk.text[:40]}",
            )
            for normal, name in found.items()
        ),
        relations=tuple(
            FoundRelation(
                source=normal_form(source),
                target=normal_form(target),
                kind=relation,
                description=f"{source} {relation} {target}",
            )
            for source, relation, target in triples
        ),
        left_out=0,
    )
    with space_scope(chunk.space_id), transaction.atomic():
        assert store_extraction(chunk, extraction, options=GraphOptions(is_enabled=True))
