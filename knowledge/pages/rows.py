"""Contexts of the partials that show documents and where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from knowledge.constants import (
    OPEN_STATES,
    RETRYABLE_STATES,
    DocumentState,
    StageName,
    StageState,
)
from knowledge.models import Document, Stage, Tag
from knowledge.pages.labels import icon_of, label_of
from knowledge.services.documents import INFECTED
from knowledge.stored_reasons import told

_SHOWN_WARNINGS = 3
_SHOWN_STAGES = (StageName.PARSE, StageName.SPLIT, StageName.EMBED, StageName.INDEX)
"""What comes behind them enriches a document that is found already."""


@dataclass(frozen=True, kw_only=True)
class StageMark:
    """One mark of the stage bar."""

    state: str
    label: str


@dataclass(frozen=True, kw_only=True)
class Status:
    """Where a document stands, for `_document_state.html`."""

    state: str
    label: str
    stages: tuple[StageMark, ...]
    progress: str
    reason: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DocumentRow:
    """A document, for `_document_row.html`."""

    id: UUID
    name: str
    folder: str
    icon: str
    kind_label: str
    size_bytes: int
    page_count: int | None
    chunk_count: int | None
    added_at: datetime
    added_by: str
    status: Status
    can_retry: bool
    can_cancel: bool
    can_delete: bool
    is_restricted: bool = False
    tags: tuple[Tag, ...] = ()
    owner: str = ""
    review_by: date | None = None
    is_draft: bool = False
    needs_password: bool = False

    @property
    def is_busy(self) -> bool:
        """Whether it is being read."""
        return self.status.state in OPEN_STATES and not self.is_draft

    @property
    def is_due(self) -> bool:
        """Whether the day has come to look at it again."""
        return self.review_by is not None and self.review_by <= timezone.localdate()


def row_of(document: Document, *, may_change: bool, is_restricted: bool = False) -> DocumentRow:
    """Return a document's context; its stages should be prefetched."""
    return DocumentRow(
        id=document.pk,
        name=document.name,
        folder=document.folder_path,
        icon=icon_of(document.file_type),
        kind_label=label_of(document.file_type),
        size_bytes=document.size_bytes,
        page_count=document.page_count,
        chunk_count=document.chunk_count or None,
        added_at=document.created_at,
        added_by=str(document.uploaded_by) if document.uploaded_by else "",
        status=status_of(document),
        can_retry=may_change
        and document.state in RETRYABLE_STATES
        and not document.is_draft
        and document.reason_code != INFECTED,
        can_cancel=may_change and document.state in OPEN_STATES and not document.is_draft,
        can_delete=may_change,
        is_restricted=is_restricted,
        tags=tuple(each.tag for each in document.tag_rows.all()),
        owner=str(document.owner) if document.owner else "",
        review_by=document.review_by,
        is_draft=document.is_draft,
        needs_password=may_change and document.state == DocumentState.NEEDS_INPUT,
    )


def status_of(document: Document) -> Status:
    """Return where a document stands, in words."""
    stages = {
        stage.name: stage for stage in document.stages.all() if stage.attempt == document.attempt
    }
    if document.is_draft:
        return _draft_status()
    shown = _SHOWN_WARNINGS if document.state == DocumentState.COMPLETED else 0
    return Status(
        state=document.state,
        label=str(DocumentState(document.state).label),
        stages=tuple(_mark(name, stages.get(name)) for name in _SHOWN_STAGES),
        progress=_progress(document, stages),
        reason="" if document.state == DocumentState.COMPLETED else told(document.reason),
        warnings=tuple(told(each) for each in document.warnings[:shown]),
    )


def _draft_status() -> Status:
    """Nothing is done with a draft, and nothing is wrong with it."""
    return Status(state="draft", label=_("Draft"), stages=(), progress="", reason="", warnings=())


_MARKS = {
    StageState.WAITING: "waiting",
    StageState.RUNNING: "running",
    StageState.DONE: "done",
    StageState.SKIPPED: "done",
    StageState.FAILED: "failed",
    StageState.CANCELLED: "failed",
}


def _mark(name: StageName, stage: Stage | None) -> StageMark:
    state = _MARKS[StageState(stage.state)] if stage else "waiting"
    return StageMark(state=state, label=str(name.label))


def _progress(document: Document, stages: dict[str, Stage]) -> str:
    """Return what is being done right now."""
    if document.state == DocumentState.PENDING:
        return (
            _("Waiting for the virus scanner")
            if document.reason_code
            else _("Waiting for a worker")
        )
    running = next((each for each in stages.values() if each.state == StageState.RUNNING), None)
    if running is None:
        return _("Next step")
    counted = {"done": running.done, "total": running.total}
    if running.name == StageName.EMBED and running.total:
        return _("Embedding %(done)s of %(total)s passages") % counted
    words = {
        StageName.PARSE: _("Reading"),
        StageName.SPLIT: _("Splitting into passages"),
        StageName.EMBED: _("Embedding"),
        StageName.INDEX: _("Indexing"),
    }
    return words.get(StageName(running.name), str(StageName(running.name).label))
