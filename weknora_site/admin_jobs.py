"""Background jobs on the admin site: what waits, runs and failed; cancel, try again, forget."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _

from accounts.admin_base import DetailAdmin, administrator_of
from core.models import BackgroundJob, JobState
from weknora_site.jobs import cancel, forget, retry

# The theme comes without types; what is built on its classes is checked as far as ours goes.
# mypy: disable-error-code="misc"


@admin.register(BackgroundJob)
class JobAdmin(DetailAdmin):
    """Jobs of all spaces; their arguments are ids."""

    list_display = (
        *("name", "space_id", "queue", "state", "attempt", "created_at", "started_at"),
        *("ended_at", "lease_owner"),
    )
    list_filter = ("state", "queue", "name", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("=id", "name", "=space_id")
    ordering = ("-created_at",)
    actions = ("try_again", "cancel", "forget")

    @admin.action(description=_("Try again…"))
    def try_again(
        self, request: HttpRequest, queryset: QuerySet[BackgroundJob]
    ) -> HttpResponseBase | None:
        """Queue ended jobs anew."""
        return self.confirmed(
            request,
            queryset,
            question=_("Try these jobs again? Only failed and canceled jobs are run again."),
            run=lambda row: retry(administrator_of(request), job_id=row.pk),
        )

    @admin.action(description=_("Cancel…"))
    def cancel(
        self, request: HttpRequest, queryset: QuerySet[BackgroundJob]
    ) -> HttpResponseBase | None:
        """Stop what waits or runs."""
        return self.confirmed(
            request,
            queryset,
            question=_("Cancel these jobs? What they were to do is not done."),
            run=lambda row: cancel(administrator_of(request), job_id=row.pk),
            is_dangerous=True,
        )

    @admin.action(description=_("Delete ended ones…"))
    def forget(
        self, request: HttpRequest, queryset: QuerySet[BackgroundJob]
    ) -> HttpResponseBase | None:
        """Delete rows of ended jobs; filter by state first to purge a state."""
        ended = queryset.filter(state__in=(JobState.DONE, JobState.FAILED, JobState.CANCELLED))
        return self.confirmed(
            request,
            ended,
            question=_("Delete the rows of these ended jobs?"),
            run=lambda row: forget(administrator_of(request), job_id=row.pk),
            is_dangerous=True,
        )
