"""Who may do what to schedules: they read with their person's rights, so they are theirs alone."""

from accounts.access import PersonalPolicy, register
from agents.models import AgentSchedule


class SchedulePolicy(PersonalPolicy):
    """A schedule is its person's alone, like the conversations it begins."""

    area = "schedules"


register(AgentSchedule, SchedulePolicy())
