"""Outside vector stores, what was written to them, and moves of bases between them."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.secrets import EncryptedTextField
from core.tenancy import SpaceOwned
from knowledge.constants import OPEN_MOVES, StoreKind, StoreMoveState
from knowledge.models.bases import KnowledgeBase


class VectorStore(SpaceOwned):
    """A server that finds near vectors. Its secret goes in and never comes out."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=200)
    kind = models.CharField(_("kind"), max_length=20, choices=StoreKind.choices)
    address = models.CharField(_("URL"), max_length=500)
    user_name = models.CharField(_("user name"), max_length=200, blank=True)
    api_key = EncryptedTextField(blank=True, default="")
    """Key, token or password, as the server calls it."""
    options = models.JSONField(default=dict, blank=True)
    """A dump of `knowledge.stores.options.StoreOptions`."""
    server = models.CharField(max_length=200, blank=True)
    """What the server called itself when it was last tried out, such as "Qdrant 1.15.0"."""
    checked_at = models.DateTimeField(null=True, blank=True)
    """When it last answered, or did not."""
    problem = models.TextField(blank=True)
    """Why it did not answer when it was last asked; for people. Blank: it did."""
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("vector store")
        verbose_name_plural = _("vector stores")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["space", "name"], name="one_vector_store_per_name")
        ]

    def __str__(self) -> str:
        return self.name


class StoredVector(SpaceOwned):
    """One vector that an outside store has.

    What lacks such a row is written there; what has one too many is removed there: the rows outlive
    passages, documents and bases for that.
    """

    store = models.ForeignKey(VectorStore, on_delete=models.CASCADE, related_name="+")
    base_id = models.UUIDField()
    embedding_id = models.BigIntegerField()
    """The row of `Embedding` that it is a copy of; a vector that is made again is another row."""
    chunk_id = models.UUIDField()
    identity = models.CharField(max_length=200)
    dimensions = models.PositiveSmallIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["store", "base_id", "embedding_id"], name="one_copy_per_store"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["base_id"], name="stored_vector_of_base")]

    def __str__(self) -> str:
        return f"copy of vector {self.embedding_id} in {self.store_id}"


class StoreMove(SpaceOwned):
    """One move of a base's vectors to another store; both stores are kept up until it ends."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    base = models.ForeignKey(KnowledgeBase, on_delete=models.CASCADE, related_name="store_moves")
    from_store = models.ForeignKey(
        VectorStore, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    """None: PostgreSQL. None, too, once the move has ended: it must not keep a store."""
    to_store = models.ForeignKey(
        VectorStore, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    from_name = models.CharField(max_length=200)
    to_name = models.CharField(max_length=200)
    state = models.CharField(
        max_length=12, choices=StoreMoveState.choices, default=StoreMoveState.FILLING
    )
    reason = models.TextField(blank=True)
    """Why it failed, or what holds it up; for people."""
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    """Vectors that the new store has, and all."""
    counted = models.PositiveIntegerField(null=True, blank=True)
    """How many vectors of the base the new store itself counted before the cut-over."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    switched_at = models.DateTimeField(null=True, blank=True)
    kept_until = models.DateTimeField(null=True, blank=True)
    """While it is live: when it ends by itself."""
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("move to another vector store")
        verbose_name_plural = _("moves to other vector stores")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["base"],
                condition=models.Q(state__in=OPEN_MOVES),
                name="one_open_store_move",
            )
        ]

    def __str__(self) -> str:
        return f"{self.from_name} → {self.to_name} ({self.state})"
