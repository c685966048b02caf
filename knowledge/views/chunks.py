"""Pages of passages: beside their page, edited, switched, their revisions and questions."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect as redirect_to
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import require
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid, NotFound, ProjectError
from core.htmx import render, wants_fragment
from core.textdiff import diff_lines
from knowledge.corrections.edit import edit_chunk, revert_chunk, set_enabled
from knowledge.corrections.lost import count_lost
from knowledge.corrections.questions import (
    add_question,
    delete_question,
    edit_question,
    regenerate_questions,
)
from knowledge.corrections.revisions import revisions_of
from knowledge.corrections.rows import read_text
from knowledge.corrections.viewer import cards_of, question_rows, viewer_context, wanted_in
from knowledge.models import Chunk, Document
from knowledge.pages.documents import document_head
from knowledge.queries import get_chunk, get_document

CONTEXT_LINES = 3


@require_GET
def document_chunks(request: SpaceRequest, document_id: UUID) -> HttpResponse:
    """Show a document's passages beside the picture of their page."""
    found = get_document(request.actor, document_id)
    context = {
        **document_head(request.actor, found, tab="chunks"),
        **viewer_context(request.actor, found, wanted_in(request.GET)),
        "lost": count_lost(request.actor, found.pk),
        "revision": found.revision,
    }
    context["is_busy"] = False  # the list does not fetch itself while somebody reads it
    return render(request, "knowledge/chunks.html", context)


@require_http_methods(["GET", "POST"])
def chunk_edit(request: SpaceRequest, document_id: UUID, chunk_id: UUID) -> HttpResponseBase:
    """Edit a passage; who comes second is told, and sees both texts."""
    found = get_document(request.actor, document_id)
    require(request.actor, "change", found)
    text = request.POST.get("text", "")
    if request.method == "GET":
        chunk = _chunk_of(request, found, chunk_id)
        return _edit_page(request, found, chunk, text=chunk.text)
    try:
        edit_chunk(request.actor, chunk_id=chunk_id, version=_version(request), text=text)
    except Conflict as conflict:
        chunk = _chunk_of(request, found, chunk_id)
        return _edit_page(request, found, chunk, text=text, problem=conflict.message, other=True)
    except NotFound:
        return _edit_page(request, found, None, text=text)
    except ProjectError as refusal:
        chunk = _chunk_of(request, found, chunk_id)
        return _edit_page(request, found, chunk, text=text, problem=refusal.message)
    messages.success(request, _("Saved. It is kept when the document is read again."))
    return redirect_to(_address(found, chunk_id))


@require_POST
def chunk_switch(request: SpaceRequest, document_id: UUID, chunk_id: UUID) -> HttpResponseBase:
    """Switch a passage on or off."""
    found = get_document(request.actor, document_id)
    require(request.actor, "change", found)
    chunk = set_enabled(
        request.actor, chunk_id=chunk_id, is_enabled=request.POST.get("enabled") == "1"
    )
    return _card(request, found, chunk)


@require_http_methods(["GET", "POST"])
def chunk_history(request: SpaceRequest, document_id: UUID, chunk_id: UUID) -> HttpResponseBase:
    """Show what a passage said, and let it say that again."""
    found = get_document(request.actor, document_id)
    chunk = _chunk_of(request, found, chunk_id)
    if request.method == "POST":
        require(request.actor, "change", found)
        number = request.POST.get("number", "")
        try:
            revert_chunk(
                request.actor,
                chunk_id=chunk.pk,
                version=_version(request),
                number=int(number) if number.isdecimal() else 0,
            )
        except Conflict as conflict:
            messages.error(request, conflict.message)
            return redirect_to("chunk_history", found.pk, chunk.pk)
        messages.success(request, _("The passage has its earlier text again."))
        return redirect_to(_address(found, chunk.pk))
    context = {
        **document_head(request.actor, found, tab="chunks"),
        "chunk": chunk,
        "number": chunk.position + 1,
        "revisions": revisions_of(chunk),
        "back_url": _address(found, chunk.pk),
    }
    return render(request, "knowledge/chunk_history.html", context)


@require_POST
def chunk_questions(request: SpaceRequest, document_id: UUID, chunk_id: UUID) -> HttpResponseBase:
    """Add, change, delete a question of a passage, or have them written anew."""
    found = get_document(request.actor, document_id)
    require(request.actor, "change", found)
    problem = ""
    try:
        _take_question(request, chunk_id)
    except (Conflict, Invalid) as refusal:
        problem = refusal.message
    chunk = _chunk_of(request, found, chunk_id)
    if not wants_fragment(request):
        if problem:
            messages.error(request, problem)
        return redirect_to(_address(found, chunk_id))
    context = {
        "document_id": found.pk,
        "card": {"id": str(chunk.pk), "questions": question_rows(chunk)},
        "problem": problem,
        "is_open": True,
        "may_change": True,
    }
    return render(request, "knowledge/_chunk_questions.html", context)


def _take_question(request: SpaceRequest, chunk_id: UUID) -> None:
    action, text = request.POST.get("action", ""), request.POST.get("text", "")
    if action == "add":
        add_question(request.actor, chunk_id=chunk_id, text=text)
    elif action == "regenerate":
        regenerate_questions(request.actor, chunk_id=chunk_id)
    else:
        try:
            question_id = UUID(request.POST.get("question", ""))
        except ValueError as error:
            raise NotFound(_("There is no such question.")) from error
        if action == "delete":
            delete_question(request.actor, question_id=question_id)
        else:
            edit_question(
                request.actor, question_id=question_id, version=_version(request), text=text
            )


def _edit_page(
    request: SpaceRequest,
    document: Document,
    chunk: Chunk | None,
    *,
    text: str,
    problem: str = "",
    other: bool = False,
) -> HttpResponse:
    """Show the form; `other`: with what somebody else saved; without a chunk only the text."""
    context: dict[str, Any] = {
        **document_head(request.actor, document, tab="chunks"),
        "chunk": chunk,
        "text": text,
        "problem": problem,
        "rows": (),
        "read": "",
        "card": None,
        "back_url": _address(document, chunk.pk if chunk else None),
    }
    if chunk is not None:
        read = read_text(chunk)
        context |= {
            "read": read if read != chunk.text else "",
            "card": cards_of(document, [chunk])[0],
            "rows": diff_lines(chunk.text, text, context=CONTEXT_LINES) if other else (),
        }
    status = 409 if other or chunk is None else 422 if problem else 200
    return render(request, "knowledge/chunk_edit.html", context, status=status)


def _card(request: SpaceRequest, document: Document, chunk: Chunk) -> HttpResponseBase:
    if not wants_fragment(request):
        return redirect_to(_address(document, chunk.pk))
    context = {
        "card": cards_of(document, [chunk])[0],
        "document_id": document.pk,
        "may_change": True,
    }
    return render(request, "knowledge/_chunk.html", context)


def _chunk_of(request: SpaceRequest, document: Document, chunk_id: UUID) -> Chunk:
    chunk = get_chunk(request.actor, chunk_id)
    if chunk.document_id != document.pk:
        raise NotFound(_("There is no such passage."))
    return chunk


def _version(request: SpaceRequest) -> int:
    version = request.POST.get("version", "")
    return int(version) if version.isdecimal() and len(version) < 9 else 0


def _address(document: Document, chunk_id: UUID | None) -> str:
    url = reverse("document_chunks", args=[document.pk])
    return f"{url}?chunk={chunk_id}#chunk-{chunk_id}" if chunk_id else url
