"""Forms of the memory pages."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy as _, pgettext_lazy

from agents.constants import MemoryKind, MemoryWriting
from agents.memory.space_settings import BOUNDS, MemoryValues
from agents.memory.texts import ITEM_CHARACTERS
from agents.models import MemorySettings

FORGET = pgettext_lazy("the word to type before a memory is erased", "forget")


class ItemForm(forms.Form):
    """One memory, as a person writes it."""

    text = forms.CharField(
        label=_("What should be remembered?"),
        max_length=ITEM_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    kind = forms.ChoiceField(label=_("Kind"), choices=MemoryKind.choices)


class ForgetEverythingForm(forms.Form):
    """The word that confirms."""

    word = forms.CharField(label=format_lazy(_("Type the word {word}"), word=FORGET), max_length=20)

    def clean_word(self) -> str:
        """Accept the word alone, in any case."""
        word = str(self.cleaned_data["word"]).strip().casefold()
        if word != str(FORGET).casefold():
            message = gettext("Type the word %(word)s to erase your memory here.")
            raise forms.ValidationError(message % {"word": FORGET})
        return word


class SpaceMemoryForm(forms.Form):
    """How a space remembers."""

    is_enabled = forms.BooleanField(
        label=_("Remember across conversations"),
        required=False,
        help_text=_("Each person has a memory of their own, which nobody else can read."),
    )
    writing = forms.ChoiceField(label=_("What is remembered"), choices=MemoryWriting.choices)
    instructions = forms.CharField(
        label=_("What to keep, what to leave out"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Told to the model that reads conversations."),
    )
    debounce_seconds = forms.IntegerField(label=_("Seconds of silence before it reads"))
    min_interval_seconds = forms.IntegerField(label=_("Minimum seconds between two readings"))
    capacity = forms.IntegerField(label=_("Memories per person"))
    promote_after = forms.IntegerField(label=_("Conversations that turn a topic into an interest"))

    def __init__(self, *args: Any, settings: MemorySettings, **kwargs: Any) -> None:
        names = MemoryValues.__dataclass_fields__
        kwargs["initial"] = {name: getattr(settings, name) for name in names}
        super().__init__(*args, **kwargs)
        for name, (least, most) in BOUNDS.items():
            field = self.fields[name]
            assert isinstance(field, forms.IntegerField)
            field.widget.attrs.update(min=least, max=most)

    def values(self) -> MemoryValues:
        """Return what was entered."""
        return MemoryValues(**self.cleaned_data)
