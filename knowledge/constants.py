"""Closed choices of knowledge: kinds, states, stages."""

from django.db import models
from django.utils.translation import gettext_lazy as _, pgettext_lazy


class BaseKind(models.TextChoices):
    """What a base holds."""

    DOCUMENT = "document", _("Documents")
    FAQ = "faq", _("Questions and answers")


class DocumentState(models.TextChoices):
    """Where a document stands; each one but the first two is an end that has a reason or a result."""

    PENDING = "pending", _("Waiting")
    PROCESSING = "processing", _("Processing")
    COMPLETED = "completed", _("Ready")
    FAILED = "failed", _("Failed")
    NEEDS_INPUT = "needs_input", _("Needs input")
    REFUSED = "refused", _("Refused")
    CANCELLED = "cancelled", _("Canceled")
    DELETING = "deleting", _("Deleting")


OPEN_STATES = (DocumentState.PENDING, DocumentState.PROCESSING)
RETRYABLE_STATES = (
    DocumentState.COMPLETED,
    DocumentState.FAILED,
    DocumentState.NEEDS_INPUT,
    DocumentState.REFUSED,
    DocumentState.CANCELLED,
)


class DocumentSource(models.TextChoices):
    """Where a document came from."""

    FILE = "file", _("File")
    URL = "url", _("Web address")
    MANUAL = "manual", _("Written here")
    PASTE = "paste", _("Pasted")
    API = "api", _("API")
    MEMBER = "member", _("Part of another file")
    """An attachment of a mail, a file of an archive: `Document.parent` is what it came in."""
    FAQ = "faq", _("Questions and answers")
    """The one row under which the entries of a base of questions and answers stand."""
    WIKI = "wiki", _("Wiki page")
    """Under which a page of the base's wiki is searched; the page itself is the wiki's."""


UNLISTED_SOURCES = (DocumentSource.FAQ, DocumentSource.WIKI)
"""Rows that no list of documents shows: what stands in them has pages of its own."""


class EnrichmentState(models.TextChoices):
    """How far a searchable document is with what comes after indexing; it never fails a document."""

    NONE = "none", _("None")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    PARTLY = "partly", _("Partly")


class StageName(models.TextChoices):
    """Steps of ingestion, in their order; those behind `INDEX` enrich what is searchable already."""

    PARSE = "parse", pgettext_lazy("step of reading a document", "Read")
    SPLIT = "split", _("Split")
    EMBED = "embed", _("Embed")
    INDEX = "index", _("Index")
    PICTURES = "pictures", _("Text of pictures")
    SUMMARY = "summary", _("Summary")
    QUESTIONS = "questions", _("Questions")
    TABLES = "tables", _("Tables")
    TAGS = "tags", _("Tags")
    GRAPH = "graph", _("Graph")


ENRICHMENT_STAGES = (
    StageName.PICTURES,
    StageName.SUMMARY,
    StageName.QUESTIONS,
    StageName.TABLES,
    StageName.TAGS,
    StageName.GRAPH,
)


class StageState(models.TextChoices):
    """How far a step is."""

    WAITING = "waiting", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    SKIPPED = "skipped", _("Skipped")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Canceled")


class ChunkKind(models.TextChoices):
    """What a chunk's text is. The names are those of the reference's API."""

    TEXT = "text", _("Text")
    PARENT = "parent_text", _("Section")
    """Read by models in place of its children, never searched itself."""
    PICTURE_TEXT = "image_ocr", _("Text in a picture")
    PICTURE_CAPTION = "image_caption", _("Description of a picture")
    SUMMARY = "summary", _("Summary")
    QUESTION = "question", _("Question that it answers")
    TABLE_SUMMARY = "table_summary", _("Summary of a table")
    TABLE_COLUMN = "table_column", _("Column of a table")
    FAQ = "faq", _("Question and answer")


class CorrectionState(models.TextChoices):
    """Where a person's correction of a passage stands after the last reading of its document."""

    APPLIED = "applied", _("Applied")
    LOST = "lost", _("Its place was not found")
    """The passage changed or went: a person decides where it belongs."""
    WITHDRAWN = "withdrawn", _("Withdrawn")


class RevisionKind(models.TextChoices):
    """How a text of a passage came to be."""

    EDIT = "edit", _("Edited")
    REVERT = "revert", _("Reverted")
    REANCHOR = "reanchor", _("Carried over to a new reading")


class BatchState(models.TextChoices):
    """Where a batch of uploads stands."""

    ESTIMATED = "estimated", _("Waiting for confirmation")
    RUNNING = "running", _("Running")
    PAUSED = "paused", _("Paused at its limit")
    DONE = "done", _("Done")
    CANCELLED = "cancelled", _("Canceled")


class AnswerStrategy(models.TextChoices):
    """Which of an entry's answers is given."""

    ALL = "all", _("All")
    RANDOM = "random", _("One of them")


class ImportMode(models.TextChoices):
    """What an import of entries does with those that stand."""

    APPEND = "append", _("Add and merge")
    REPLACE = "replace", _("Replace all")


class MarkKind(models.TextChoices):
    """How a person keeps a base at hand."""

    PIN = "pin", _("Pinned")
    FAVOURITE = "favourite", _("Favorite")


class SearchDoor(models.TextChoices):
    """Through which door a search came."""

    PAGE = "page", _("Retrieval test")
    API = "api", _("API")
    COMMAND = "command", _("Command line")
    QUICK = "quick", _("Quick answer")
    TOOL = "tool", _("Tool of an agent")
    EVALUATION = "evaluation", _("Evaluation")


class EmbeddingChangeState(models.TextChoices):
    """Where a change of a base's embedding model stands; see `docs/boundaries/reembedding.md`."""

    BUILDING = "building", _("Building")
    READY = "ready", _("Ready to cut over")
    LIVE = "live", _("Live, can be undone")
    UNDONE = "undone", _("Undone")
    FINISHED = "finished", _("Finished")
    CANCELED = "canceled", _("Canceled")
    FAILED = "failed", _("Failed")


OPEN_CHANGES = (
    EmbeddingChangeState.BUILDING,
    EmbeddingChangeState.READY,
    EmbeddingChangeState.LIVE,
)


class GoldenOrigin(models.TextChoices):
    """Where a golden question came from."""

    PERSON = "person", _("Written by a person")
    DRAFTED = "drafted", _("Drafted by a model")
    ANSWER = "answer", _("From an answer")
    FEEDBACK = "feedback", _("From feedback")
    IMPORT = "import", _("Imported")


class GoldenState(models.TextChoices):
    """Whether a golden question counts: only what a person confirmed is asked in runs."""

    DRAFT = "draft", pgettext_lazy("golden question", "Draft")
    CONFIRMED = "confirmed", pgettext_lazy("golden question", "Confirmed")
    RETIRED = "retired", pgettext_lazy("golden question", "Retired")


class EvaluationState(models.TextChoices):
    """Where an evaluation stands."""

    QUEUED = "queued", _("Waiting")
    RUNNING = "running", _("Running")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Stopped")


OPEN_EVALUATIONS = (EvaluationState.QUEUED, EvaluationState.RUNNING)
