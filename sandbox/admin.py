"""Sandboxes on the admin site; variables and keys stay out of it."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin_base import ReadOnlyAdmin
from sandbox import skill_admin as skill_admin
from sandbox.models import SandboxConfig, SandboxSession


@admin.register(SandboxConfig)
class SandboxConfigAdmin(ReadOnlyAdmin):
    """Sandboxes of all spaces, changed on their own page, which checks and tests them."""

    list_display = ("name", "space", "backend", "is_default", "archived_at", "updated_at")
    list_filter = ("backend", "is_default")
    search_fields = ("name", "space__name")
    list_select_related = ("space",)


@admin.register(SandboxSession)
class SandboxSessionAdmin(ReadOnlyAdmin):
    """Workspaces that live now."""

    list_display = ("key", "space", "config", "backend", "state", "epoch", "last_used_at")
    list_filter = ("backend", "state")
    search_fields = ("key", "space__name")
    list_select_related = ("space", "config")
