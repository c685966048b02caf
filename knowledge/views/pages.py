"""Pages of documents as pictures."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounts.middleware import SpaceRequest
from core.errors import NotFound, Refused
from knowledge.ingest.page_pictures import MEDIA_TYPE, has_pictures, page_picture
from knowledge.parsers.contract import ParseRefused
from knowledge.queries import get_document
from knowledge.services.documents import INFECTED, UNSCANNED

_SECONDS = 3_600


@require_GET
def document_page(request: SpaceRequest, document_id: UUID, number: int) -> HttpResponseBase:
    """Answer with a page of a document as a picture; whoever may not see it gets none."""
    found = get_document(request.actor, document_id)
    if found.reason_code in (UNSCANNED, INFECTED):
        raise Refused(_("The virus scanner has not cleared this file, so it is not shown."))
    last = found.page_count or 1
    if not has_pictures(found) or not 1 <= number <= last:
        raise NotFound(_("There is no picture of this page."))
    try:
        picture = page_picture(found, number)
    except (ParseRefused, FileNotFoundError) as problem:
        raise NotFound(_("This page cannot be drawn.")) from problem
    response = HttpResponse(picture, content_type=MEDIA_TYPE)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    is_restricted = found.walls.exists()
    response["Cache-Control"] = (
        "private, no-store" if is_restricted else f"private, max-age={_SECONDS}"
    )
    return response
