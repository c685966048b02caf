"""Pages of the copies of a space."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.middleware import SpaceRequest
from accounts.models import ExportState
from accounts.platform.export_jobs import (
    OPEN_STATES,
    delete_export,
    list_exports,
    open_export,
    request_export,
)
from core.errors import Conflict
from core.htmx import redirect, render


@require_http_methods(["GET", "POST"])
def exports(request: SpaceRequest) -> HttpResponseBase:
    """Show the copies of the space; make another one."""
    if request.method == "POST":
        try:
            request_export(request.actor)
        except Conflict as refusal:
            messages.error(request, refusal.message)
        return redirect(request, reverse("space_exports"))
    rows = list_exports(request.actor)
    context = {
        "rows": [row for row in rows if row.state != ExportState.GONE],
        "is_busy": any(row.state in OPEN_STATES for row in rows),
    }
    return render(request, "accounts/exports.html", context, partial="accounts/_exports.html")


@require_GET
def export_download(request: SpaceRequest, export_id: UUID) -> HttpResponseBase:
    """Hand the file to the owner who asked for it."""
    row, file = open_export(request.actor, export_id=export_id)
    name = f"space-{row.space_id}-{row.created_at:%Y-%m-%d}.zip"
    return FileResponse(file, as_attachment=True, filename=name, content_type="application/zip")


@require_POST
def export_remove(request: SpaceRequest, export_id: UUID) -> HttpResponseBase:
    """Remove a copy before its time is over."""
    delete_export(request.actor, export_id=export_id)
    messages.success(request, _("The export was removed."))
    return redirect(request, reverse("space_exports"))
