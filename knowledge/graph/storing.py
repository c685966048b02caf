"""Puts what was read out of a passage into the graph of its base, in place of what was there."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F

from knowledge.base_settings import GraphOptions
from knowledge.graph.extraction import Extraction, prompt_version
from knowledge.models import (
    Chunk,
    Document,
    GraphEntity,
    GraphMention,
    GraphPassage,
    GraphRelation,
)
from knowledge.text.analyze import analyze


def made_from(passage: Chunk, options: GraphOptions) -> str:
    """Name what a passage's part of the graph is made from: a change gives another name."""
    parts = (passage.content_hash, prompt_version(), options.model_dump_json())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def store_extraction(passage: Chunk, extraction: Extraction, *, options: GraphOptions) -> bool:
    """Replace what the passage gives to the graph; return False when its text changed meanwhile.

    Called inside of a transaction whose lease is checked. Entities are merged by the normal form of
    their names, relations by their ends and kind.
    """
    if not _holds(passage):
        return False
    lock_graph(passage.base_id)
    entities = _entities(passage, extraction)
    relations = _relations(passage, extraction, entities)
    mentions = [
        _mention(
            passage,
            entity_id=entities[each.normal],
            name=each.name,
            kind=each.kind,
            description=each.description,
        )
        for each in extraction.entities
    ]
    mentions += [
        _mention(
            passage,
            relation_id=relations[each.source, each.target, each.kind],
            description=each.description,
        )
        for each in extraction.relations
    ]
    _replace(passage, mentions)
    note_passage(passage, options=options, error="")
    return True


def store_failure(passage: Chunk, reason: str, *, options: GraphOptions) -> None:
    """Keep why nothing was read out of a passage; what it gave before is not true any more."""
    with transaction.atomic():
        if _holds(passage):
            GraphMention.objects.filter(chunk_id=passage.pk).exclude(
                source_hash=passage.content_hash
            ).delete()
            note_passage(passage, options=options, error=reason)


def forget_outdated(document: Document) -> None:
    """Take out of the graph what passages of a document said before they were changed."""
    present = GraphMention.objects.filter(document=document, source_hash=F("chunk__content_hash"))
    GraphMention.objects.filter(document=document).exclude(pk__in=present.values("pk")).delete()


def forget_document(document: Document) -> None:
    """Take all that a document gave out of the graph, so that it is read anew."""
    GraphMention.objects.filter(document=document).delete()
    GraphPassage.objects.filter(document=document).delete()


def note_passage(passage: Chunk, *, options: GraphOptions, error: str) -> None:
    """Say that a passage was read, and how it went."""
    GraphPassage.objects.update_or_create(
        chunk_id=passage.pk,
        defaults={
            "space_id": passage.space_id,
            "document_id": passage.document_id,
            "made_from": made_from(passage, options),
            "error": error,
        },
    )


def lock_graph(base_id: UUID) -> None:
    """Let nobody else add to the base's graph, or forget of it, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"graph:{base_id}"]
        )


def _holds(passage: Chunk) -> bool:
    """Lock the document, and say whether the passage still says what was read."""
    # In the order of those who remove documents: first their row, then their part of the graph.
    if Document.objects.select_for_update().filter(pk=passage.document_id).first() is None:
        return False
    return Chunk.objects.filter(pk=passage.pk, content_hash=passage.content_hash).exists()


def _entities(passage: Chunk, extraction: Extraction) -> dict[str, UUID]:
    """Return the ids of the entities by normal form; new ones are made."""
    names = sorted(each.normal for each in extraction.entities)
    rows = GraphEntity.objects.filter(base_id=passage.base_id, normalised_name__in=names)
    found = dict(rows.values_list("normalised_name", "pk"))
    new = [
        GraphEntity(
            space_id=passage.space_id,
            base_id=passage.base_id,
            normalised_name=name,
            terms=sorted(set(analyze(name))),
        )
        for name in names
        if name not in found
    ]
    GraphEntity.objects.bulk_create(new)
    return found | {row.normalised_name: row.pk for row in new}


def _relations(
    passage: Chunk, extraction: Extraction, entities: dict[str, UUID]
) -> dict[tuple[str, str, str], UUID]:
    """Return the ids of the relations by ends and kind; new ones are made."""
    wanted = {(each.source, each.target, each.kind) for each in extraction.relations}
    rows = GraphRelation.objects.filter(
        source_id__in={entities[source] for source, _, _ in wanted},
        target_id__in={entities[target] for _, target, _ in wanted},
    )
    there = {(row.source_id, row.target_id, row.kind): row.pk for row in rows}
    found: dict[tuple[str, str, str], UUID] = {}
    new: list[GraphRelation] = []
    for source, target, kind in sorted(wanted):
        key = (entities[source], entities[target], kind)
        if key not in there:
            row = GraphRelation(
                space_id=passage.space_id,
                base_id=passage.base_id,
                source_id=key[0],
                target_id=key[1],
                kind=kind,
            )
            new.append(row)
            there[key] = row.pk
        found[source, target, kind] = there[key]
    GraphRelation.objects.bulk_create(new)
    return found


def _replace(passage: Chunk, mentions: Sequence[GraphMention]) -> None:
    """Write the passage's mentions. The old ones go last: an entity keeps its id by the new ones."""
    old = {
        (row.entity_id, row.relation_id): row
        for row in GraphMention.objects.filter(chunk_id=passage.pk)
    }
    kept: list[GraphMention] = []
    new: list[GraphMention] = []
    for each in mentions:
        row = old.pop((each.entity_id, each.relation_id), None)
        if row is None:
            new.append(each)
        else:
            each.pk = row.pk
            kept.append(each)
    GraphMention.objects.bulk_update(kept, ["name", "kind", "description", "source_hash"])
    GraphMention.objects.bulk_create(new)
    GraphMention.objects.filter(pk__in=[row.pk for row in old.values()]).delete()


def _mention(passage: Chunk, **fields: Any) -> GraphMention:
    return GraphMention(
        space_id=passage.space_id,
        document_id=passage.document_id,
        chunk_id=passage.pk,
        source_hash=passage.content_hash,
        **fields,
    )
