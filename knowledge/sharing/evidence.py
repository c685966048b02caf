"""Evidence from bases of other spaces: stored with the answer, open as long as the share is."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from accounts.access import Actor, visible
from accounts.guests import guests_through
from core.tenancy import space_scope
from knowledge.evidence import Cited, evidence_row
from knowledge.models import Chunk, EvidenceRow


def store_shared_evidence(actor: Actor, *, origin_id: UUID, cited: Sequence[Cited]) -> None:
    """Keep cited passages of shared bases in the actor's space; what is closed meanwhile is left out.

    The row is the asking space's, like the answer. Reading it asks for the share again each time.
    """
    markers = {each.chunk_id: each.marker for each in cited}
    rows: list[EvidenceRow] = []
    for guest in guests_through(actor, argument="chunk_id", values=list(markers)):
        with space_scope(guest.space_id):
            chunks = Chunk.objects.filter(pk__in=markers).select_related("document")
            rows += [
                evidence_row(actor.space_id, origin_id, markers[chunk.pk], chunk)
                for chunk in visible(guest, "view", chunks)
            ]
    EvidenceRow.objects.bulk_create(rows)
