"""Bases and documents on the admin site: how they stand, not what they say."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin_base import ReadOnlyAdmin
from knowledge.models import (
    BaseShare,
    Document,
    EmbeddingChange,
    IngestBatch,
    KnowledgeBase,
    Restriction,
)


@admin.register(KnowledgeBase)
class BaseAdmin(ReadOnlyAdmin):
    """Bases of all spaces."""

    list_display = ("name", "space", "kind", "created_by", "created_at", "deleted_at")
    list_filter = ("kind", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("name", "space__name")
    list_select_related = ("space", "created_by")


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    """How documents were read; names and reasons are not shown, both may quote the content."""

    list_display = (
        *("id", "space", "base", "file_type", "state", "reason_code", "size_bytes"),
        *("chunk_count", "attempt", "uploaded_by", "created_at"),
    )
    list_filter = ("state", "file_type", "reason_code", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("=id", "space__name", "base__name", "uploaded_by__email")
    list_select_related = ("space", "base", "uploaded_by")


@admin.register(IngestBatch)
class IngestBatchAdmin(ReadOnlyAdmin):
    """Batches of uploads: how far they are and what they used."""

    list_display = ("id", "space", "base", "state", "spent_tokens", "spent_cents", "created_at")
    list_filter = ("state", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("=id", "space__name", "base__name")
    list_select_related = ("space", "base")


@admin.register(EmbeddingChange)
class EmbeddingChangeAdmin(ReadOnlyAdmin):
    """Changes of the models that bases embed with: how far they are and what they used."""

    list_display = (
        *("id", "space", "base", "from_name", "to_name", "state", "done", "total"),
        *("spent_tokens", "author", "created_at"),
    )
    list_filter = ("state", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("=id", "space__name", "base__name")
    list_select_related = ("space", "base", "author")


@admin.register(Restriction)
class RestrictionAdmin(ReadOnlyAdmin):
    """Where documents and folders are open to named people only; who, the lens says."""

    list_display = ("id", "space", "base", "created_by", "created_at")
    search_fields = ("space__name", "base__name")
    list_select_related = ("space", "base", "created_by")


@admin.register(BaseShare)
class BaseShareAdmin(ReadOnlyAdmin):
    """Which bases are shared with whom."""

    list_display = ("base", "space", "organisation", "permission", "only_receivers", "created_at")
    search_fields = ("base__name", "space__name", "organisation__name")
    list_select_related = ("base", "space", "organisation")
