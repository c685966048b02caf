"""What was done to read a document, attempt by attempt: for the timeline of its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.humanize.templatetags.humanize import intcomma
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, may
from knowledge.constants import OPEN_STATES, EnrichmentState, StageName, StageState
from knowledge.models import Document, Stage
from knowledge.queries import get_document
from knowledge.stored_reasons import told

_ORDER = {name: number for number, name in enumerate(StageName)}
_MARKS = {
    StageState.WAITING: "waiting",
    StageState.RUNNING: "running",
    StageState.DONE: "done",
    StageState.SKIPPED: "done",
    StageState.FAILED: "failed",
    StageState.CANCELLED: "failed",
}
_TONES = {
    StageState.RUNNING: "info",
    StageState.DONE: "ok",
    StageState.FAILED: "bad",
    StageState.CANCELLED: "warn",
}


@dataclass(frozen=True, kw_only=True)
class Span:
    """One step of an attempt."""

    name: str
    mark: str
    """waiting, running, done or failed."""
    tone: str
    state: str
    seconds: float | None
    """None while it waits."""
    progress: str
    facts: tuple[str, ...]
    reason: str
    error_code: str


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """All steps of one attempt."""

    number: int
    is_present: bool
    started_at: datetime | None
    seconds: float
    """Of all steps together, without the time in queues."""
    spans: tuple[Span, ...]


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """What `_timeline.html` shows."""

    document_id: UUID
    attempts: tuple[Attempt, ...]
    """The newest first."""
    is_busy: bool
    """Whether there will be more to see soon."""
    can_stop_reading: bool
    can_stop_enrichment: bool
    waits: str
    """What the document waits for, in words; blank when it does not."""


def timeline_of(actor: Actor, document_id: UUID) -> Timeline:
    """Return the timeline of a document.

    Raises:
        NotFound: there is no such document for this actor.
    """
    document = get_document(actor, document_id)
    stages: dict[int, list[Stage]] = {document.attempt: []}
    for stage in Stage.objects.filter(document=document):
        stages.setdefault(stage.attempt, []).append(stage)
    may_change = may(actor, "change", document)
    is_open = document.state in OPEN_STATES and not document.is_draft
    enriches = document.enrichment == EnrichmentState.RUNNING and not is_open
    return Timeline(
        document_id=document.pk,
        attempts=tuple(
            _attempt(number, rows, document)
            for number, rows in sorted(stages.items(), reverse=True)
            if rows
        ),
        is_busy=is_open or enriches,
        can_stop_reading=may_change and is_open,
        can_stop_enrichment=may_change and enriches,
        waits=told(document.reason) if is_open else "",
    )


def _attempt(number: int, stages: list[Stage], document: Document) -> Attempt:
    ordered = sorted(stages, key=lambda stage: _ORDER[StageName(stage.name)])
    spans = tuple(map(_span, ordered))
    return Attempt(
        number=number,
        is_present=number == document.attempt,
        started_at=min((stage.started_at for stage in stages), default=None),
        seconds=sum(span.seconds or 0.0 for span in spans),
        spans=spans,
    )


def _span(stage: Stage) -> Span:
    state = StageState(stage.state)
    skipped = str(stage.detail.get("skipped", ""))
    undescribed = str(stage.detail.get("undescribed", ""))
    label = _("Taken over") if state == StageState.SKIPPED and not skipped else str(state.label)
    return Span(
        name=str(StageName(stage.name).label),
        mark=_MARKS[state],
        tone=_TONES.get(state, ""),
        state=label,
        seconds=_seconds(stage, state),
        progress=_progress(stage, state),
        facts=tuple(_facts(stage.detail)),
        reason=told(stage.error or skipped or undescribed),
        error_code=stage.error_code,
    )


def _seconds(stage: Stage, state: StageState) -> float | None:
    if state == StageState.WAITING:
        return None
    return ((stage.ended_at or timezone.now()) - stage.started_at).total_seconds()


def _progress(stage: Stage, state: StageState) -> str:
    if not stage.total or state not in (StageState.RUNNING, StageState.WAITING):
        return ""
    return _("%(done)s of %(total)s") % {"done": stage.done, "total": stage.total}


def _facts(detail: Mapping[str, Any]) -> list[str]:
    """Return sizes, model and tokens in words, in the order in which they came about."""
    counted = {
        "characters_in": _("%s characters in"),
        "pages": _("%s pages"),
        "characters": _("%s characters"),
        "ocr_pages": _("%s pages by OCR"),
        "members": _("%s files inside"),
        "pictures": _("%s pictures"),
        "passages": _("%s passages"),
        "kept": _("%s kept"),
        "made": _("%s new"),
        "characters_out": _("%s characters out"),
        "tables": _("%s tables"),
        "columns": _("%s columns"),
        "entities": _("%s entities"),
        "relations": _("%s relations"),
        "calls": _("%s calls"),
        "tokens": _("about %s tokens"),
        "tokens_in": _("%s tokens in"),
        "tokens_out": _("%s tokens out"),
    }
    facts = [filesizeformat(detail["size_bytes"])] if detail.get("size_bytes") else []
    facts += [str(detail[name]) for name in ("parser", "model") if detail.get(name)]
    for name, words in counted.items():
        value = detail.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value:
            facts.append(words % intcomma(value))
    return facts
