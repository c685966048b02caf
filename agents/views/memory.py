"""Pages of a person's own memory, and of how a space remembers."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import require
from accounts.middleware import SpaceRequest
from agents.constants import MemoryKind, MemoryOrigin
from agents.memory.editing import edit_item, readable_item
from agents.memory.familiar import forget_document
from agents.memory.forgetting import (
    confirm_item,
    forget_everything,
    forget_item,
    restore_item,
)
from agents.memory.forms import ForgetEverythingForm, ItemForm, SpaceMemoryForm
from agents.memory.items import Draft
from agents.memory.owners import switch_memory
from agents.memory.reading import add_item, export_memory
from agents.memory.sources import readable
from agents.memory.space_settings import change_space_memory, space_memory
from agents.memory.tidying import start_tidying, tidying_of
from agents.memory.topics import delete_topic, promote_topic
from agents.pages.behind import line_context
from agents.pages.memory import memory_page
from core.errors import ProjectError
from core.htmx import render, wants_fragment


@require_GET
def memory(request: SpaceRequest) -> HttpResponse:
    """Show what is remembered of the person."""
    return _page(request, ItemForm())


@require_POST
def memory_add(request: SpaceRequest) -> HttpResponseBase:
    """Remember what the person writes down."""
    form = ItemForm(request.POST)
    if form.is_valid():
        draft = Draft(
            kind=MemoryKind(form.cleaned_data["kind"]),
            text=form.cleaned_data["text"],
            importance=4,
            origin=MemoryOrigin.MANUAL,
        )
        written = add_item(request.actor, draft)
        if written.item is not None:
            messages.success(request, _("The memory was added."))
            return redirect("memory")
        form.add_error("text", written.reason)
    return _page(request, form, status=422)


@require_http_methods(["GET", "POST"])
def memory_item(request: SpaceRequest, item_id: UUID) -> HttpResponseBase:
    """Show one memory's form, or change it."""
    item = readable_item(request.actor, item_id)
    form = ItemForm(request.POST or None, initial={"text": item.text, "kind": item.kind})
    if form.is_bound and form.is_valid():
        try:
            edit_item(
                request.actor,
                item_id=item_id,
                text=form.cleaned_data["text"],
                kind=MemoryKind(form.cleaned_data["kind"]),
            )
        except ProjectError as refusal:
            form.add_error("text", refusal.message)
        else:
            messages.success(request, _("The memory was changed."))
            return redirect("memory")
    status = 422 if form.is_bound else 200
    return render(request, "memory/item.html", {"form": form, "item": item}, status=status)


@require_POST
def memory_forget(request: SpaceRequest, item_id: UUID) -> HttpResponseBase:
    """Forget one memory; in a page that listens it can be undone in place."""
    token = forget_item(request.actor, item_id=item_id)
    if not wants_fragment(request):
        messages.success(request, _("The memory was forgotten."))
        return redirect("memory")
    context = {"token": token, "where": request.POST.get("where", "page")}
    return render(request, "memory/_forgotten.html", context)


@require_POST
def memory_restore(request: SpaceRequest) -> HttpResponseBase:
    """Undo that a memory was forgotten."""
    item = restore_item(request.actor, token=request.POST.get("token", ""))
    if item is None or not wants_fragment(request) or not readable(request.actor, [item])[0]:
        return redirect("memory")
    if request.POST.get("where") == "chat":
        return render(request, "memory/_line.html", {"line": line_context(item)})
    return render(request, "memory/_item.html", {"item": item})


@require_POST
def memory_confirm(request: SpaceRequest, item_id: UUID) -> HttpResponseBase:
    """Take something inferred, or set aside, into use."""
    confirm_item(request.actor, item_id=item_id)
    messages.success(request, _("The memory was kept."))
    return redirect("memory")


@require_POST
def memory_switch(request: SpaceRequest) -> HttpResponseBase:
    """Switch one's own memory on or off."""
    is_on = request.POST.get("is_on") == "1"
    switch_memory(request.actor, is_on=is_on)
    messages.success(request, _("Your memory is on.") if is_on else _("Your memory is off."))
    return redirect("memory")


@require_POST
def memory_forget_everything(request: SpaceRequest) -> HttpResponseBase:
    """Erase one's whole memory in the space, once the word is typed."""
    form = ForgetEverythingForm(request.POST)
    if not form.is_valid():
        messages.error(request, str(form.errors["word"][0]))
        return redirect("memory")
    count = forget_everything(request.actor)
    text = ngettext("%(n)s memory was erased.", "%(n)s memories were erased.", count)
    messages.success(request, text % {"n": count})
    return redirect("memory")


@require_GET
def memory_export(request: SpaceRequest) -> HttpResponse:
    """Download one's own memory as JSON."""
    response = JsonResponse(
        export_memory(request.actor), json_dumps_params={"indent": 2, "ensure_ascii": False}
    )
    response["Content-Disposition"] = 'attachment; filename="memory.json"'
    response["Cache-Control"] = "no-store"
    return response


@require_http_methods(["GET", "POST"])
def memory_tidy(request: SpaceRequest) -> HttpResponseBase:
    """Tidy one's memory; the fragment follows until the result is there."""
    if request.method == "POST":
        tidying = start_tidying(request.actor)
        if not wants_fragment(request):
            return redirect("memory")
    else:
        tidying = tidying_of(request.actor)
    return render(request, "memory/_tidying.html", {"tidying": tidying})


@require_POST
def memory_topic_promote(request: SpaceRequest, topic_id: int) -> HttpResponseBase:
    """Make a topic an interest."""
    promote_topic(request.actor, topic_id=topic_id)
    messages.success(request, _("It is an interest now."))
    return redirect("memory")


@require_POST
def memory_topic_delete(request: SpaceRequest, topic_id: int) -> HttpResponseBase:
    """Forget how often a topic came up."""
    delete_topic(request.actor, topic_id=topic_id)
    return redirect("memory")


@require_POST
def memory_document_forget(request: SpaceRequest, familiar_id: int) -> HttpResponseBase:
    """Forget how often a document was cited."""
    forget_document(request.actor, familiar_id=familiar_id)
    return redirect("memory")


@require_http_methods(["GET", "POST"])
def memory_settings(request: SpaceRequest) -> HttpResponseBase:
    """Set how the space remembers; only admins come here."""
    settings = space_memory(request.actor)
    require(request.actor, "change", settings)
    form = SpaceMemoryForm(request.POST or None, settings=settings)
    if form.is_bound and form.is_valid():
        try:
            change_space_memory(request.actor, form.values())
        except ProjectError as refusal:
            field = str(refusal.data.get("field", ""))
            form.add_error(field if field in form.fields else None, refusal.message)
        else:
            messages.success(request, _("Changes saved."))
            return redirect("memory")
    status = 422 if form.is_bound else 200
    return render(request, "memory/settings.html", {"form": form}, status=status)


def _page(request: SpaceRequest, form: ItemForm, *, status: int = 200) -> HttpResponse:
    context = {
        **memory_page(request.actor),
        "form": form,
        "everything_form": ForgetEverythingForm(),
    }
    return render(request, "memory/page.html", context, status=status)
