"""Pages of batches: the estimate before a large upload, how far one is, what failed in it."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse, JsonResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render
from core.middleware import error_body, with_wait
from knowledge.batches.services import (
    begin_batch,
    cancel_batch,
    end_uploads,
    estimate_batch,
    get_batch,
    list_batches,
    resume_batch,
    retry_failed,
)
from knowledge.models import IngestBatch
from knowledge.pages.batches import batch_view, estimate_facts, list_rows
from knowledge.pages.heads import head_of
from knowledge.queries import get_base

BATCHES_A_PAGE = 30
_MOST_CENTS = 10**15


@require_http_methods(["GET", "POST"])
def base_batches(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """List a base's batches; begin one, for the script that uploads."""
    if request.method == "POST":
        return _begin(request, base_id)
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    page = Paginator(list_batches(request.actor, base.pk), BATCHES_A_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        **head_of(request.actor, base),
        "rows": list_rows(request.actor, list(page.object_list)),
        "page_obj": page,
    }
    return render(request, "knowledge/batches.html", context)


@require_POST
def base_batch_estimate(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Show what an upload would take; a part of the dialog that asks."""
    base = get_base(request.actor, base_id)
    expected = estimate_batch(request.actor, base_id=base_id, files=_files(request.POST)).to_json()
    facts = estimate_facts(base, expected)
    context = {
        "facts": facts,
        "has_prices": len(facts) > 4,
        "waiting": expected["waiting"],
        "is_measured": expected["is_measured"],
    }
    return render(request, "knowledge/_batch_estimate.html", context)


@require_http_methods(["GET", "POST"])
def batch(request: SpaceRequest, base_id: UUID, batch_id: UUID) -> HttpResponseBase:
    """Show a batch; resume, cancel, or read again what failed."""
    found = get_batch(request.actor, batch_id, base_id=base_id)
    if request.method == "POST":
        return _act(request, found)
    context: dict[str, Any] = {"batch": batch_view(request.actor, found), "base": found.base}
    if request.GET.get("part") == "line":
        return render(request, "knowledge/_batch_line.html", context)
    return render(request, "knowledge/batch.html", context, partial="knowledge/_batch.html")


@require_POST
def batch_uploads(request: SpaceRequest, base_id: UUID, batch_id: UUID) -> HttpResponse:
    """Take the script's word that no more files come, and which did not arrive."""
    get_batch(request.actor, batch_id, base_id=base_id)
    end_uploads(request.actor, batch_id=batch_id, failed=_pairs(request.POST.get("failed", "[]")))
    return HttpResponse(status=204)


def _begin(request: SpaceRequest, base_id: UUID) -> JsonResponse:
    try:
        limit_actor(request.actor, "upload")
        made = begin_batch(
            request.actor,
            base_id=base_id,
            files=_files(request.POST),
            **_caps(request.POST),
        )
    except ProjectError as refusal:
        return with_wait(JsonResponse(error_body(refusal), status=refusal.http_status), refusal)
    return JsonResponse(
        {"id": str(made.pk), "url": reverse("batch", args=[base_id, made.pk])}, status=201
    )


def _act(request: SpaceRequest, found: IngestBatch) -> HttpResponseBase:
    asked = request.POST.get("action", "")
    try:
        if asked == "resume":
            resume_batch(request.actor, batch_id=found.pk, **_caps(request.POST))
            messages.success(request, _("The batch goes on."))
        elif asked == "cancel":
            cancel_batch(request.actor, batch_id=found.pk)
            messages.success(request, _("The batch was canceled. What is ready stays."))
        elif asked == "retry":
            number = retry_failed(request.actor, batch_id=found.pk)
            words = ngettext("%(n)s document is read again.", "%(n)s are read again.", number)
            messages.success(request, words % {"n": f"{number:,}"})
        else:
            raise Invalid(_("What is to be done with the batch? Say resume, cancel or retry."))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    return redirect("batch", found.base_id, found.pk)


def _caps(posted: QueryDict) -> dict[str, int | None]:
    tokens, money = posted.get("cap_tokens", "").strip(), posted.get("cap_money", "").strip()
    return {"cap_tokens": _whole(tokens), "cap_cents": _cents(money)}


def _whole(text: str) -> int | None:
    if not text:
        return None
    plain = text.replace(",", "").replace(" ", "")
    if not plain.isdecimal() or len(plain) > 15:
        raise Invalid(_("The limit of tokens is a whole number, such as 500000."))
    return int(plain)


def _cents(text: str) -> int | None:
    if not text:
        return None
    try:
        cents = Decimal(text.replace(",", ".")) * 100
    except InvalidOperation:
        cents = Decimal(-1)
    if not cents.is_finite() or not 1 <= cents < _MOST_CENTS:
        raise Invalid(_("The limit of money is an amount above 0, such as 2.50."))
    return int(cents)


def _files(posted: QueryDict) -> list[tuple[str, int]]:
    """Read which files are to come: the ending of each and its bytes; names are not needed."""
    files = _pairs(posted.get("files", "[]"))
    if not all(size.isdecimal() and len(size) < 16 for _ending, size in files):
        raise Invalid(_("The sizes of the files are not numbers; load the page again."))
    return [(f"file.{ending}", int(size)) for ending, size in files]


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(
        isinstance(each, list) and len(each) == 2 for each in found
    ):
        raise Invalid(_("The list of files cannot be read; load the page again."))
    return [(str(first), str(second)) for first, second in found]
