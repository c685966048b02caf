"""Agents, conversations and runs on the admin site: for superusers, to see how things stand.

Nothing of what was said is shown: conversations are private, also from those who run the
installation. Agents are changed on their own page, which checks, versions and audits.
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin_base import ReadOnlyAdmin
from agents.models import (
    Agent,
    AgentRun,
    AgentSchedule,
    AgentShare,
    Approval,
    Budget,
    Conversation,
    ModelUsage,
)

# Both packages come without types; what is built on their classes is checked as far as ours goes.
# mypy: disable-error-code="misc"


@admin.register(Agent)
class AgentAdmin(ReadOnlyAdmin):
    """Which agents the spaces have."""

    list_display = ("name", "space", "mode", "chat_model", "version", "is_enabled", "updated_at")
    list_filter = ("mode", "is_enabled")
    search_fields = ("name", "space__name", "builtin_key")
    list_select_related = ("space", "chat_model")


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """How much is talked; not about what."""

    list_display = ("id", "space", "user", "question_count", "created_at", "last_message_at")
    date_hierarchy = "created_at"
    search_fields = ("space__name", "user__email", "=id")
    list_select_related = ("space", "user")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        """Count the questions."""
        rows: QuerySet[Conversation] = super().get_queryset(request)
        return rows.annotate(runs_count=Count("runs"))

    @admin.display(description=_("questions"), ordering="runs_count")
    def question_count(self, conversation: Conversation) -> int:
        """How many questions were asked in it."""
        return int(getattr(conversation, "runs_count", 0))


@admin.register(AgentRun)
class RunAdmin(ReadOnlyAdmin):
    """How runs went; not what they answered."""

    list_display = (
        "id",
        "space",
        "user",
        "state",
        "outcome",
        "model_name",
        "last_seq",
        "lease_epoch",
        "created_at",
        "ended_at",
    )
    list_filter = ("state", "outcome", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("=id", "space__name", "user__email", "model_name")
    list_select_related = ("space", "user")


@admin.register(AgentSchedule)
class ScheduleAdmin(ReadOnlyAdmin):
    """Which schedules run; not what they ask."""

    list_display = ("id", "space", "user", "cron", "timezone", "is_enabled", "next_at", "failures")
    list_filter = ("is_enabled",)
    search_fields = ("space__name", "user__email")
    list_select_related = ("space", "user")


@admin.register(Approval)
class ApprovalAdmin(ReadOnlyAdmin):
    """Which calls waited for a person; without their arguments."""

    list_display = ("id", "space", "tool_name", "kind", "decision", "created_at", "decided_at")
    list_filter = ("decision", "kind", "tool_name")
    date_hierarchy = "created_at"
    list_select_related = ("space",)


@admin.register(ModelUsage)
class UsageAdmin(ReadOnlyAdmin):
    """Every metered call."""

    list_display = (
        *("created_at", "space", "user", "model_name", "purpose"),
        *("input_tokens", "output_tokens", "cost"),
    )
    list_filter = ("purpose", "model_name", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("space__name", "user__email", "model_name")
    list_select_related = ("space", "user")


@admin.register(Budget)
class BudgetAdmin(ReadOnlyAdmin):
    """What may be spent."""

    list_display = ("space", "subject", "period", "max_tokens", "max_cost", "is_enabled")
    list_filter = ("subject", "period", "is_enabled")
    list_select_related = ("space",)


@admin.register(AgentShare)
class AgentShareAdmin(ReadOnlyAdmin):
    """Which agents are shared with whom."""

    list_display = ("agent", "space", "organisation", "permission", "only_receivers", "created_at")
    search_fields = ("agent__name", "space__name", "organisation__name")
    list_select_related = ("agent", "space", "organisation")
