"""A copy of a document begins with the corrections of the one that it was made of."""

from __future__ import annotations

from knowledge.constants import CorrectionState
from knowledge.models import Correction, Document


def copy_corrections(document: Document, made: Document) -> None:
    """Give the copy what people said; its first reading puts that in its place.

    Called before that reading begins. Until then none has a place, so each stands as lost.
    """
    states = (CorrectionState.APPLIED, CorrectionState.LOST)
    rows = Correction.objects.filter(document=document, state__in=states).order_by("created_at")
    for row in rows:
        Correction.objects.create(
            space_id=made.space_id,
            document=made,
            state=CorrectionState.LOST,
            original_text=row.original_text,
            before=row.before,
            after=row.after,
            heading_path=row.heading_path,
            page=row.page,
            text=row.text,
            is_enabled=row.is_enabled,
            updated_by_id=row.updated_by_id,
        )
