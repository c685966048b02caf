"""Taking a wiki out and in: an archive, one page, files."""

from __future__ import annotations

from urllib.parse import quote
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.text import slugify
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_GET, require_POST

from accounts.access import require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import NotFound, ProjectError
from wiki.queries import get_page, require_wiki
from wiki.services.transfer import (
    ImportReport,
    export_page,
    export_wiki,
    import_archive,
    import_files,
)

SHOWN_PROBLEMS = 5


@require_GET
def wiki_export(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Give all pages as Markdown files in an archive."""
    base = require_wiki(request.actor, base_id)
    content = export_wiki(request.actor, base_id=base.pk)
    name = f"{slugify(base.name) or 'wiki'}.zip"
    return FileResponse(content, as_attachment=True, filename=name, content_type="application/zip")


@require_GET
def wiki_page_export(request: SpaceRequest, base_id: UUID, page_id: UUID) -> HttpResponse:
    """Give one page as Markdown."""
    require_wiki(request.actor, base_id)
    if get_page(request.actor, page_id).base_id != base_id:
        raise NotFound(_("There is no such page."))
    name, text = export_page(request.actor, page_id)
    response = HttpResponse(text.encode(), content_type="text/markdown; charset=utf-8")
    response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
    return response


@require_POST
def wiki_import(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Take an archive or a Markdown file in, and say what became of it."""
    actor = request.actor
    base = require_wiki(actor, base_id)
    require(actor, "edit", base)
    limit_actor(actor, "upload")
    sent = request.FILES.get("file")
    try:
        if sent is None or not sent.name:
            raise NotFound(_("Choose a file first."))
        if sent.name.lower().endswith(".zip"):
            report = import_archive(actor, base_id=base.pk, source=sent)
        else:
            report = import_files(actor, base_id=base.pk, files=[(sent.name, sent.read())])
    except ProjectError as refusal:
        messages.error(request, refusal.message)
        return redirect("wiki_settings", base.pk)
    _tell(request, report)
    return redirect("wiki_index", base.pk)


def _tell(request: SpaceRequest, report: ImportReport) -> None:
    messages.success(
        request,
        _(
            "%(created)s new, %(changed)s changed, %(same)s as they were, %(waiting)s wait for a review."
        )
        % {
            "created": report.created,
            "changed": report.changed,
            "same": report.unchanged,
            "waiting": report.proposed,
        },
    )
    for problem in report.problems[:SHOWN_PROBLEMS]:
        messages.error(request, f"{problem.name}: {problem.reason}")
    left = len(report.problems) - SHOWN_PROBLEMS
    if left > 0:
        words = ngettext("%(n)s more file was left out.", "%(n)s more files were left out.", left)
        messages.error(request, words % {"n": left})
