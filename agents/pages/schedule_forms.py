"""The form of a schedule: times as people say them, or a cron line."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.access import Actor
from agents.models import AgentSchedule
from agents.queries import list_agents
from agents.schedules.presets import KINDS, MONTH_DAYS, WEEKDAYS, Times, times_of
from agents.schedules.services import ScheduleValues
from knowledge.queries import list_bases


class ScheduleForm(forms.Form):
    """A schedule as it is entered; `values()` gives what the services take."""

    name = forms.CharField(label=_("Name"), max_length=120)
    question = forms.CharField(
        label=_("Question"), max_length=20_000, widget=forms.Textarea(attrs={"rows": 4})
    )
    agent = forms.ChoiceField(label=_("Agent"))
    bases = forms.MultipleChoiceField(
        label=_("Only these knowledge bases"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None chosen: all knowledge bases of the agent."),
    )
    kind = forms.ChoiceField(label=_("When"), choices=KINDS)
    at = forms.TimeField(
        label=_("At"),
        required=False,
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
    )
    weekday = forms.ChoiceField(
        label=_("Day of the week"),
        choices=WEEKDAYS,
        required=False,
        help_text=_("For every week."),
    )
    month_day = forms.ChoiceField(
        label=_("Day of the month"),
        choices=MONTH_DAYS,
        required=False,
        help_text=_("For every month."),
    )
    cron = forms.CharField(
        label=_("Cron expression"),
        max_length=120,
        required=False,
        help_text=_("Minute, hour, day, month, weekday, such as 0 8 * * 1-5."),
    )
    timezone = forms.CharField(
        label=_("Time zone"), max_length=60, help_text=_("Such as Europe/Berlin or UTC.")
    )

    def __init__(
        self, *args: Any, actor: Actor, schedule: AgentSchedule | None = None, **kwargs: Any
    ) -> None:
        """Offer the actor's agents and bases; begin with what is stored."""
        kwargs["initial"] = {**_initial(schedule), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        agents, bases = self.fields["agent"], self.fields["bases"]
        assert isinstance(agents, forms.ChoiceField)
        assert isinstance(bases, forms.MultipleChoiceField)
        agents.choices = [(str(row.pk), row.name) for row in list_agents(actor)]
        bases.choices = [(str(row.pk), row.name) for row in list_bases(actor)]
        if not bases.choices:
            del self.fields["bases"]

    def times(self) -> Times:
        """Return when it is asked, as it was entered."""
        cleaned = self.cleaned_data
        plain = Times()
        return Times(
            kind=cleaned.get("kind") or plain.kind,
            at=cleaned.get("at") or plain.at,
            weekday=cleaned.get("weekday") or plain.weekday,
            month_day=cleaned.get("month_day") or plain.month_day,
            cron=cleaned.get("cron", ""),
        )

    def values(self) -> ScheduleValues:
        """Return what was entered, for the services."""
        cleaned = self.cleaned_data
        return ScheduleValues(
            name=cleaned["name"],
            question=cleaned["question"],
            agent_id=UUID(cleaned["agent"]),
            cron=self.times().as_cron(),
            timezone=cleaned["timezone"].strip(),
            base_ids=tuple(UUID(each) for each in cleaned.get("bases", ())),
        )


def _initial(schedule: AgentSchedule | None) -> dict[str, Any]:
    if schedule is None:
        times, known = Times(), {"timezone": "UTC"}
    else:
        times = times_of(schedule.cron)
        known = {
            "name": schedule.name,
            "question": schedule.question,
            "agent": str(schedule.agent_id),
            "bases": schedule.base_ids,
            "timezone": schedule.timezone,
        }
    return {
        **known,
        "kind": times.kind,
        "at": times.at,
        "weekday": times.weekday,
        "month_day": times.month_day,
        "cron": times.cron,
    }
