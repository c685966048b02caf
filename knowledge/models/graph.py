"""The graph of a base: entities, relations between them, and the passages that say so.

What is told of an entity or a relation is kept with its evidence, never with the entity itself:
whoever may not read a passage learns nothing that only this passage says.
"""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.tenancy import SpaceOwned
from knowledge.models.bases import KnowledgeBase
from knowledge.models.chunks import Chunk
from knowledge.models.documents import Document

NAME_CHARACTERS = 120
KIND_CHARACTERS = 60


class GraphEntity(SpaceOwned):
    """Somebody or something: names that are equal in their normal form are one.

    It goes with its last mention (trigger of migration `0016_graph`).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    normalised_name = models.CharField(max_length=NAME_CHARACTERS)
    terms = ArrayField(models.TextField(), default=list)
    """Of the name, as the index of passages has them."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("entity of a graph")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["base", "normalised_name"], name="one_entity_per_name")
        ]
        indexes: ClassVar = [
            GinIndex(fields=["terms"], name="graph_entity_terms"),
            GinIndex(
                OpClass(models.F("normalised_name"), name="gin_trgm_ops"),
                name="graph_entity_similar",
            ),
        ]

    def __str__(self) -> str:
        return self.normalised_name


class GraphRelation(SpaceOwned):
    """How one entity is related to another; goes with its last mention, too."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="+")
    source = models.ForeignKey(GraphEntity, on_delete=models.CASCADE, related_name="relations_out")
    target = models.ForeignKey(GraphEntity, on_delete=models.CASCADE, related_name="relations_in")
    kind = models.CharField(max_length=KIND_CHARACTERS)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("relation of a graph")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source", "target", "kind"], name="one_relation_per_pair_and_kind"
            )
        ]

    def __str__(self) -> str:
        return self.kind


class GraphMention(SpaceOwned):
    """Evidence: a passage that names an entity or tells of a relation, and what it says of it."""

    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="graph_mentions")
    source_hash = models.CharField(max_length=64)
    """Of the text that it was read from; it counts only while the passage says that."""
    entity = models.ForeignKey(
        GraphEntity, null=True, on_delete=models.CASCADE, related_name="mentions"
    )
    relation = models.ForeignKey(
        GraphRelation, null=True, on_delete=models.CASCADE, related_name="mentions"
    )
    name = models.CharField(max_length=NAME_CHARACTERS, blank=True)
    """Of an entity, as the passage spells it."""
    kind = models.CharField(max_length=KIND_CHARACTERS, blank=True)
    """Of an entity."""
    description = models.TextField(blank=True)

    class Meta:
        verbose_name = _("mention in a graph")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(entity__isnull=False, relation__isnull=True)
                | models.Q(entity__isnull=True, relation__isnull=False),
                name="mention_of_one_thing",
            ),
            models.UniqueConstraint(
                fields=["chunk", "entity"],
                condition=models.Q(entity__isnull=False),
                name="one_mention_per_entity",
            ),
            models.UniqueConstraint(
                fields=["chunk", "relation"],
                condition=models.Q(relation__isnull=False),
                name="one_mention_per_relation",
            ),
        ]

    def __str__(self) -> str:
        return f"mention in {self.chunk_id}"


class GraphPassage(SpaceOwned):
    """That a passage was read for the graph, from which text, and what went wrong."""

    chunk = models.OneToOneField(Chunk, on_delete=models.CASCADE, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    made_from = models.CharField(max_length=64)
    """Hash of the text, the options and the prompt: another one now means to read it again."""
    error = models.TextField(blank=True)
    """Why nothing was read out of it; blank when all went well."""
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("passage read for a graph")

    def __str__(self) -> str:
        return f"graph of {self.chunk_id}"
