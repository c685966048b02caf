"""Reads of how well pages were read, as far as the actor may see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from uuid import UUID

from django.db.models import QuerySet

from accounts.access import Actor, visible
from knowledge.constants import UNLISTED_SOURCES, DocumentState
from knowledge.health.score import GOOD, NAMED_BELOW, WEAK, WEIGHTS, SignalName
from knowledge.models import PageHealth

Order = Literal["worst", "best", "document"]
ORDERS: dict[Order, tuple[str, ...]] = {
    "worst": ("confidence", "document__name", "page"),
    "best": ("-confidence", "document__name", "page"),
    "document": ("document__name", "document_id", "page"),
}
LevelFilter = Literal["weak", "doubtful", "all"]
_GONE = (DocumentState.DELETING,)


@dataclass(frozen=True, kw_only=True)
class HealthFilter:
    """Which pages of a base are listed."""

    level: LevelFilter = "doubtful"
    """"weak"; "doubtful": weak and fair; "all"."""
    signal: SignalName | None = None
    """Only pages that this signal pulls down."""
    search: str = ""
    """A part of the document's name."""
    order: Order = "worst"


def read_filter(*, level: str, signal: str, search: str, order: str) -> HealthFilter:
    """Return the filter of a request; what is not known counts as not given."""
    wanted = HealthFilter()
    return HealthFilter(
        level=next((each for each in get_args(LevelFilter) if each == level), wanted.level),
        signal=next((each for each in WEIGHTS if each == signal), None),
        search=search.strip()[:200],
        order=next((each for each in ORDERS if each == order), wanted.order),
    )


def document_pages(actor: Actor, document_id: UUID) -> QuerySet[PageHealth]:
    """Return the pages of a document, in their order."""
    rows = PageHealth.objects.filter(document_id=document_id)
    return visible(actor, "view", rows).order_by("page")


def base_pages(actor: Actor, base_id: UUID, wanted: HealthFilter) -> QuerySet[PageHealth]:
    """Return the pages of a base that `wanted` asks for, with their documents."""
    rows = (
        PageHealth.objects.filter(document__base_id=base_id, document__trashed_at__isnull=True)
        .exclude(document__state__in=_GONE)
        .exclude(document__source__in=UNLISTED_SOURCES)
    )
    if wanted.level == "weak":
        rows = rows.filter(confidence__lt=WEAK)
    elif wanted.level == "doubtful":
        rows = rows.filter(confidence__lt=GOOD)
    if wanted.signal is not None:
        rows = rows.filter(**{f"signals__{wanted.signal}__lt": NAMED_BELOW})
    if wanted.search:
        rows = rows.filter(document__name__icontains=wanted.search)
    found = visible(actor, "view", rows).select_related("document__base")
    return found.order_by(*ORDERS[wanted.order])
