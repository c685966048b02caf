"""Settings of a wiki."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import Actor, may, require
from accounts.middleware import SpaceRequest
from core.errors import Conflict, Invalid
from core.htmx import render
from providers.constants import ModelType
from providers.models import AIModel
from wiki.changes.rules import RULES
from wiki.constants import MAX_INSTRUCTIONS, BuildMode, Granularity, ReviewMode
from wiki.models import WikiSettings
from wiki.queries import get_wiki, published_pages
from wiki.services.publishing import publish_wiki, unpublish_wiki
from wiki.services.settings import disable_wiki, update_settings
from wiki.shown.heads import wiki_head
from wiki.shown.mirror import mirror_part

LANGUAGES = (
    ("", gettext_lazy("Each document's own")),
    *(("en", "English"), ("zh", "中文"), ("ja", "日本語"), ("ko", "한국어")),
    *(("de", "Deutsch"), ("fr", "Français"), ("es", "Español"), ("ru", "Русский")),
)


class WikiSettingsForm(forms.Form):
    """What may be set of a wiki."""

    review = forms.ChoiceField(
        label=gettext_lazy("Whose edits wait for a review"), choices=ReviewMode.choices
    )
    required_approvals = forms.IntegerField(
        label=gettext_lazy("Approvals that a change needs"), min_value=1, max_value=5
    )
    auto_approve = forms.MultipleChoiceField(
        label=gettext_lazy("Approve without a person"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("A change that one of the marked rules fits is published at once."),
    )
    build_mode = forms.ChoiceField(
        label=gettext_lazy("Build pages from documents"), choices=BuildMode.choices
    )
    granularity = forms.ChoiceField(label=gettext_lazy("Subjects"), choices=Granularity.choices)
    model_id = forms.ChoiceField(label=gettext_lazy("Model that writes"), required=False)
    language = forms.ChoiceField(
        label=gettext_lazy("Language of the pages"), choices=LANGUAGES, required=False
    )
    content_instructions = forms.CharField(
        label=gettext_lazy("Instructions for writing"),
        max_length=MAX_INSTRUCTIONS,
        required=False,
        widget=forms.Textarea({"rows": 4}),
        help_text=gettext_lazy("For example: keep to the words of the contracts; no advice."),
    )
    extraction_instructions = forms.CharField(
        label=gettext_lazy("Instructions for choosing subjects"),
        max_length=MAX_INSTRUCTIONS,
        required=False,
        widget=forms.Textarea({"rows": 4}),
        help_text=gettext_lazy("For example: products and people, no places."),
    )
    batch_size = forms.IntegerField(
        label=gettext_lazy("Documents built together"), min_value=1, max_value=50
    )
    map_parallel = forms.IntegerField(
        label=gettext_lazy("Documents read at the same time"), min_value=1, max_value=50
    )
    reduce_parallel = forms.IntegerField(
        label=gettext_lazy("Pages written at the same time"), min_value=1, max_value=50
    )
    keep_pipeline_revisions = forms.IntegerField(
        label=gettext_lazy("Revisions of building that keep their text"),
        min_value=1,
        max_value=10_000,
        help_text=gettext_lazy(
            "Of older ones only the text goes; who, when and why stay. What people wrote is never"
            " thinned out."
        ),
    )
    keep_revisions = forms.IntegerField(
        label=gettext_lazy("Revisions of building and agents that keep their text at most"),
        min_value=1,
        max_value=10_000,
    )

    def __init__(self, *args: Any, models: list[AIModel], rules: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = [("", _("The space's default")), *((str(each.pk), each.name) for each in models)]
        self.fields["model_id"] = forms.ChoiceField(
            label=_("Model that writes"), choices=chosen, required=False
        )
        field = self.fields["auto_approve"]
        if isinstance(field, forms.MultipleChoiceField):
            field.choices = rules
        if not rules:
            del self.fields["auto_approve"]

    def changes(self) -> dict[str, Any]:
        """Return what `update_settings` takes."""
        values = dict(self.cleaned_data)
        values["model_id"] = int(values["model_id"]) if values["model_id"] else None
        return values


class PublishForm(forms.Form):
    """How a wiki is read by everybody."""

    public_name = forms.CharField(
        label=gettext_lazy("Name in the address"),
        max_length=80,
        help_text=gettext_lazy("Letters of a to z, digits and dashes."),
    )
    public_titles = forms.BooleanField(
        label=gettext_lazy("Name the source documents"),
        required=False,
        help_text=gettext_lazy("Their titles only; otherwise sources are mere numbers."),
    )
    public_indexed = forms.BooleanField(
        label=gettext_lazy("Search engines may list the pages"), required=False
    )


PARTS = (
    (gettext_lazy("Review"), ("review", "required_approvals", "auto_approve")),
    (
        gettext_lazy("Building"),
        (
            *("build_mode", "granularity", "model_id", "language", "content_instructions"),
            *("extraction_instructions", "batch_size", "map_parallel", "reduce_parallel"),
        ),
    ),
    (gettext_lazy("History"), ("keep_pipeline_revisions", "keep_revisions")),
)


@require_http_methods(["GET", "POST"])
def wiki_settings(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Show and change the settings of a wiki, or switch it off."""
    actor = request.actor
    row = get_wiki(actor, base_id)
    require(actor, "change", row)
    form = _form(actor, row, request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        if request.POST.get("action") == "off":
            disable_wiki(actor, base_id=base_id)
            messages.success(
                request, _("The wiki is off. Its pages stay; switch it on again any time.")
            )
            return redirect("wikis")
        status = 422
        if form.is_valid() and _changed(actor, base_id, form):
            messages.success(request, _("Saved."))
            return redirect("wiki_settings", base_id)
    context = {
        **wiki_head(actor, row.base, tab="settings"),
        "form": form,
        "parts": [
            (title, [form[name] for name in names if name in form.fields]) for title, names in PARTS
        ],
        "row": row,
        **_publishing(actor, row),
        **(mirror_part(actor, row) if may(actor, "share", row.base) else {}),
    }
    response: HttpResponse = render(request, "wiki/settings.html", context, status=status)
    return response


@require_POST
def wiki_publish(request: SpaceRequest, base_id: UUID) -> HttpResponseBase:
    """Publish a wiki to everybody, change how, or end it."""
    posted = request.POST
    try:
        if posted.get("action") == "off":
            unpublish_wiki(request.actor, base_id=base_id)
            done = _("The wiki is not public any more: its public addresses lead nowhere.")
        else:
            row = publish_wiki(
                request.actor,
                base_id=base_id,
                name=posted.get("public_name", ""),
                with_titles=bool(posted.get("public_titles")),
                is_indexed=bool(posted.get("public_indexed")),
            )
            address = request.build_absolute_uri(reverse("public_wiki", args=[row.public_name]))
            done = _("Everybody can read the published pages at %(address)s") % {"address": address}
    except (Invalid, Conflict) as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, done)
    return redirect("wiki_settings", base_id)


