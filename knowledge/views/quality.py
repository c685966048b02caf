"""Pages of the golden questions of a base."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.text import slugify
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render
from knowledge.constants import GoldenState
from knowledge.enrich.asking import no_model_reason
from knowledge.evaluation.drafting import (
    DEFAULT_COUNT,
    MOST_COUNT,
    estimate_drafts,
    start_drafting,
)
from knowledge.evaluation.files import COLUMNS, export_csv, export_json_lines, import_golden
from knowledge.evaluation.golden import (
    GoldenDraft,
    add_golden,
    change_golden,
    delete_golden,
    set_state,
)
from knowledge.evaluation.queries import get_golden, list_golden, newest_drafting
from knowledge.models import GoldenQuestion, KnowledgeBase
from knowledge.pages.heads import head_of
from knowledge.pages.quality import (
    choices_of,
    draft_in,
    draft_of,
    drafting_of,
    filter_choices,
    filter_in,
    row_of,
)
from knowledge.queries import get_base

ROWS_A_PAGE = 50


@require_http_methods(["GET", "POST"])
def base_quality(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show the golden questions of a base; confirm, retire or delete the chosen ones."""
    base = _editable(request, base_id)
    if request.method == "POST":
        _change_chosen(request, base)
        return redirect("base_quality", base.pk)
    wanted = filter_in(request.GET)
    rows = list_golden(request.actor, base.pk, wanted)
    page = Paginator(rows, ROWS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        **head_of(request.actor, base),
        "rows": [row_of(row) for row in page],
        "page_obj": page,
        "total": len(rows),
        "wanted": wanted,
        "drafting": drafting_of(newest_drafting(request.actor, base.pk)),
        "may_draft": not no_model_reason(base.space_id),
        **filter_choices(),
    }
    return render(
        request, "knowledge/quality.html", context, partial="knowledge/_quality_rows.html"
    )


