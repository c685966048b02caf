"""The enrichments of documents: what each adds, when it is wanted, and its job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.jobs.declare import Job
from core.jobs.handlers import JobContext
from knowledge.base_settings import BaseSettings
from knowledge.constants import StageName
from knowledge.ingest.stages import StageReport
from knowledge.models import Document


@dataclass(frozen=True, kw_only=True)
class Enriching:
    """One enrichment of one attempt at a document, at work."""

    context: JobContext
    document: Document
    settings: BaseSettings
    report: StageReport
    cursor: Mapping[str, Any] = field(default_factory=dict)
    """Where an earlier job of the same enrichment stopped, in its own words; JSON values."""


@dataclass(frozen=True, kw_only=True)
class Enrichment:
    """Something that is added to a document once it is found."""

    stage: StageName
    job: Job
    wanted: Callable[[Document, BaseSettings], bool]
    """Whether this document gets it."""
    run: Callable[[Enriching], None]
    """Does it; may run twice, and checks `context` before it writes."""
    needs_chat: bool = True
    """Whether a chat model writes it; without one it is skipped, and the timeline says why."""


_enrichments: dict[StageName, Enrichment] = {}


def register(enrichment: Enrichment) -> None:
    """Make an enrichment known; once, by `knowledge.enrich.running.register_enrichment`."""
    if enrichment.stage in _enrichments:
        raise RuntimeError(f"{enrichment.stage} has an enrichment already")
    _enrichments[enrichment.stage] = enrichment


def enrichments() -> tuple[Enrichment, ...]:
    """Return all enrichments, in the order in which they were registered."""
    return tuple(_enrichments.values())


def enrichment_of(stage: str) -> Enrichment | None:
    """Return the enrichment of a stage."""
    return _enrichments.get(StageName(stage))
