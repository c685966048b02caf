"""Forms of keys. They read fields; the services decide."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.keys.capabilities import Capability
from accounts.keys.services import NAME_LENGTH, KeyWish


class KeyForm(forms.Form):
    """A new key."""

    name = forms.CharField(
        label=_("Name"),
        max_length=NAME_LENGTH,
        help_text=_("Of the application that uses it; the audit shows it."),
    )
    expires_in = forms.TypedChoiceField(
        label=_("Expires"),
        coerce=int,
        choices=[
            ("90", _("in 90 days")),
            ("7", _("in 7 days")),
            ("30", _("in 30 days")),
            ("365", _("in a year")),
            ("0", _("never")),
        ],
    )
    capabilities = forms.MultipleChoiceField(label=_("What it may do"), choices=Capability.choices)
    base_ids = forms.MultipleChoiceField(
        label=_("Only these knowledge bases"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None chosen: all knowledge bases of the space, also those to come."),
    )

    def __init__(self, *args: Any, bases: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        """Offer `bases`, ids with names."""
        super().__init__(*args, **kwargs)
        field = self.fields["base_ids"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = list(bases)

    def wish(self) -> KeyWish:
        """Return the key that is wished for."""
        data = self.cleaned_data
        days = data["expires_in"]
        return KeyWish(
            name=data["name"],
            capabilities=frozenset(Capability(one) for one in data["capabilities"]),
            base_ids=tuple(UUID(each) for each in data["base_ids"]),
            expires_at=timezone.now() + timedelta(days=days) if days else None,
        )


class RotationForm(forms.Form):
    """For how long the old key works on."""

    grace_hours = forms.TypedChoiceField(
        label=_("The old key works on for"),
        coerce=int,
        choices=[
            ("24", _("1 day")),
            ("1", _("1 hour")),
            ("168", _("7 days")),
            ("0", _("no time: it ends now")),
        ],
    )

    def grace(self) -> timedelta:
        """Return the time as such."""
        return timedelta(hours=self.cleaned_data["grace_hours"])


class TestForm(forms.Form):
    """For whom the playground asks."""

    __test__ = False  # no case of pytest

    subject = forms.CharField(required=False, max_length=128)
    name = forms.CharField(required=False, max_length=128)
