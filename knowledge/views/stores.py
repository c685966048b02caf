"""Pages of vector stores: the list, the form with its test, and the store of a base."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from core.errors import Invalid, NotFound, ProjectError
from core.htmx import render, wants_fragment
from knowledge.models import KnowledgeBase, VectorStore
from knowledge.pages.heads import head_of
from knowledge.pages.stores import lag_words, move_note, move_view, store_choices, store_rows
from knowledge.queries import get_base
from knowledge.stores import moves, services
from knowledge.stores.forms import VectorStoreForm
from providers.services.connection import ConnectionReport


@require_GET
def vector_stores(request: SpaceRequest) -> HttpResponse:
    """List the space's stores."""
    context = {
        "rows": store_rows(request.actor),
        "may_change": may(request.actor, "create", VectorStore),
    }
    return render(request, "knowledge/vector_stores.html", context)


@require_http_methods(["GET", "POST"])
def vector_store_new(request: SpaceRequest) -> HttpResponseBase:
    """Add a store; it has to answer."""
    require(request.actor, "create", VectorStore)
    form = VectorStoreForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            services.create_store(request.actor, values=form.values())
        except ProjectError as refusal:
            _refuse(form, refusal)
        else:
            return redirect("vector_stores")
    return _form_page(request, form, None)


@require_http_methods(["GET", "POST"])
def vector_store(request: SpaceRequest, store_id: UUID) -> HttpResponseBase:
    """Change a store; it has to answer."""
    row = _row(request, store_id)
    form = VectorStoreForm(request.POST if request.method == "POST" else None, row=row)
    if form.is_bound and form.is_valid():
        try:
            services.update_store(request.actor, store_id=row.pk, values=form.values())
        except ProjectError as refusal:
            _refuse(form, refusal)
        else:
            messages.success(request, _("Saved."))
            return redirect("vector_stores")
    return _form_page(request, form, row)


@require_POST
def vector_store_test(request: SpaceRequest, store_id: UUID | None = None) -> HttpResponse:
    """Try a store as the form describes it, saved or not; the stored key stands in."""
    require(request.actor, "create", VectorStore)
    row = _row(request, store_id) if store_id else None
    form = VectorStoreForm(request.POST, row=row)
    if form.is_valid():
        try:
            report = services.try_store(request.actor, values=form.values(), store_id=store_id)
        except ProjectError as refusal:
            report = ConnectionReport(ok=False, message=refusal.message)
    else:
        report = ConnectionReport(ok=False, message=_first_problem(form))
    return render(request, "providers/_report.html", {"report": report})


@require_POST
def vector_store_delete(request: SpaceRequest, store_id: UUID) -> HttpResponseBase:
    """Delete a store that nothing uses."""
    row = _row(request, store_id)
    leave = request.POST.get("leave_vectors") == "on"
    try:
        services.delete_store(request.actor, store_id=row.pk, leave_vectors=leave)
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
        return redirect("vector_store", row.pk)
    messages.success(request, _("Deleted."))
    return redirect("vector_stores")


@require_http_methods(["GET", "POST"])
def base_store(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show which store a base asks and a move of it; start, cancel, undo, finish."""
    base = get_base(request.actor, base_id)
    require(request.actor, "change", base)
    if request.method == "POST":
        return _act(request, base)
    move = moves.open_move(base.pk)
    context = {
        "base": base,
        "move": move_view(move) if move else None,
        "note": None if move else move_note(base),
        "choices": [] if move else store_choices(request.actor, base),
        "lag": lag_words(base),
        "may_add": may(request.actor, "create", VectorStore),
    }
    if not wants_fragment(request):
        context = {**head_of(request.actor, base), **context}
    return render(
        request, "knowledge/base_store.html", context, partial="knowledge/_base_store.html"
    )


def _act(request: SpaceRequest, base: KnowledgeBase) -> HttpResponseBase:
    try:
        messages.success(request, _do(request, base))
    except ProjectError as refusal:
        if refusal.http_status in (403, 404):
            raise
        messages.error(request, refusal.message)
    return redirect("base_store", base.pk)


def _do(request: SpaceRequest, base: KnowledgeBase) -> str:
    """Carry out what was asked; return what to say."""
    actor, asked = request.actor, request.POST.get("action", "")
    match asked:
        case "start":
            moves.start_move(actor, base_id=base.pk, store_id=_store_id(request))
            return _("The move has begun. Questions find what they found before.")
        case "cancel":
            moves.cancel_move(actor, base_id=base.pk)
            return _("The move was canceled. Nothing that is found has changed.")
        case "undo":
            moves.undo_move(actor, base_id=base.pk)
            return _("Undone: the store before is asked again.")
        case "finish":
            moves.finish_move(actor, base_id=base.pk)
            return _("Finished. The vectors are removed from the store before.")
        case _other:
            raise Invalid(
                _("What is to be done? Say start, cancel, undo or finish; nothing was changed.")
            )


def _store_id(request: SpaceRequest) -> UUID | None:
    entered = request.POST.get("store")
    if entered == "":
        return None
    try:
        return UUID(entered or "")
    except ValueError as error:
        raise Invalid(_("Choose the vector store first.")) from error


def _row(request: SpaceRequest, store_id: UUID) -> VectorStore:
    row = VectorStore.objects.filter(pk=store_id).first()
    if row is None:
        raise NotFound(_("There is no such vector store."))
    require(request.actor, "change", row)
    return row


def _form_page(
    request: SpaceRequest, form: VectorStoreForm, row: VectorStore | None
) -> HttpResponse:
    status = 422 if form.is_bound else 200
    context = {"form": form, "store": row}
    return render(request, "knowledge/vector_store.html", context, status=status)


def _refuse(form: VectorStoreForm, refusal: ProjectError) -> None:
    field = str(refusal.data.get("field", ""))
    words = str(getattr(refusal, "provider_message", ""))
    message = f"{refusal.message} {words}".strip()
    form.add_error(field if field in form.fields else None, message)


def _first_problem(form: VectorStoreForm) -> str:
    for name, errors in form.errors.items():
        label = form.fields[name].label if name in form.fields else ""
        return f"{label}: {errors[0]}" if label else str(errors[0])
    return _("The form cannot be read.")