def _publishing(actor: Actor, row: WikiSettings) -> dict[str, Any]:
    """Return what the part about publishing shows."""
    initial = {
        "public_name": row.public_name or slugify(row.base.name)[:80],
        "public_titles": row.public_titles,
        "public_indexed": row.public_indexed,
    }
    return {
        "publish_form": PublishForm(initial=initial, auto_id="publish_%s"),
        "may_publish": may(actor, "share", row.base),
        "public_url": reverse("public_wiki", args=[row.public_name]) if row.is_public else "",
        "page_total": published_pages(actor, row.base_id).count(),
    }


def _changed(actor: Actor, base_id: UUID, form: WikiSettingsForm) -> bool:
    try:
        update_settings(actor, base_id=base_id, **form.changes())
    except (Invalid, Conflict) as refusal:
        fields = refusal.data.get("fields") or {None: [refusal.message]}
        for name, texts in fields.items():
            known = "model_id" if name == "model" else name
            for text in texts:
                form.add_error(known if known in form.fields else None, text)
        return False
    return True


def _form(actor: Actor, row: WikiSettings, data: Any) -> WikiSettingsForm:
    models = AIModel.objects.filter(space_id=actor.space_id, type=ModelType.CHAT).order_by("name")
    initial = {name: getattr(row, name) for name in WikiSettingsForm.base_fields}
    initial["model_id"] = str(row.model_id or "")
    return WikiSettingsForm(
        data,
        models=list(models),
        rules=[(rule.name, rule.label) for rule in RULES.values()],
        initial=initial,
    )
