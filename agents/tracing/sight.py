"""Asks again what a reader may see of the sources that a run's events hold text of.

An event keeps what a tool returned. Who lost access to a source sees that there was a result, not
its text; the same for pages, sockets, exports and the messages that a model read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor, visible
from accounts.guests import guests_of, reading_again
from agents.engine.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    ApprovalRequested,
    CitationAdded,
    PreambleMoved,
    RunFinished,
    ThoughtDelta,
    ToolCallFinished,
    ToolCallStarted,
    parse_event,
)
from agents.memory.owners import principal_of
from agents.models import RunEvent
from agents.tracing.closed import closed_runs
from core.tenancy import space_scope
from knowledge.access.walls import sealed_ids
from knowledge.models import Document, KnowledgeBase

HOLD_TEXT = ("tool_call_finished", "citation_added")
"""Types of events in which text or names of sources stand."""


@dataclass(frozen=True)
class Source:
    """A document that an event names, with its base where the event says it."""

    document_id: str
    base_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """Which documents and bases, of those that were asked about, the reader may see."""

    documents: frozenset[str] = frozenset()
    existing: frozenset[str] = frozenset()
    bases: frozenset[str] = frozenset()
    sealed: frozenset[str] = frozenset()
    """Documents that are gone, were restricted and are closed to the reader."""
    reader: str = ""
    """The principal who reads: memories are their own principal's alone."""

    def beside(self, other: Sight) -> Sight:
        """Return this sight with what the same reader sees in another space."""
        return replace(
            self,
            documents=self.documents | other.documents,
            existing=self.existing | other.existing,
            bases=self.bases | other.bases,
            sealed=self.sealed | other.sealed,
        )

    def is_of_another(self, event: ToolCallFinished | CitationAdded) -> bool:
        """Say whether the event holds somebody else's memories."""
        if not isinstance(event, ToolCallFinished):
            return False
        return bool(event.data.get("principal", self.reader) != self.reader)

    def may_read(self, source: Source) -> bool:
        """Say whether the source is open; a deleted document is as open as its base."""
        if not source.document_id:
            return source.base_id in self.bases
        if source.document_id in self.sealed:
            return False
        if source.document_id in self.existing:
            return source.document_id in self.documents
        return source.base_id in self.bases

    def hides(self, event: ToolCallFinished | CitationAdded) -> bool:
        """Say whether a source of the event is closed to the reader."""
        if self.is_of_another(event):
            return True
        return not all(self.may_read(source) for source in sources_of(event))


def sources_of(event: ToolCallFinished | CitationAdded) -> set[Source]:
    """Return the sources that an event names."""
    if isinstance(event, CitationAdded):
        if not event.document_id and not event.base_id:
            return set()
        return {Source(event.document_id or "", event.base_id or "")}
    return set(_sources_in(event.data))


def sight_of(actor: Actor, events: Iterable[AgentEvent]) -> Sight:
    """Return what the reader may see of the events' sources, in five queries or none.

    Sources of bases that other spaces share are looked at as their guest, in each of those spaces.
    """
    named = {
        source
        for event in events
        if isinstance(event, ToolCallFinished | CitationAdded)
        for source in sources_of(event)
    }
    if not named:
        return Sight(reader=principal_of(actor))
    documents = _ids(source.document_id for source in named)
    bases = _ids(source.base_id for source in named)
    sight = _sight(actor, documents, bases)
    closed = [each for each in bases if str(each) not in sight.bases]
    for guest in guests_of(reading_again(actor), kind="base", object_ids=closed):
        with space_scope(guest.space_id):
            sight = sight.beside(_sight(guest, documents, bases))
    return sight


def _sight(actor: Actor, documents: Sequence[UUID], bases: Sequence[UUID]) -> Sight:
    rows = Document.objects.filter(pk__in=documents)
    seen_bases = visible(actor, "view", KnowledgeBase.objects.filter(pk__in=bases))
    return Sight(
        documents=_texts(visible(actor, "view", rows).values_list("pk", flat=True)),
        existing=_texts(rows.values_list("pk", flat=True)),
        bases=_texts(seen_bases.values_list("pk", flat=True)),
        sealed=_texts(sealed_ids(actor, documents)),
        reader=principal_of(actor),
    )


