"""Wikis on the admin site: how they stand, not what their pages say."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin_base import ReadOnlyAdmin
from wiki.models import (
    WikiBuild,
    WikiChange,
    WikiIssue,
    WikiLint,
    WikiMirror,
    WikiOperation,
    WikiPage,
    WikiSettings,
)


@admin.register(WikiSettings)
class WikiSettingsAdmin(ReadOnlyAdmin):
    """Which bases have a wiki, and how much of it waits for people."""

    list_display = (
        *("base", "space", "is_enabled", "review", "build_mode", "granularity", "model"),
        *("is_public", "updated_at"),
    )
    list_filter = ("is_enabled", "review", "build_mode", "is_public")
    search_fields = ("base__name", "space__name")
    list_select_related = ("space", "base", "model")


@admin.register(WikiPage)
class WikiPageAdmin(ReadOnlyAdmin):
    """Pages of all wikis; titles are not shown, they quote the content."""

    list_display = (
        *("id", "space", "base", "kind", "status", "version", "review", "last_author_kind"),
        *("last_author", "updated_at", "trashed_at"),
    )
    list_filter = ("kind", "status", "last_author_kind", "updated_at")
    date_hierarchy = "updated_at"
    search_fields = ("=id", "space__name", "base__name")
    list_select_related = ("space", "base", "last_author")


@admin.register(WikiChange)
class WikiChangeAdmin(ReadOnlyAdmin):
    """Change requests: where they stand and who decided."""

    list_display = (
        *("id", "space", "base", "number", "action", "state", "author_kind", "author"),
        *("approved_by_rule", "decided_by", "created_at"),
    )
    list_filter = ("state", "action", "author_kind", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("=id", "space__name", "base__name")
    list_select_related = ("space", "base", "author", "decided_by")


@admin.register(WikiIssue)
class WikiIssueAdmin(ReadOnlyAdmin):
    """What is wrong with pages, by kind."""

    list_display = ("id", "space", "base", "kind", "state", "reporter_kind", "created_at")
    list_filter = ("state", "kind", "reporter_kind", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("=id", "space__name", "base__name")
    list_select_related = ("space", "base")


@admin.register(WikiLint)
class WikiLintAdmin(ReadOnlyAdmin):
    """Checks of wikis: when each was looked at last, and what was found."""

    list_display = ("id", "space", "base", "state", "found", "new", "resolved", "ended_at")
    list_filter = ("state", "ended_at")
    search_fields = ("=id", "space__name", "base__name")
    list_select_related = ("space", "base")


@admin.register(WikiBuild)
class WikiBuildAdmin(ReadOnlyAdmin):
    """Buildings of wikis: when they ran."""

    list_display = ("id", "space", "base", "started_by", "created_at", "stop_asked_at", "ended_at")
    list_filter = ("created_at",)
    date_hierarchy = "created_at"
    search_fields = ("=id", "space__name", "base__name")
    list_select_related = ("space", "base", "started_by")


@admin.register(WikiOperation)
class WikiOperationAdmin(ReadOnlyAdmin):
    """Documents that wait to be built in; those that failed for good wait for a person."""

    list_display = (
        *("id", "space", "base", "document_id", "kind", "state", "attempts", "not_before"),
        "updated_at",
    )
    list_filter = ("state", "kind", "updated_at")
    date_hierarchy = "created_at"
    search_fields = ("=id", "=document_id", "space__name", "base__name")
    list_select_related = ("space", "base")


@admin.register(WikiMirror)
class WikiMirrorAdmin(ReadOnlyAdmin):
    """Mirrors of wikis: where they go and how they fare; tokens are not shown."""

    list_display = (
        *("id", "space", "base", "is_on", "address", "branch", "state", "commits", "last_run_at"),
        "made_anew_at",
    )
    list_filter = ("is_on", "state", "last_run_at")
    search_fields = ("=id", "space__name", "base__name")
    exclude = ("token",)
    list_select_related = ("space", "base")
