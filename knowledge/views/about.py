"""Pages about one document: details, versions, how it is read, its password, what was done to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.contrib import messages
from django.http import QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import require
from accounts.audit_pages import rows_of
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from accounts.models import AuditEvent
from core.errors import Invalid, ProjectError
from core.htmx import render
from knowledge.base_settings import BaseSettings, base_settings_of
from knowledge.forms import SettingsForm
from knowledge.models import Document
from knowledge.organising.details import Details, MetadataValue, set_details
from knowledge.organising.tags import set_document_tags
from knowledge.organising.versions import (
    diff_versions,
    get_version,
    go_back,
    list_versions,
    replace_document,
)
from knowledge.pages.documents import details_context, document_head
from knowledge.pages.downloads import download
from knowledge.queries import get_document
from knowledge.services.documents import retry_document, set_password, set_processing

NEWEST_EVENTS = 100


@require_http_methods(["GET", "POST"])
def document_details(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Show what stands about a document, and change it."""
    found = get_document(request.actor, document_id)
    problem = ""
    if request.method == "POST":
        require(request.actor, "change", found)
        try:
            set_details(request.actor, document_id=found.pk, details=_details(request.POST))
            tag_ids = [int(each) for each in request.POST.getlist("tag") if each.isdecimal()]
            set_document_tags(request.actor, document_id=found.pk, tag_ids=tag_ids)
        except ProjectError as refusal:
            problem = refusal.message
        else:
            messages.success(request, _("Saved."))
            return redirect("document_details", found.pk)
    context = {**details_context(request.actor, found), "problem": problem}
    status = 422 if problem else 200
    return render(request, "knowledge/document_details.html", context, status=status)


@require_http_methods(["GET", "POST"])
def document_versions(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Show the files that a document was; put another one in its place, or go back to one."""
    found = get_document(request.actor, document_id)
    problem = ""
    if request.method == "POST":
        require(request.actor, "change", found)
        try:
            _take_version(request, found)
        except ProjectError as refusal:
            problem = refusal.message
        else:
            return redirect("document_versions", found.pk)
    context = {
        **document_head(request.actor, found, tab="versions"),
        "versions": list(list_versions(request.actor, found)),
        "newest": found.version,
        "problem": problem,
    }
    status = 422 if problem else 200
    return render(request, "knowledge/document_versions.html", context, status=status)


@require_GET
def document_diff(request: SpaceRequest, document_id: UUID, old: int, new: int) -> HttpResponseBase:
    """Show what changed between the texts of two versions."""
    found = get_document(request.actor, document_id)
    context: dict[str, Any] = document_head(request.actor, found, tab="versions")
    try:
        diff = diff_versions(request.actor, document_id=found.pk, old=old, new=new)
        context |= {"rows": diff.rows, "old": diff.old, "new": diff.new, "problem": ""}
    except Invalid as refusal:
        context |= {"rows": [], "problem": refusal.message}
    return render(request, "knowledge/document_diff.html", context)


@require_GET
def document_version_file(
    request: SpaceRequest, document_id: UUID, number: int
) -> HttpResponseBase:
    """Send the file of an earlier version as a download."""
    found = get_document(request.actor, document_id)
    version = get_version(request.actor, found, number)
    return download(request.actor.space_id, version.content_hash, version.name)


@require_http_methods(["GET", "POST"])
def document_settings(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Set what is done differently with this document than its base has it."""
    found = get_document(request.actor, document_id)
    require(request.actor, "change", found)
    of_base = base_settings_of(found.base)
    sections = [name for name in BaseSettings.model_fields if name != "retrieval"]
    form = SettingsForm(
        of_base,
        request.POST if request.method == "POST" else None,
        sections=sections,
        initial=_flat(found.processing),
    )
    if request.method == "POST" and form.is_valid():
        set_processing(request.actor, document_id=found.pk, processing=form.changed())
        if "read" in request.POST:
            retry_document(request.actor, document_id=found.pk)
        messages.success(request, _("Saved."))
        return redirect("document_settings", found.pk)
    context = {
        **document_head(request.actor, found, tab="settings"),
        "form": form,
        "parts": form.parts(),
        "differs": bool(found.processing),
    }
    status = 422 if form.is_bound else 200
    return render(request, "knowledge/document_settings.html", context, status=status)


@require_POST
def document_password(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Take the password of an encrypted file, and read it."""
    limit_actor(request.actor, "upload")
    try:
        set_password(
            request.actor, document_id=document_id, password=request.POST.get("password", "")
        )
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    return redirect("document", document_id)


@require_GET
def document_activity(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Show what was done to a document."""
    found = get_document(request.actor, document_id)
    require(request.actor, "share", found.base)
    events = AuditEvent.objects.filter(base_id=found.base_id, target_id=str(found.pk))
    rows = list(events.exclude(outcome="refused").order_by("-pk")[:NEWEST_EVENTS])
    context = {
        **document_head(request.actor, found, tab="activity"),
        "rows": rows_of(rows),
        "next_cursor": "",
        "is_first": True,
    }
    return render(request, "knowledge/document_activity.html", context)


def _take_version(request: SpaceRequest, document: Document) -> None:
    if "back" in request.POST:
        number = request.POST["back"]
        if not number.isdecimal():
            raise Invalid(_("Which version is to come back? Choose one from the list."))
        go_back(request.actor, document_id=document.pk, number=int(number))
        messages.success(request, _("The earlier file is back, as a new version."))
        return
    file = request.FILES.get("file")
    if file is None:
        raise Invalid(_("No file came with this request. Choose one, and try again."))
    limit_actor(request.actor, "upload")
    replace_document(
        request.actor,
        document_id=document.pk,
        name=file.name or "",
        content=cast(BinaryIO, file.file),
        note=request.POST.get("note", "").strip(),
    )
    messages.success(request, _("The new file is being read."))


def _details(posted: QueryDict) -> Details:
    owner, day = posted.get("owner", ""), posted.get("review_by", "")
    try:
        review_by = date.fromisoformat(day) if day else None
    except ValueError as error:
        raise Invalid(
            _("“%(day)s” is not a day; write it as 2027-01-31.") % {"day": day}
        ) from error
    return Details(
        name=posted.get("name", ""),
        owner_id=int(owner) if owner.isdecimal() else None,
        review_by=review_by,
        metadata=_fields(posted.getlist("key"), posted.getlist("value")),
    )


def _fields(keys: Sequence[str], values: Sequence[str]) -> dict[str, MetadataValue]:
    """Read the own fields: what looks like a number or yes and no is one."""
    found: dict[str, MetadataValue] = {}
    for key, value in zip(keys, values, strict=False):
        name, text = " ".join(key.split()), value.strip()
        if not name and not text:
            continue
        if name in found:
            raise Invalid(_("The field “%(name)s” is there twice.") % {"name": name})
        found[name] = _value(text)
    return found


def _value(text: str) -> MetadataValue:
    if text.casefold() in ("yes", "no"):
        return text.casefold() == "yes"
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if str(number) == text:  # "007" and "1e5" are names of something
            return number
    return text


def _flat(dump: dict[str, Any], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in dump.items():
        whole = f"{path}_{name}" if path else name
        found |= _flat(value, whole) if isinstance(value, dict) else {whole: value}
    return found
