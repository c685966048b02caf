"""Documents that a person works with: those that several answers to them cited."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from agents.memory.sources import visible_documents
from agents.models import AgentRun, FamiliarDocument, MemoryOwner
from core.errors import NotFound
from knowledge.models import Document, EvidenceRow

FAMILIAR_FROM = 2
SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class Familiar:
    """A document that the person knows."""

    id: int
    document_id: UUID
    name: str
    citations: int


def count_citations(owner: MemoryOwner, run: AgentRun) -> int:
    """Count each document that the run's answer cites, once; return how many there are."""
    if run.answer_id is None:
        return 0
    cited = EvidenceRow.objects.filter(origin_id=run.answer_id).values_list(
        "document_id", flat=True
    )
    there = Document.objects.filter(pk__in=set(cited)).values_list("pk", flat=True)
    for document_id in there:
        row, _created = FamiliarDocument.objects.get_or_create(
            owner=owner, document_id=document_id, defaults={"space_id": owner.space_id}
        )
        row.citations = F("citations") + 1
        row.save()
    return len(there)


def familiar_documents(actor: Actor) -> list[Familiar]:
    """Return the documents cited to the actor at least twice, which they still may see."""
    rows = FamiliarDocument.objects.filter(citations__gte=FAMILIAR_FROM).select_related("document")
    own = list(visible(actor, "view", rows).order_by("-citations", "-cited_at")[: SHOWN * 2])
    seen = visible_documents(actor, (str(row.document_id) for row in own))
    return [
        Familiar(
            id=row.pk,
            document_id=row.document_id,
            name=row.document.name,
            citations=row.citations,
        )
        for row in own
        if str(row.document_id) in seen
    ][:SHOWN]


def forget_document(actor: Actor, *, familiar_id: int) -> None:
    """Forget how often a document was cited.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    with transaction.atomic():
        row = visible(actor, "view", FamiliarDocument.objects.filter(pk=familiar_id)).first()
        if row is None:
            raise NotFound(_("There is no such document in your memory."))
        require(actor, "delete", row)
        row.delete()
