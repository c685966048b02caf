"""Stored files on their way out."""

from __future__ import annotations

from django.http import FileResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from core.errors import NotFound
from knowledge.storage import open_file, signed_link


def download(space_id: int, content_hash: str, name: str) -> FileResponse | HttpResponseRedirect:
    """Answer with a stored file, as an attachment and under no type that a browser would run.

    Where the store gives signed links, the browser is sent to one that holds for a short while.

    Raises:
        NotFound: there is no file yet.
    """
    if not content_hash:
        raise NotFound(_("There is no file of this document."))
    link = signed_link(space_id, content_hash, name=name)
    if link is not None:
        redirect = HttpResponseRedirect(link)
        redirect["Cache-Control"] = "no-store"
        redirect["Referrer-Policy"] = "no-referrer"
        return redirect
    response = FileResponse(
        open_file(space_id, content_hash),
        as_attachment=True,
        filename=name,
        content_type="application/octet-stream",
    )
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return response
