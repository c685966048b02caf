"""Files of questions and answers on their way in and out."""

from __future__ import annotations

import io
import tempfile
from typing import BinaryIO, cast
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import get_language, gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import announce, render
from knowledge.constants import ImportMode
from knowledge.faq.exporting import export_csv, export_json
from knowledge.faq.forms import ImportForm
from knowledge.faq.importing import close_import, failed_rows_csv, start_import, stop_import
from knowledge.faq.pages import filter_in, import_of
from knowledge.faq.queries import get_import
from knowledge.faq.services import get_faq_base


@require_POST
def faq_import(request: SpaceRequest, faq_id: UUID) -> HttpResponseBase:
    """Begin to import a file, and go back to the table, where its progress is shown."""
    base = get_faq_base(request.actor, faq_id)
    require(request.actor, "edit", base)
    form = ImportForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, _("Choose a file that is not empty."))
        return redirect("faq", base.pk)
    limit_actor(request.actor, "upload")
    data = form.cleaned_data
    try:
        start_import(
            request.actor,
            base_id=base.pk,
            name=data["file"].name,
            content=cast(BinaryIO, data["file"].file),
            mode=ImportMode(data["mode"]),
            is_dry_run=data["is_dry_run"],
        )
    except ProjectError as refusal:
        messages.error(request, refusal.message)
    return redirect("faq", base.pk)


@require_http_methods(["GET", "POST"])
def faq_import_one(request: SpaceRequest, import_id: UUID) -> HttpResponseBase:
    """Show how far an import is; stop it, or put its result away."""
    row = get_import(request.actor, import_id)
    if request.method == "POST":
        asked = request.POST.get("action", "")
        if asked == "stop":
            stop_import(request.actor, import_id=row.pk)
        elif asked == "close":
            close_import(request.actor, import_id=row.pk)
        else:
            raise Invalid(_("What is to be done with the import? Say stop or close."))
        return redirect("faq", row.base_id)
    context = {"import": import_of(row), "base": row.base}
    response = render(request, "knowledge/_faq_import.html", context)
    # The table shows what came in; while it runs, too.
    return announce(response, "documents")


@require_GET
def faq_import_problems(request: SpaceRequest, import_id: UUID) -> HttpResponse:
    """Send the rows that failed, to be mended and imported."""
    content = failed_rows_csv(request.actor, import_id=import_id)
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="failed-rows.csv"'
    return response


@require_GET
def faq_export(request: SpaceRequest, faq_id: UUID) -> FileResponse:
    """Send the entries that the filter leaves, as CSV or JSON."""
    base = get_faq_base(request.actor, faq_id)
    file_type = request.GET.get("type", "csv")
    if file_type not in ("csv", "json"):
        raise Invalid(_("Entries are exported as csv or json."))
    # Written before it is sent: the space is open only while the view runs. On disk, not in memory.
    target = tempfile.TemporaryFile(prefix="weknora-faq-")  # noqa: SIM115 - the answer closes it
    wanted = filter_in(request.GET)
    if file_type == "csv":
        in_chinese = (get_language() or "").startswith("zh")
        export_csv(request.actor, target, base_id=base.pk, wanted=wanted, in_chinese=in_chinese)
    else:
        export_json(request.actor, target, base_id=base.pk, wanted=wanted)
    target.seek(0, io.SEEK_SET)
    day = timezone.localdate().isoformat()
    name = f"{slugify(base.name, allow_unicode=True) or 'faq'}-{day}.{file_type}"
    kind = "text/csv" if file_type == "csv" else "application/json"
    return FileResponse(
        target, as_attachment=True, filename=name, content_type=f"{kind}; charset=utf-8"
    )
