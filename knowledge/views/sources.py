"""Pages that bring in what is no uploaded file: web addresses, texts that are written here."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require
from accounts.limits import limit_actor
from accounts.middleware import SpaceRequest
from core.errors import ProjectError
from core.htmx import render
from core.markdown import render_markdown
from knowledge.models import KnowledgeBase
from knowledge.pages.documents import document_head
from knowledge.pages.heads import head_of
from knowledge.queries import get_base, get_document
from knowledge.sources.addresses import add_address, fetch_again
from knowledge.sources.manual import (
    LONGEST_TEXT,
    publish_text,
    read_text,
    rewrite_text,
    write_text,
)


class AddressForm(forms.Form):
    """A page or file on the web."""

    url = forms.CharField(
        label=gettext_lazy("Web address"),
        max_length=2000,
        help_text=gettext_lazy("Of a page or a file that is open to everybody."),
        widget=forms.URLInput({"placeholder": "https://"}),
    )
    folder = forms.CharField(label=gettext_lazy("Folder"), max_length=1000, required=False)


class TextForm(forms.Form):
    """A text in Markdown."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=200)
    folder = forms.CharField(label=gettext_lazy("Folder"), max_length=1000, required=False)
    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=LONGEST_TEXT,
        strip=False,
        help_text=gettext_lazy("Markdown: # for headings, - for lists, | for tables."),
        widget=forms.Textarea({"rows": 18, "class": "textarea mono"}),
    )


@require_http_methods(["GET", "POST"])
def base_address(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Add what is at a web address."""
    base = _editable(request, base_id)
    posted = request.POST if request.method == "POST" else None
    form = AddressForm(posted, initial={"folder": request.GET.get("folder", "")})
    if posted is not None and form.is_valid():
        limit_actor(request.actor, "upload")
        try:
            add_address(
                request.actor,
                base_id=base.pk,
                url=form.cleaned_data["url"],
                folder_path=form.cleaned_data["folder"],
            )
        except ProjectError as refusal:
            form.add_error("url", refusal.message)
        else:
            messages.success(request, _("The address is being fetched."))
            return redirect("base", base.pk)
    context = {**head_of(request.actor, base), "form": form}
    return render(request, "knowledge/base_address.html", context, status=_status(form))


@require_http_methods(["GET", "POST"])
def base_text(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Write a text into a base, as a draft or published."""
    base = _editable(request, base_id)
    posted = request.POST if request.method == "POST" else None
    form = TextForm(posted, initial={"folder": request.GET.get("folder", "")})
    if posted is not None and form.is_valid():
        data = form.cleaned_data
        try:
            made = write_text(
                request.actor,
                base_id=base.pk,
                title=data["title"],
                text=data["text"],
                folder_path=data["folder"],
                publish="publish" in request.POST,
            )
        except ProjectError as refusal:
            form.add_error("text", refusal.message)
        else:
            return redirect("document", made.pk)
    context = {**head_of(request.actor, base), "form": form, "document": None, "is_draft": True}
    return render(request, "knowledge/document_text.html", context, status=_status(form))


@require_http_methods(["GET", "POST"])
def document_text(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Change a text that was written here."""
    found = get_document(request.actor, document_id)
    require(request.actor, "change", found)
    posted = request.POST if request.method == "POST" else None
    text = read_text(request.actor, document_id=found.pk)
    title = found.name.removesuffix(".md")
    form = TextForm(posted, initial={"title": title, "text": text})
    del form.fields["folder"]
    if posted is not None and form.is_valid():
        try:
            rewrite_text(
                request.actor,
                document_id=found.pk,
                title=form.cleaned_data["title"],
                text=form.cleaned_data["text"],
                publish="publish" in request.POST,
            )
        except ProjectError as refusal:
            form.add_error("text", refusal.message)
        else:
            return redirect("document", found.pk)
    context = {**document_head(request.actor, found, tab="text"), "form": form}
    return render(request, "knowledge/document_text.html", context, status=_status(form))


@require_POST
def document_publish(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Publish a draft."""
    publish_text(request.actor, document_id=document_id)
    messages.success(request, _("Published. It is found as soon as it was read."))
    return redirect("document", document_id)


@require_POST
def document_fetch(request: SpaceRequest, document_id: UUID) -> HttpResponseBase:
    """Fetch a document's address again."""
    limit_actor(request.actor, "upload")
    fetch_again(request.actor, document_id=document_id)
    messages.success(request, _("The address is fetched again."))
    return redirect("document", document_id)


@require_POST
def text_preview(request: SpaceRequest) -> HttpResponse:
    """Show a text as it will be read."""
    html = render_markdown(request.POST.get("text", "")[:LONGEST_TEXT])
    return render(request, "knowledge/_text_preview.html", {"html": html})


def _editable(request: SpaceRequest, base_id: UUID) -> KnowledgeBase:
    base = get_base(request.actor, base_id)
    require(request.actor, "edit", base)
    return base


def _status(form: forms.Form) -> int:
    return 422 if form.is_bound else 200
