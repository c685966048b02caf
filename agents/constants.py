"""Closed choices of agents: modes, states."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class AgentMode(models.TextChoices):
    """How an agent answers."""

    QUICK = "quick", _("Quick answer")
    REACT = "react", _("Smart reasoning")


class BaseScope(models.TextChoices):
    """Which bases an agent may read."""

    ALL = "all", _("All bases the person may see")
    SELECTED = "selected", _("Selected bases")
    NONE = "none", _("No bases")


class RunState(models.TextChoices):
    """Where a run stands."""

    QUEUED = "queued", _("Waiting for a worker")
    RUNNING = "running", _("Running")
    WAITING_APPROVAL = "waiting_approval", _("Waiting for approval")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Stopped")


OPEN_RUN_STATES = (RunState.QUEUED, RunState.RUNNING, RunState.WAITING_APPROVAL)


class CallState(models.TextChoices):
    """What the journal knows of a tool call."""

    STARTED = "started"
    COMPLETED = "completed"
    FAILED = "failed"


class MessageRole(models.TextChoices):
    """Who says a message."""

    USER = "user"
    ASSISTANT = "assistant"
