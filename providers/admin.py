"""Models on the admin site: which spaces use what; keys, headers and addresses stay out of it."""

from __future__ import annotations

from django.contrib import admin

from accounts.admin_base import ReadOnlyAdmin
from providers.models import AIModel


@admin.register(AIModel)
class ModelAdmin(ReadOnlyAdmin):
    """Models of all spaces, changed on their own page, which checks and tests them."""

    list_display = (
        *("name", "space", "type", "provider", "model_id", "is_default", "is_enabled"),
        *("max_concurrency", "updated_at"),
    )
    list_filter = ("type", "provider", "is_default", "is_enabled")
    search_fields = ("name", "model_id", "space__name")
    list_select_related = ("space",)
