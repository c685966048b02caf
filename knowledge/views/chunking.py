"""Pages that try out how text is split, for a base or one of its documents."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _, gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import Invalid, ProjectError
from core.htmx import render
from knowledge.base_settings import BaseSettings, SplitOptions, base_settings_of
from knowledge.constants import BaseKind
from knowledge.forms import SettingsForm
from knowledge.models import Document, KnowledgeBase
from knowledge.organising.bulk import Selection, read_all_again
from knowledge.organising.filters import DocumentFilter
from knowledge.pages.chunking import estimate_words, preview_context
from knowledge.pages.heads import head_of
from knowledge.queries import get_base, get_document
from knowledge.services.chunking import (
    LONGEST_PREVIEW,
    document_split,
    estimate_reading,
    preview_split,
    save_base_split,
    save_document_split,
    text_to_try,
)


class TextToTry(forms.Form):
    """The text that is split."""

    text = forms.CharField(
        label=gettext_lazy("Text"),
        required=False,
        strip=False,
        help_text=gettext_lazy("Markdown or plain text, up to 64,000 characters."),
        widget=forms.Textarea({"rows": 12, "class": "textarea mono"}),
    )


@require_http_methods(["GET", "POST"])
def base_chunking(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Try out how pasted text is split in a base; keep the settings."""
    base = get_base(request.actor, base_id)
    require(request.actor, "change", base)
    if base.kind == BaseKind.FAQ:
        raise Invalid(
            _("“%(name)s” holds questions and answers, which are not split.") % {"name": base.name}
        )
    before = base_settings_of(base)
    if request.method == "POST" and "save" in request.POST:
        form = SettingsForm(before, request.POST, sections={"split"})
        if form.is_valid():
            estimate = save_base_split(request.actor, base_id=base.pk, options=form.settings.split)
            messages.success(
                request,
                ngettext(
                    "Saved. %(n)s document was read with other settings; read it again to apply.",
                    "Saved. %(n)s documents were read with other settings; read them again to"
                    " apply.",
                    estimate.documents,
                )
                % {"n": estimate.documents},
            )
            return redirect("base_chunking", base.pk)
    return _page(request, base, None, before)


@require_POST
def base_chunking_read(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Read all documents of a base again, with its settings as they are."""
    base = get_base(request.actor, base_id)
    require(request.actor, "change", base)
    done = read_all_again(request.actor, Selection(base_id=base.pk, filter=DocumentFilter()))
    messages.success(
        request,
        ngettext("%(n)s document is read again.", "%(n)s documents are read again.", len(done.done))
        % {"n": len(done.done)},
    )
    return redirect("base", base.pk)


@require_http_methods(["GET", "POST"])
def document_chunking(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Try out how a document is split; keep the settings for it alone."""
    document = get_document(request.actor, document_id)
    require(request.actor, "change", document)
    before = base_settings_of(document.base).model_copy(update={"split": document_split(document)})
    if request.method == "POST" and "save" in request.POST:
        form = SettingsForm(before, request.POST, sections={"split"})
        if form.is_valid():
            save_document_split(request.actor, document_id=document.pk, options=form.settings.split)
            messages.success(request, _("Saved for this document. Read it again to apply."))
            return redirect("document_chunking", document.pk)
    return _page(request, document.base, document, before)


def _page(
    request: SpaceRequest,
    base: KnowledgeBase,
    document: Document | None,
    before: BaseSettings,
) -> HttpResponseBase:
    """Show the form, and the result where there is a text."""
    posted: QueryDict | None = request.POST if request.method == "POST" else None
    form = SettingsForm(before, posted, sections={"split"})
    text, problem, status = "", "", 200
    options: SplitOptions | None = before.split
    result: dict[str, Any] | None = None
    if posted is not None:
        text = posted.get("text", "")
        options = form.settings.split if form.is_valid() else None
        status = 200 if options else 422
    try:
        if posted is None and document is not None:
            text = text_to_try(request.actor, document.pk)
        if text.strip() and options is not None:
            limit_actor(request.actor, "search")
            result = preview_context(preview_split(text, options))
    except ProjectError as refusal:
        problem, status = refusal.message, refusal.http_status
        status = 200 if posted is None else status
    context = {
        **head_of(request.actor, base),
        "document": document,
        "form": form,
        "text_form": TextToTry(initial={"text": text[: 2 * LONGEST_PREVIEW]}),
        "result": result,
        "problem": problem,
        "reading": estimate_words(estimate_reading(request.actor, base)),
    }
    return render(request, "knowledge/chunking.html", context, status=status)
