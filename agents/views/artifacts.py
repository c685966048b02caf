"""Files that agents made: a page with a preview, the bytes as a download, and a locked frame."""

from __future__ import annotations

import contextlib
import csv
from io import StringIO
from typing import Any
from uuid import UUID

from django.http import FileResponse, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_GET

from accounts.middleware import SpaceRequest
from agents.artifact_types import Preview, preview_of
from agents.models import Artifact
from agents.services.artifacts import (
    PREVIEW_BYTES,
    beginning_of,
    get_artifact,
    open_artifact,
    versions_of,
)
from core.htmx import render
from core.markdown import render_markdown

MAX_ROWS, MAX_COLUMNS = 500, 60
_LOCKED = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"


@require_GET
def artifact(request: SpaceRequest, artifact_id: UUID) -> HttpResponse:
    """Show what is in a file, as far as 200 KB go, and its other versions."""
    found = get_artifact(request.actor, artifact_id)
    kind = preview_of(found.media_type)
    has_text = kind in ("markdown", "table", "text")
    text = beginning_of(found) if has_text else ""
    context = {
        "artifact": found,
        "preview": kind,
        "is_cut": found.size > PREVIEW_BYTES and has_text,
        "versions": versions_of(request.actor, found),
        "download_url": reverse("artifact_download", args=[found.pk]),
        "frame_url": reverse("artifact_frame", args=[found.pk]),
        **_shown(kind, text, media_type=found.media_type),
    }
    return render(request, "artifacts/page.html", context)


@require_GET
def artifact_download(request: SpaceRequest, artifact_id: UUID) -> FileResponse:
    """Send the file as a download; a browser never shows it in our name."""
    found = get_artifact(request.actor, artifact_id)
    response = FileResponse(
        open_artifact(found),
        as_attachment=True,
        filename=found.name,
        content_type=_content_type(found),
    )
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_GET
def artifact_frame(request: SpaceRequest, artifact_id: UUID) -> HttpResponse:
    """Send a page or picture for the preview's frame: no scripts, no network, no origin.

    The policy goes with the answer, so that it holds when somebody opens the address by itself, too.
    """
    found = get_artifact(request.actor, artifact_id)
    is_page = preview_of(found.media_type) in ("page", "image")
    with open_artifact(found) as file:
        content = file.read() if is_page else b""
    response = HttpResponse(content, content_type=_content_type(found) if is_page else "text/plain")
    response["Content-Security-Policy"] = f"{_LOCKED}; frame-ancestors 'self'"
    response["X-Content-Type-Options"] = "nosniff"
    response["X-Frame-Options"] = "SAMEORIGIN"
    return response


def _content_type(found: Artifact) -> str:
    if preview_of(found.media_type) in ("image", "none"):
        return found.media_type
    return f"{found.media_type}; charset=utf-8"


def _shown(kind: Preview, text: str, *, media_type: str) -> dict[str, Any]:
    match kind:
        case "markdown":
            html: SafeString = render_markdown(text)
            return {"html": html}
        case "table":
            return {"rows": _rows(text, tabs=media_type == "text/tab-separated-values")}
        case _:
            return {"text": text}


def _rows(text: str, *, tabs: bool) -> list[list[str]]:
    """Return the table's first rows; the first one is its head. A broken table is shown as read."""
    if tabs:
        separator = "\t"
    else:
        first = text.split("\n", 1)[0]
        separator = max(",;|", key=first.count)
    rows: list[list[str]] = []
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    with contextlib.suppress(csv.Error):  # such as a quote that never ends
        for row in reader:
            if row:
                rows.append(row[:MAX_COLUMNS])
            if len(rows) > MAX_ROWS:
                break
    return rows
