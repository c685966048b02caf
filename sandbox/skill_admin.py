"""Skills on the admin site; what their variables hold stays out of it."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin_base import ReadOnlyAdmin
from sandbox.skill_models import Skill, SkillEvent, SkillVersion


@admin.register(Skill)
class SkillAdmin(ReadOnlyAdmin):
    """Skills of all spaces, changed on their own page."""

    list_display = ("name", "space", "current", "is_enabled", "removed_at", "updated_at")
    list_filter = ("is_enabled",)
    search_fields = ("name", "space__name")
    list_select_related = ("space", "current")


@admin.register(SkillVersion)
class SkillVersionAdmin(ReadOnlyAdmin):
    """What was installed from where."""

    list_display = ("skill", "number", "label", "space", "source", "size_bytes", "created_at")
    list_filter = ("source",)
    search_fields = ("skill__name", "space__name")
    list_select_related = ("space", "skill")


@admin.register(SkillEvent)
class SkillEventAdmin(ReadOnlyAdmin):
    """The log of installing."""

    list_display = ("name", "action", "version", "space", "user", "created_at")
    list_filter = ("action",)
    search_fields = ("name", "space__name")
    list_select_related = ("space", "user")
