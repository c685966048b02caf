"""Forms of the chat pages."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.services.mentions import Mention, read_mention
from agents.suggestions.events import Attribution


class RenameForm(forms.Form):
    """A conversation's title."""

    title = forms.CharField(label=_("Title"), max_length=200)


class AskForm(forms.Form):
    """A question from the new-chat page; what is wrong with it the service says."""

    text = forms.CharField(required=False, strip=False)
    agent_id = forms.UUIDField(required=False)
    client_id = forms.CharField(required=False, max_length=64)
    suggestion_set = forms.UUIDField(required=False)
    suggestion_key = forms.CharField(required=False, max_length=40)

    def mentions(self) -> tuple[Mention, ...]:
        """Return what the question names with @.

        Raises:
            Invalid: a value is none of the page's.
        """
        written = self.data.getlist("mentions") if hasattr(self.data, "getlist") else []
        return tuple(read_mention(each) for each in written)

    def taken_from(self) -> Attribution | None:
        """Return the suggestion that was clicked instead of typing."""
        set_id = self.cleaned_data["suggestion_set"]
        key = self.cleaned_data["suggestion_key"]
        return Attribution(set_id=set_id, key=key) if set_id else None
