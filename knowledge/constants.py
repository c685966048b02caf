"""Closed choices of knowledge: kinds, states, stages."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class BaseKind(models.TextChoices):
    """What a base holds."""

    DOCUMENT = "document", _("Documents")


class DocumentState(models.TextChoices):
    """Where a document stands; each one but the first two is an end that has a reason or a result."""

    PENDING = "pending", _("Waiting")
    PROCESSING = "processing", _("Processing")
    COMPLETED = "completed", _("Ready")
    FAILED = "failed", _("Failed")
    NEEDS_INPUT = "needs_input", _("Needs input")
    REFUSED = "refused", _("Refused")
    CANCELLED = "cancelled", _("Cancelled")
    DELETING = "deleting", _("Deleting")


OPEN_STATES = (DocumentState.PENDING, DocumentState.PROCESSING)
RETRYABLE_STATES = (
    DocumentState.COMPLETED,
    DocumentState.FAILED,
    DocumentState.NEEDS_INPUT,
    DocumentState.REFUSED,
    DocumentState.CANCELLED,
)


class StageName(models.TextChoices):
    """Steps of ingestion, in their order."""

    PARSE = "parse", _("Read")
    SPLIT = "split", _("Split")
    EMBED = "embed", _("Embed")
    INDEX = "index", _("Index")


class StageState(models.TextChoices):
    """How far a step is."""

    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    SKIPPED = "skipped", _("Taken over from an earlier attempt")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


class ChunkKind(models.TextChoices):
    """What a chunk's text is."""

    TEXT = "text", _("Text")
