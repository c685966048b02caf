"""Forms of a space's own pages: rules, the end, groups, many invitations. The services decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from accounts.constants import Role
from accounts.models import INVITATION_DAYS

DAYS = (
    (1, _("1 day")),
    (INVITATION_DAYS, _("7 days")),
    (30, _("30 days")),
    (90, _("90 days")),
)


class RulesForm(forms.Form):
    """How people join, for how long the audit is kept, how mails read."""

    auto_accept = forms.BooleanField(
        label=_("Invited people join at once"),
        required=False,
        help_text=_(
            "People who have an account with a confirmed e-mail address are added without being asked."
        ),
    )
    language = forms.ChoiceField(
        label=_("Language of mails"),
        required=False,
        choices=[("", _("The language of the person who causes them")), *settings.LANGUAGES],
        help_text=_("To people whose own language is not known."),
    )
    audit_days = forms.IntegerField(
        label=_("Days for which the audit log is kept"),
        required=False,
        min_value=0,
        max_value=3650,
        help_text=_("Blank: as in the whole installation. 0: for ever. Owners change it."),
    )


class DeleteSpaceForm(forms.Form):
    """The name, typed by hand."""

    typed_name = forms.CharField(
        label=_("Name of the space"),
        max_length=300,
        widget=forms.TextInput({"autocomplete": "off", "autofocus": True}),
    )


class GroupForm(forms.Form):
    """Name and purpose of a group."""

    name = forms.CharField(label=_("Name"), max_length=120)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=1000, widget=forms.Textarea({"rows": 2})
    )


class ManyForm(forms.Form):
    """Whom to invite all at once."""

    addresses = forms.CharField(
        label=_("E-mail addresses"),
        max_length=20_000,
        widget=forms.Textarea({"rows": 6, "placeholder": "neo@example.org, trinity@example.org"}),
        help_text=_("Separated by commas, spaces or lines; up to 200."),
    )
    role = forms.ChoiceField(label=_("Role"))
    days = forms.TypedChoiceField(
        label=_("Valid for"), choices=DAYS, coerce=int, initial=INVITATION_DAYS
    )

    def __init__(self, *args: Any, roles: Iterable[Role], **kwargs: Any) -> None:
        """Offer `roles`, those that the person may give."""
        super().__init__(*args, **kwargs)
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(role.value, role.label) for role in roles]
