"""Forms of the retrieval test and of the explanation of missing passages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from knowledge.base_settings import RetrievalOptions
from knowledge.constants import SearchDoor
from knowledge.forms import setting_fields
from knowledge.retrieval.settings import RetrievalSettings
from knowledge.why_not.find import MOST_CHARACTERS

SECOND = "b-"
"""Begins the names of the second settings."""
_WISHES = {field.name for field in fields(RetrievalSettings)}


class RetrievalTestForm(forms.Form):
    """A question, and one or two settings with which it is asked; blank ones are the base's."""

    question = forms.CharField(
        label=_("Question"), max_length=2000, widget=forms.Textarea({"rows": 3})
    )
    compare = forms.BooleanField(label=_("Compare two settings"), required=False)

    def __init__(self, options: RetrievalOptions, *args: Any, **kwargs: Any) -> None:
        """Make the fields of both settings from what the base has."""
        super().__init__(*args, **kwargs)
        self.options = options
        made = setting_fields(options, section="retrieval")
        self.names = [name for name in made if name in _WISHES]
        for prefix in ("", SECOND):
            for name, field in setting_fields(options, section="retrieval").items():
                if name in _WISHES:
                    field.help_text = ""
                    self.fields[f"{prefix}{name}"] = field

    def side(self, prefix: str) -> list[forms.BoundField]:
        """Return the fields of one of the settings."""
        return [self[f"{prefix}{name}"] for name in self.names]

    def first(self) -> list[forms.BoundField]:
        """Return the fields of the first settings."""
        return self.side("")

    def second(self) -> list[forms.BoundField]:
        """Return the fields of the second settings."""
        return self.side(SECOND)

    def values(self, prefix: str) -> dict[str, Any]:
        """Return the settings of a side, those of the base where the form says nothing."""
        base = self.options.model_dump()
        is_whole = any(f"{prefix}{name}" in self.data for name in self.names)
        found = {}
        for name in self.names:
            value = self.cleaned_data.get(f"{prefix}{name}")
            is_unsaid = value in (None, "") or (value is False and not is_whole)
            found[name] = base[name] if is_unsaid else value
        return found

    def wish(self, prefix: str) -> RetrievalSettings:
        """Return the settings of a side."""
        return RetrievalSettings(**self.values(prefix))


class WhyNotForm(forms.Form):
    """What was expected, and for whom."""

    question = forms.CharField(
        label=_("Question"),
        required=False,
        max_length=2000,
        widget=forms.Textarea({"rows": 2}),
        help_text=_("As it was asked. Without one, only whether the passage can be found at all."),
    )
    text = forms.CharField(
        label=_("Expected passage"),
        required=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea({"rows": 6}),
        help_text=_("Paste what should have been found, or a part of it."),
    )
    name = forms.CharField(
        label=_("Name of the document"),
        required=False,
        max_length=255,
        help_text=_("Also alone: then its best passage is looked at."),
    )
    user = forms.TypedChoiceField(label=_("For whom"), required=False, coerce=int, empty_value=None)
    for_answer = forms.BooleanField(
        label=_("It must get into the answer"),
        required=False,
        help_text=_("An answer reads only the best of what a search finds."),
    )
    document = forms.UUIDField(required=False, widget=forms.HiddenInput)
    chunk = forms.UUIDField(required=False, widget=forms.HiddenInput)
    search = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, members: Iterable[tuple[int, str]], *args: Any, **kwargs: Any) -> None:
        """Offer the members for whom the actor may ask; without any the field is gone."""
        super().__init__(*args, **kwargs)
        choices = list(members)
        if choices:
            self.fields["user"].choices = [("", _("For me")), *choices]  # type: ignore[attr-defined]
        else:
            del self.fields["user"]


class SearchFilterForm(forms.Form):
    """Which recorded searches are listed."""

    door = forms.ChoiceField(
        label=_("Door"), required=False, choices=[("", _("All")), *SearchDoor.choices]
    )
    result = forms.ChoiceField(
        label=_("Result"),
        required=False,
        choices=[
            ("", _("All")),
            ("nothing", _("Nothing found")),
            ("unsure", _("Probably no answer")),
        ],
    )
