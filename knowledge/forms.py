"""Forms of knowledge. They read fields; the services decide."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from knowledge.base_settings import BaseSettings, RetrievalOptions, SplitOptions


class BaseForm(forms.Form):
    """A base's name, description and settings."""

    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=2000, widget=forms.Textarea({"rows": 3})
    )
    size_characters = forms.IntegerField(
        label=_("Characters of a passage"),
        min_value=200,
        max_value=7500,
        initial=1200,
        help_text=_("Holds for documents that are read from now on; “Read again” applies it."),
    )
    limit = forms.IntegerField(
        label=_("Passages a search returns"), min_value=1, max_value=50, initial=10
    )
    rerank = forms.ChoiceField(
        label=_("Rerank"),
        choices=[
            ("auto", _("Where it helps: another language, or few words in common")),
            ("always", _("Always")),
            ("never", _("Never")),
        ],
        initial="auto",
    )

    def settings(self, before: BaseSettings) -> BaseSettings:
        """Return the settings with what the form says."""
        data = self.cleaned_data
        split = SplitOptions(
            size_characters=data["size_characters"],
            overlap_characters=before.split.overlap_characters,
        )
        retrieval = RetrievalOptions(
            limit=data["limit"],
            keyword_weight=before.retrieval.keyword_weight,
            rerank=data["rerank"],
        )
        return BaseSettings(split=split, retrieval=retrieval)


class SearchForm(forms.Form):
    """The retrieval test."""

    question = forms.CharField(
        label=_("Question"), max_length=2000, widget=forms.Textarea({"rows": 3})
    )
    limit = forms.IntegerField(
        label=_("Most passages"), min_value=1, max_value=50, initial=10, required=False
    )
    rerank = forms.ChoiceField(
        label=_("Rerank"),
        required=False,
        choices=[("", _("As the base has it")), ("always", _("Always")), ("never", _("Never"))],
    )
