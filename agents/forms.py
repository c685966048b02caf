"""Forms of the chat pages."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class RenameForm(forms.Form):
    """A conversation's title."""

    title = forms.CharField(label=_("Title"), max_length=200)


class AskForm(forms.Form):
    """A question from the new-chat page; what is wrong with it the service says."""

    text = forms.CharField(required=False, strip=False)
    agent_id = forms.UUIDField(required=False)
    client_id = forms.CharField(required=False, max_length=64)