def as_seen(sight: Sight, event: AgentEvent) -> AgentEvent:
    """Return the event without the text of sources that are closed to the reader."""
    if isinstance(event, CitationAdded) and sight.hides(event):
        return event.model_copy(update={"title": _("A source you may not see"), "url": ""})
    if isinstance(event, ToolCallFinished) and sight.hides(event):
        return _hidden(sight, event)
    return event


def as_closed(sight: Sight, event: AgentEvent) -> AgentEvent:
    """Return an event of a run whose texts are closed without anything that the model wrote."""
    match event:
        case ThoughtDelta() | PreambleMoved() | AnswerDelta():
            return event.model_copy(update={"text": ""})
        case AnswerFinished():
            return event.model_copy(update={"text": closed_note() if event.text else ""})
        case RunFinished():
            return event.model_copy(update={"answer": closed_note() if event.answer else ""})
        case ToolCallStarted():
            return event.model_copy(update={"arguments": {}, "title": event.name})
        case ApprovalRequested():
            return event.model_copy(update={"arguments": {}, "title": event.name})
        case ToolCallFinished():
            return _hidden(sight, event)
        case _:
            return as_seen(sight, event)


def closed_note() -> str:
    """Return what stands where a text is closed."""
    return _("This rests on a source that is closed to you now.")


def masked_rows(actor: Actor, rows: Sequence[RunEvent]) -> list[RunEvent]:
    """Return the rows with the data that the reader may see; they are not to be saved."""
    closed = closed_runs(actor, {row.run_id for row in rows})
    held = {row.pk: parse_event(row.data) for row in rows if row.type in HOLD_TEXT}
    sight = sight_of(actor, held.values())
    for row in rows:
        event = held.get(row.pk)
        if row.run_id in closed:
            row.data = as_closed(sight, event or parse_event(row.data)).model_dump(mode="json")
        elif event is not None:
            seen = as_seen(sight, event)
            if seen is not event:
                row.data = seen.model_dump(mode="json")
    return list(rows)


def _hidden(sight: Sight, event: ToolCallFinished) -> ToolCallFinished:
    hits = event.data.get("hits")
    kept = [hit for hit in hits if _is_open(sight, hit)] if isinstance(hits, list) else []
    closed = sum(not sight.may_read(source) for source in sources_of(event))
    told = ngettext(
        "%(n)s source is closed to you now.", "%(n)s sources are closed to you now.", closed
    ) % {"n": closed}
    if not closed:
        told = closed_note()
    if sight.is_of_another(event):
        told = _("A memory is read by its own person alone.")
    return event.model_copy(
        update={
            "output": _("There was a result. %(told)s") % {"told": told},
            "summary": told,
            "data": {"hits": kept, "hidden": closed},
        }
    )


def _is_open(sight: Sight, hit: Any) -> bool:
    return all(sight.may_read(source) for source in _sources_in(hit))


def _sources_in(value: Any) -> Iterator[Source]:
    """Yield every source that a JSON value names under the fields our tools use."""
    if isinstance(value, list):
        for each in value:
            yield from _sources_in(each)
    elif isinstance(value, dict):
        base_id = str(value.get("base_id") or "")
        named = [value.get("document_id"), *_listed(value.get("document_ids"))]
        found = [Source(str(each), base_id) for each in named if each]
        yield from found
        if base_id and not found:
            yield Source("", base_id)
        for each in value.values():
            yield from _sources_in(each)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _ids(values: Iterable[str]) -> list[UUID]:
    found = []
    for value in values:
        try:
            found.append(UUID(value))
        except ValueError:
            continue
    return found


def _texts(ids: Iterable[UUID]) -> frozenset[str]:
    return frozenset(str(each) for each in ids)
