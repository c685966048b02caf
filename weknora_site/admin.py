"""The admin site's pages of what no app of ours owns: jobs, the scheduler's tables, sessions, links.

What holds secrets is taken off the site: tokens of single sign-on, its clients, second factors.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django_celery_beat.admin import (
    ClockedScheduleAdmin,
    CrontabScheduleAdmin,
    PeriodicTaskAdmin,
    PeriodicTaskForm,
    TaskSelectWidget,
)
from django_celery_beat.models import (
    ClockedSchedule,
    CrontabSchedule,
    IntervalSchedule,
    PeriodicTask,
    SolarSchedule,
)
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from accounts.admin_base import ReadOnlyAdmin, SuperuserAdmin

# The packages come without types; what is built on their classes is checked as far as ours goes.
# mypy: disable-error-code="misc"

for _model in (
    *(SocialApp, SocialToken, SocialAccount, Authenticator, UserSession),
    *(PeriodicTask, ClockedSchedule, CrontabSchedule, IntervalSchedule, SolarSchedule),
):
    admin.site.unregister(_model)


@admin.register(SocialAccount)
class LinkAdmin(ReadOnlyAdmin):
    """Who is linked to single sign-on; without what the provider said."""

    list_display = ("user", "provider", "date_joined", "last_login")
    list_filter = ("provider",)
    search_fields = ("user__email",)
    list_select_related = ("user",)


@admin.register(UserSession)
class SessionAdmin(ReadOnlyAdmin):
    """Where people are signed in; without the keys of their sessions."""

    list_display = ("user", "ip", "user_agent", "created_at", "last_seen_at")
    list_filter = ("created_at",)
    date_hierarchy = "created_at"
    search_fields = ("user__email", "ip")
    list_select_related = ("user",)


class ThemedTaskSelect(UnfoldAdminSelectWidget, TaskSelectWidget):
    """The tasks that workers know."""


class ThemedTaskForm(PeriodicTaskForm):
    """A periodic task; the two fields that the package declares itself look like all others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["regtask"].widget = ThemedTaskSelect()
        self.fields["task"].widget = UnfoldAdminTextInputWidget()


@admin.register(PeriodicTask)
class ThemedPeriodicTaskAdmin(PeriodicTaskAdmin, SuperuserAdmin):
    """What the scheduler starts, and when."""

    form = ThemedTaskForm
    # The package's own template has an inline script, which the content policy blocks.
    change_form_template = "admin/periodic_task.html"

    @admin.display(description=_("Crontab in words"))
    def crontab_translation(self, obj: PeriodicTask | None) -> str:
        """Say when the crontab starts it; `js/crontabs.js` follows the choice."""
        crontab = obj.crontab if obj is not None else None
        words = crontab.human_readable if crontab is not None else "–"
        return format_html('<span id="crontab-words" role="status">{}</span>', words)


@admin.register(CrontabSchedule)
class ThemedCrontabAdmin(CrontabScheduleAdmin, SuperuserAdmin):
    """Times by the calendar."""


@admin.register(ClockedSchedule)
class ThemedClockedAdmin(ClockedScheduleAdmin, SuperuserAdmin):
    """Single moments."""


@admin.register(IntervalSchedule)
class ThemedIntervalAdmin(SuperuserAdmin):
    """Times by the clock."""

    list_display = ("every", "period")


@admin.register(SolarSchedule)
class ThemedSolarAdmin(SuperuserAdmin):
    """Times by the sun."""

    list_display = ("event", "latitude", "longitude")


import_module("weknora_site.admin_jobs")
