"""What another engine reads from a file, to be compared: nothing changes before a person takes it.

A proposal stands in the detail of the step "parse" of the present attempt, its text where an attempt
with that engine would look for it. So taking one is a new attempt that finds the text already there,
and a proposal is over as soon as the document was read again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, NotFound
from core.jobs.enqueue import enqueue
from knowledge.constants import OPEN_STATES, StageName
from knowledge.health.jobs import PROPOSE_TEXT
from knowledge.ingest.parse import EngineCard, engines
from knowledge.ingest.read import kept_text_key, with_engine
from knowledge.models import Document, PageHealth, Stage
from knowledge.queries import get_document
from knowledge.services.documents import retry_document
from knowledge.services.removal import register_leftovers
from knowledge.storage import PARSED_FOLDER, delete_json

ProposalState = Literal["waiting", "ready", "refused"]
_DETAIL = "proposals"


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A text by another engine."""

    engine: EngineCard
    state: ProposalState
    reason: str = ""
    """Why there is none."""


def other_engines(document: Document) -> tuple[EngineCard, ...]:
    """Return the engines that did not read this document, the one to try first at the head."""
    used = engine_of(document)
    return tuple(card for card in engines().get(document.file_type, ()) if card.name != used)


def engine_of(document: Document) -> str:
    """Return the name of the engine that read the document."""
    row = PageHealth.objects.filter(document=document).first()
    return row.parser.partition("/")[0] if row else ""


def propose(actor: Actor, *, document_id: UUID, engine: str) -> Document:
    """Have another engine read a document; the document stays as it is.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing the document.
        Conflict: it is being read, or there is no such other engine.
    """
    document = get_document(actor, document_id)
    require(actor, "change", document)
    if document.state in OPEN_STATES:
        raise Conflict(_("The document is being read; wait until that is done."))
    _card(document, engine)
    with transaction.atomic():
        _write(document, engine, {"state": "waiting"})
        enqueue(
            PROPOSE_TEXT,
            dedupe_key=f"{document.pk}:{document.attempt}:{engine}",
            document_id=str(document.pk),
            attempt=document.attempt,
            engine=engine,
        )
        record_audit(actor, "document.engine_try", target=document, engine=engine)
    return document


def get_proposal(actor: Actor, document: Document, engine: str) -> Proposal:
    """Return one proposal.

    Raises:
        NotFound: nobody asked for it since the document was read, or it was thrown away.
        AccessDenied: as `require` has it for changing the document.
    """
    require(actor, "change", document)
    found = _read(document).get(engine)
    if found is None:
        raise NotFound(_("There is no such proposal: the document was read again since."))
    return Proposal(
        engine=_card(document, engine), state=found["state"], reason=found.get("reason", "")
    )


def take(actor: Actor, *, document_id: UUID, engine: str) -> Document:
    """Let the document be what the other engine read: a new attempt, which finds the text kept.

    Raises:
        NotFound, AccessDenied: as `get_proposal`.
        Conflict: there is no text yet, or the document is being read.
    """
    document = get_document(actor, document_id)
    proposal = get_proposal(actor, document, engine)
    if proposal.state != "ready":
        raise Conflict(_("There is no text of this engine to use."))
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=document.pk)
        document.processing = with_engine(document, engine).processing
        document.save(update_fields=["processing", "updated_at"])
        record_audit(
            actor,
            "document.engine_take",
            target=document,
            old=engine_of(document),
            new=engine,
        )
        return retry_document(actor, document_id=document.pk)


def keep(actor: Actor, *, document_id: UUID, engine: str) -> Document:
    """Throw a proposal away; the document stays as it is.

    Raises:
        NotFound, AccessDenied: as `get_proposal`.
    """
    document = get_document(actor, document_id)
    get_proposal(actor, document, engine)
    key = kept_text_key(with_engine(document, engine))
    with transaction.atomic():
        _write(document, engine, None)
        record_audit(actor, "document.engine_keep", target=document, engine=engine)
        if not _is_shared(document):
            transaction.on_commit(lambda: delete_json(document.space_id, PARSED_FOLDER, key))
    return document


def settle(
    document: Document, *, engine: str, attempt: int, reason: str = "", check: Callable[[], None]
) -> None:
    """Write down how reading with another engine ended; nothing when the document was read since."""
    with transaction.atomic():
        check()
        row = Document.objects.select_for_update().filter(pk=document.pk, attempt=attempt).first()
        if row is not None and engine in _read(row):
            _write(row, engine, {"state": "refused" if reason else "ready", "reason": reason})


def _card(document: Document, engine: str) -> EngineCard:
    card = next((card for card in other_engines(document) if card.name == engine), None)
    if card is None:
        raise Conflict(_("No other engine of this name reads such files."))
    return card


def _read(document: Document) -> dict[str, dict[str, Any]]:
    row = _stages(document).filter(attempt=document.attempt).first()
    found: dict[str, dict[str, Any]] = row.detail.get(_DETAIL, {}) if row else {}
    return found


def _write(document: Document, engine: str, value: dict[str, Any] | None) -> None:
    row, _made = (
        _stages(document)
        .select_for_update()
        .get_or_create(
            document=document,
            attempt=document.attempt,
            name=StageName.PARSE,
            defaults={"space_id": document.space_id},
        )
    )
    found = dict(row.detail.get(_DETAIL, {}))
    if value is None:
        found.pop(engine, None)
    else:
        found[engine] = {**value, "key": kept_text_key(with_engine(document, engine))}
    row.detail = {**row.detail, _DETAIL: found}
    row.save(update_fields=["detail"])


def _stages(document: Document) -> QuerySet[Stage]:
    return Stage.objects.filter(document=document, name=StageName.PARSE)


def _is_shared(document: Document) -> bool:
    """Say whether another document of the same file may have the same text kept."""
    same = Document.objects.filter(content_hash=document.content_hash, name=document.name)
    return same.exclude(pk=document.pk).exists()


@register_leftovers
def _proposed_texts(document: Document) -> Callable[[], None]:
    """Return what removes the texts that other engines read from a document."""
    details = _stages(document).values_list("detail", flat=True)
    keys = {found["key"] for detail in details for found in detail.get(_DETAIL, {}).values()}
    shared, space_id = _is_shared(document), document.space_id

    def remove() -> None:
        if not shared:
            for key in keys:
                delete_json(space_id, PARSED_FOLDER, key)

    return remove
