"""Closed choices of the wiki."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _, pgettext_lazy

MAX_FOLDER_DEPTH = 3
MAX_SLUG = 200
MAX_TITLE = 512
MAX_CONTENT = 1_000_000
"""Characters of a page."""
MAX_INSTRUCTIONS = 4000


class PageKind(models.TextChoices):
    """What a page is about; the last two are only written by people and agents."""

    SUMMARY = "summary", _("Summary")
    ENTITY = "entity", _("Entity")
    CONCEPT = "concept", _("Concept")
    INDEX = "index", _("Index")
    SYNTHESIS = "synthesis", _("Synthesis")
    COMPARISON = "comparison", _("Comparison")


class PageStatus(models.TextChoices):
    """Whether readers meet a page: drafts only meet their editors, archived ones no search."""

    DRAFT = "draft", pgettext_lazy("wiki page", "Draft")
    PUBLISHED = "published", pgettext_lazy("wiki page", "Published")
    ARCHIVED = "archived", pgettext_lazy("wiki page", "Archived")


class MirrorState(models.TextChoices):
    """Where the mirror of a wiki stands."""

    WAITING = "waiting", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Up to date")
    FAILED = "failed", _("Failed")


class AuthorKind(models.TextChoices):
    """Who made a revision or proposes one."""

    PIPELINE = "pipeline", _("Built from documents")
    AGENT = "agent", _("Agent")
    USER = "user", _("Person")
    REVERT = "revert", _("Rolled back")
    IMPORT = "import", _("Imported")


class ReviewMode(models.TextChoices):
    """Whose edits wait for a person."""

    OPEN = "open", _("Nobody's: edits are published at once")
    AGENTS = "agents", _("Those of agents and of building")
    ALL = "all", _("Everybody's")


class ChangeAction(models.TextChoices):
    """What a change request asks for."""

    CREATE = "create", _("New page")
    EDIT = "edit", _("Edit")
    RENAME = "rename", _("Rename")
    DELETE = "delete", _("Delete")


class ChangeState(models.TextChoices):
    """Where a change request stands; see `wiki.changes.states` for the ways between them."""

    DRAFT = "draft", pgettext_lazy("change request", "Draft")
    IN_REVIEW = "in_review", _("In review")
    APPROVED = "approved", _("Approved")
    CHANGES_ASKED = "changes_asked", _("Changes asked")
    REJECTED = "rejected", _("Rejected")
    PUBLISHED = "published", pgettext_lazy("change request", "Published")
    SUPERSEDED = "superseded", _("Superseded")


OPEN_CHANGE_STATES = (
    ChangeState.DRAFT,
    ChangeState.IN_REVIEW,
    ChangeState.APPROVED,
    ChangeState.CHANGES_ASKED,
)


class Verdict(models.TextChoices):
    """What a reviewer says of a change request."""

    APPROVE = "approve", _("Approve")
    ASK = "ask", _("Ask for changes")
    REJECT = "reject", _("Reject")


class BuildMode(models.TextChoices):
    """When documents are built into pages."""

    AUTOMATIC = "automatic", _("As soon as a document was read")
    MANUAL = "manual", _("When somebody asks for it")


class Granularity(models.TextChoices):
    """How many subjects a document gives pages."""

    FOCUSED = "focused", _("Focused: three to seven subjects a document")
    STANDARD = "standard", _("Standard")
    EXHAUSTIVE = "exhaustive", _("Exhaustive: all that is named")


class OperationKind(models.TextChoices):
    """What building does with a document."""

    INGEST = "ingest", _("Take in")
    RETRACT = "retract", _("Take out")


class OperationState(models.TextChoices):
    """Where a document stands in the queue of building; dead ones wait for a person."""

    PENDING = "pending", pgettext_lazy("wiki building", "Waiting")
    CLAIMED = "claimed", pgettext_lazy("wiki building", "Being built")
    DONE = "done", pgettext_lazy("wiki building", "Done")
    DEAD = "dead", pgettext_lazy("wiki building", "Failed")
    CANCELLED = "cancelled", pgettext_lazy("wiki building", "Stopped")


class IssueKind(models.TextChoices):
    """What is wrong with a page; people and agents flag the first four, lint finds the others."""

    MIXED_ENTITIES = "mixed_entities", _("Different things mixed up")
    CONTRADICTORY_FACTS = "contradictory_facts", _("Facts that contradict each other")
    OUT_OF_DATE = "out_of_date", _("Out of date")
    OTHER = "other", pgettext_lazy("wiki issue", "Other")
    ORPHAN_PAGE = "orphan_page", _("No page leads here")
    BROKEN_LINK = "broken_link", _("Broken link")
    STALE_REF = "stale_ref", _("Its source is gone or changed")
    MISSING_CROSS_REF = "missing_cross_ref", _("Names a page without a link")
    EMPTY_CONTENT = "empty_content", _("Hardly any text")
    DUPLICATE = "duplicate", _("Stands twice")


class IssueState(models.TextChoices):
    """What became of an issue."""

    PENDING = "pending", pgettext_lazy("wiki issue", "Open")
    IGNORED = "ignored", pgettext_lazy("wiki issue", "Ignored")
    RESOLVED = "resolved", pgettext_lazy("wiki issue", "Resolved")


class LintState(models.TextChoices):
    """How far a check of a wiki is."""

    WAITING = "waiting", pgettext_lazy("check of a wiki", "Waiting")
    RUNNING = "running", pgettext_lazy("check of a wiki", "Running")
    DONE = "done", pgettext_lazy("check of a wiki", "Done")
    STOPPED = "stopped", pgettext_lazy("check of a wiki", "Stopped")
    FAILED = "failed", pgettext_lazy("check of a wiki", "Failed")


OPEN_LINT_STATES = (LintState.WAITING, LintState.RUNNING)


class NoticeKind(models.TextChoices):
    """What somebody is told."""

    REVIEW_ASKED = "review_asked", _("You were asked to review")
    PROPOSED = "proposed", _("A change was proposed")
    COMMENTED = "commented", _("Somebody commented")
    RESUBMITTED = "resubmitted", _("A proposal was handed in again")
    APPROVED = "approved", _("Your proposal was approved")
    CHANGES_ASKED = "changes_asked", _("Changes to your proposal are asked for")
    REJECTED = "rejected", _("Your proposal was rejected")
    PUBLISHED = "published", _("Your proposal was published")
    SUPERSEDED = "superseded", _("Your proposal is not needed any more")
    PAGE_CHANGED = "page_changed", _("A page that you watch was changed")
    PAGE_REMOVED = "page_removed", _("A page that you watch was deleted")
