"""Pages of pictures: the picture itself, and its description."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.middleware import SpaceRequest
from core.errors import NotFound
from core.htmx import render, wants_fragment
from knowledge.pages.pictures import picture_card, pictures_context
from knowledge.pictures.keeping import PICTURES_FOLDER
from knowledge.pictures.services import describe_picture, get_picture
from knowledge.queries import get_document
from knowledge.storage import open_file

_SECONDS = 3_600


@require_GET
def picture(request: SpaceRequest, picture_id: UUID) -> HttpResponseBase:
    """Answer with a picture; whoever may not see its document gets none, at each request.

    Only bytes that we wrote ourselves go out under a type that a browser draws.
    """
    found = get_picture(request.actor, picture_id)
    try:
        with open_file(found.space_id, found.content_hash, folder=PICTURES_FOLDER) as stored:
            response = HttpResponse(stored.read(), content_type=found.media_type)
    except FileNotFoundError as error:
        raise NotFound(_("This picture is not in the store any more.")) from error
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    is_restricted = found.document.walls.exists()
    response["Cache-Control"] = (
        "private, no-store" if is_restricted else f"private, max-age={_SECONDS}"
    )
    return response


@require_POST
def picture_describe(request: SpaceRequest, picture_id: UUID) -> HttpResponseBase:
    """Keep a person's description and show the card again."""
    described = describe_picture(
        request.actor, picture_id=picture_id, caption=request.POST.get("caption", "")
    )
    if wants_fragment(request):
        card = picture_card(described, may_change=True)
        response: HttpResponse = render(request, "knowledge/_picture_card.html", {"picture": card})
        return response
    following = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(following, allowed_hosts=None):
        return redirect(following)
    return redirect("document_pictures", described.document_id)


@require_GET
def document_pictures(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Show a document's pictures with what they say and show."""
    found = get_document(request.actor, document_id)
    context = pictures_context(request.actor, found, page=request.GET.get("page", ""))
    return render(request, "knowledge/document_pictures.html", context)
