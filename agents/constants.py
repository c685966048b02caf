"""Closed choices of agents: modes, states."""

from django.db import models
from django.utils.translation import gettext_lazy as _, pgettext_lazy


class AgentMode(models.TextChoices):
    """How an agent answers."""

    QUICK = "quick", _("Quick answer")
    REACT = "react", _("Smart reasoning")


class BaseScope(models.TextChoices):
    """Which bases an agent may read."""

    ALL = "all", _("All knowledge bases the person may see")
    SELECTED = "selected", _("Selected knowledge bases")
    NONE = "none", _("No knowledge bases")


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


class DecisionState(models.TextChoices):
    """What became of a request for approval."""

    OPEN = "", _("Waiting")
    APPROVED = "approved", _("Approved")
    EDITED = "edited", _("Approved with changes")
    REJECTED = "rejected", _("Rejected")
    EXPIRED = "expired", _("Nobody answered in time")
    CANCELLED = "cancelled", _("Run stopped")


class Deciders(models.TextChoices):
    """Who may decide about a waiting call, beside the people whom the space names."""

    PERSON = "person", _("The person who asked")
    PERSON_OR_ADMINS = "person_or_admins", _("The person who asked, and administrators")
    OTHERS = "others", _("Administrators, but never the person who asked")


class MemoryKind(models.TextChoices):
    """What a memory is about. The first three are always recalled, the others when they fit."""

    PROFILE = "profile", _("About me")
    PREFERENCE = "preference", _("How I like it")
    INTEREST = "interest", _("What interests me")
    FACT = "fact", _("Fact")
    TASK = "task", _("Task")


class MemoryOrigin(models.TextChoices):
    """How a memory came about."""

    EXPLICIT = "explicit", _("You asked to remember it")
    EXTRACTED = "extracted", _("Taken from a conversation")
    MANUAL = "manual", _("Written by you")


class MemoryState(models.TextChoices):
    """Where a memory stands."""

    ACTIVE = "active", _("In use")
    PENDING = "pending", _("To be confirmed")
    SUPERSEDED = "superseded", _("Replaced")
    ARCHIVED = "archived", _("Set aside")


class MemoryWriting(models.TextChoices):
    """What is remembered without being asked."""

    EXPLICIT = "explicit_only", _("Only what people ask to remember")
    AUTO = "auto", _("Also what conversations show")


class SuggestionPlace(models.TextChoices):
    """Where suggested questions stand."""

    STARTERS = "starters", _("In an empty conversation")
    FOLLOW_UPS = "follow_ups", _("After an answer")


class SuggestionState(models.TextChoices):
    """How far a set of suggestions is."""

    GENERATING = "generating", _("In preparation")
    READY = "ready", _("Ready")
    SUPPRESSED = "suppressed", _("Left out")
    FAILED = "failed", _("Failed")


class SuggestionAction(models.TextChoices):
    """What a person did with suggestions."""

    IMPRESSION = "impression", _("Shown")
    CLICK = "click", _("Clicked")
    DISMISS = "dismiss", _("Closed")
    REGENERATE = "regenerate", _("Asked for new ones")


class VerdictState(models.TextChoices):
    """How far the sources bear a sentence out."""

    SUPPORTED = "supported", _("Supported")
    PARTLY = "partly", _("Partly supported")
    UNSUPPORTED = "unsupported", _("Not supported")


class VerdictMethod(models.TextChoices):
    """What judged a sentence."""

    WORDS = "words", _("Words and figures")
    MODEL = "model", _("A language model")


class BudgetSubject(models.TextChoices):
    """Whose spending a budget limits."""

    SPACE = "space", _("The whole space")
    AGENT = "agent", _("An agent")
    USER = "user", _("A person")


class BudgetPeriod(models.TextChoices):
    """How long a budget lasts before it starts anew, in UTC."""

    DAY = "day", pgettext_lazy("period of a budget", "Day")
    MONTH = "month", pgettext_lazy("period of a budget", "Month")


class FeedbackReason(models.TextChoices):
    """What is wrong with an answer."""

    WRONG = "wrong", _("Wrong")
    INCOMPLETE = "incomplete", _("Incomplete")
    OUTDATED = "outdated", _("Outdated")
    UNFOUNDED = "unfounded", _("Not from my documents")
    WORDING = "wording", _("Badly written")
    OTHER = "other", _("Something else")


class FeedbackState(models.TextChoices):
    """Whether somebody looked after feedback."""

    OPEN = "open", pgettext_lazy("feedback", "Open")
    HANDLED = "handled", pgettext_lazy("feedback", "Handled")
    DISMISSED = "dismissed", pgettext_lazy("feedback", "Dismissed")


class UnansweredState(models.TextChoices):
    """What became of a question that found no answer."""

    OPEN = "open", pgettext_lazy("unanswered question", "Open")
    ANSWERED = "answered", pgettext_lazy("unanswered question", "Answered")
    DISMISSED = "dismissed", pgettext_lazy("unanswered question", "Dismissed")