@require_http_methods(["GET", "POST"])
def golden_new(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Write a golden question: the passages that answer it are found by a search."""
    base = _editable(request, base_id)
    if request.method == "GET":
        draft = draft_in(request.actor, base, request.GET)
        return _editor(request, base, draft, row=None)
    draft = draft_in(request.actor, base, request.POST)
    if "find" in request.POST:
        return _editor(request, base, draft, row=None, find=draft.question)
    try:
        add_golden(
            request.actor,
            base_id=base.pk,
            draft=draft,
            is_confirmed=request.POST.get("confirm") == "1",
        )
    except ProjectError as refusal:
        return _editor(request, base, draft, row=None, problem=refusal.message)
    messages.success(request, _("The golden question was added."))
    return redirect("base_quality", base.pk)


@require_http_methods(["GET", "POST"])
def golden(request: SpaceRequest, base_id: UUID, golden_id: UUID) -> HttpResponseBase:
    """Show a golden question, and change it."""
    row = get_golden(request.actor, golden_id, base_id=base_id)
    if request.method == "GET":
        return _editor(request, row.base, draft_of(row), row=row)
    require(request.actor, "change", row)
    draft = draft_in(request.actor, row.base, request.POST)
    if "find" in request.POST:
        return _editor(request, row.base, draft, row=row, find=draft.question)
    version = request.POST.get("version", "")
    try:
        change_golden(
            request.actor,
            golden_id=row.pk,
            version=int(version) if version.isdecimal() and len(version) < 9 else 0,
            draft=draft,
        )
        if request.POST.get("confirm") == "1":
            ids = [row.pk]
            set_state(
                request.actor,
                base_id=row.base_id,
                golden_ids=ids,
                state=GoldenState.CONFIRMED,
            )
    except ProjectError as refusal:
        return _editor(request, row.base, draft, row=row, problem=refusal.message)
    messages.success(request, _("The golden question was saved."))
    return redirect("base_quality", row.base_id)


@require_http_methods(["GET", "POST"])
def golden_import(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Bring golden questions in from a file, or see what that would do."""
    base = _editable(request, base_id)
    context: dict[str, Any] = {
        **head_of(request.actor, base),
        "report": None,
        "problem": "",
        "columns": ", ".join(COLUMNS),
    }
    if request.method == "POST":
        limit_actor(request.actor, "upload")
        file = request.FILES.get("file")
        try:
            if file is None:
                raise Invalid(_("Choose a file that is not empty."))
            context["report"] = import_golden(
                request.actor,
                base_id=base.pk,
                content=file.read(),
                is_trial=request.POST.get("trial") == "1",
                is_confirmed=request.POST.get("confirmed") == "1",
            )
        except ProjectError as refusal:
            context["problem"] = refusal.message
    status = 422 if context["problem"] else 200
    return render(request, "knowledge/quality_import.html", context, status=status)


@require_GET
def golden_export(request: SpaceRequest, base_id: UUID) -> HttpResponse:
    """Send the golden questions as CSV or JSON lines."""
    base = _editable(request, base_id)
    file_type = request.GET.get("type", "csv")
    if file_type not in ("csv", "jsonl"):
        raise Invalid(_("Golden questions are exported as csv or jsonl."))
    if file_type == "csv":
        content, kind = export_csv(request.actor, base_id=base.pk), "text/csv"
    else:
        content = export_json_lines(request.actor, base_id=base.pk)
        kind = "application/jsonl"
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    name = slugify(base.name) or "base"
    response["Content-Disposition"] = f'attachment; filename="golden-{name}.{file_type}"'
    return response


@require_http_methods(["GET", "POST"])
def golden_draft(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Say what drafting questions by a model may take, and begin it."""
    base = _editable(request, base_id)
    asked = (request.POST if request.method == "POST" else request.GET).get("count", "")
    count = int(asked) if asked.isdecimal() and len(asked) < 5 else DEFAULT_COUNT
    count = min(max(1, count), MOST_COUNT)
    context: dict[str, Any] = {
        **head_of(request.actor, base),
        "count": count,
        "most": MOST_COUNT,
        "estimate": None,
        "problem": "",
    }
    try:
        if request.method == "POST":
            start_drafting(request.actor, base_id=base.pk, count=count)
            return redirect("base_quality", base.pk)
        context["estimate"] = estimate_drafts(request.actor, base_id=base.pk, count=count)
    except ProjectError as refusal:
        context["problem"] = refusal.message
    status = 422 if context["problem"] and request.method == "POST" else 200
    return render(
        request,
        "knowledge/quality_draft.html",
        context,
        partial="knowledge/_quality_estimate.html",
        status=status,
    )


def _editable(request: SpaceRequest, base_id: UUID) -> KnowledgeBase:
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    return base


def _change_chosen(request: SpaceRequest, base: KnowledgeBase) -> None:
    ids = []
    for each in request.POST.getlist("golden"):
        try:
            ids.append(UUID(each))
        except ValueError:
            continue
    asked = request.POST.get("action", "")
    if asked == "delete":
        changed = delete_golden(request.actor, base_id=base.pk, golden_ids=ids)
    elif asked in GoldenState.values:
        changed = set_state(
            request.actor, base_id=base.pk, golden_ids=ids, state=GoldenState(asked)
        )
    else:
        raise Invalid(_("What is to be done with the questions? Say confirmed, retired or delete."))
    messages.success(
        request,
        ngettext("%(n)s question was changed.", "%(n)s questions were changed.", changed)
        % {"n": changed},
    )
    if asked == GoldenState.CONFIRMED and changed < len(ids):
        messages.error(
            request, _("Questions without a passage and without an answer cannot be confirmed.")
        )


def _editor(
    request: SpaceRequest,
    base: KnowledgeBase,
    draft: GoldenDraft,
    *,
    row: GoldenQuestion | None,
    find: str = "",
    problem: str = "",
) -> HttpResponse:
    try:
        choices = choices_of(request.actor, base, draft=draft, find=find)
    except ProjectError as refusal:
        choices, problem = choices_of(request.actor, base, draft=draft), refusal.message
    context = {
        **head_of(request.actor, base),
        "draft": draft,
        "golden": row,
        "choices": choices,
        "is_searched": bool(find.strip()),
        "problem": problem,
    }
    return render(
        request, "knowledge/quality_question.html", context, status=422 if problem else 200
    )
