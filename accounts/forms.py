"""Forms of accounts. They read fields; the services decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import password_validators_help_text_html
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext_lazy as _

from accounts.constants import Role
from accounts.models import INVITATION_DAYS
from accounts.space_forms import DAYS
from core.errors import ProjectError


def posted(request: HttpRequest) -> QueryDict | None:
    """Return what a form is bound to: an empty POST binds it, too, and shows what is missing."""
    return request.POST if request.method == "POST" else None


class SpaceForm(forms.Form):
    """Name and purpose of a space."""

    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=2000, widget=forms.Textarea({"rows": 3})
    )


class InvitationForm(forms.Form):
    """Whom to invite, and as what."""

    email = forms.EmailField(
        label=_("E-mail address"),
        required=False,
        help_text=_("Without one, everybody who has the link can join with it."),
    )
    role = forms.ChoiceField(label=_("Role"))
    days = forms.TypedChoiceField(
        label=_("Valid for"), required=False, choices=DAYS, coerce=int, initial=INVITATION_DAYS
    )
    max_accepts = forms.IntegerField(
        label=_("For how many people"),
        required=False,
        min_value=1,
        max_value=10_000,
        help_text=_("Of a link without an address. Blank: for any number."),
    )

    def __init__(self, *args: Any, roles: Iterable[Role], **kwargs: Any) -> None:
        """Offer `roles`, those that the person may give."""
        super().__init__(*args, **kwargs)
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(role.value, role.label) for role in roles]


class JoinForm(forms.Form):
    """A new person who was invited."""

    email = forms.EmailField(
        label=_("E-mail address"), widget=forms.EmailInput({"autocomplete": "email"})
    )
    name = forms.CharField(
        label=_("Your name"),
        required=False,
        max_length=150,
        widget=forms.TextInput({"autocomplete": "name"}),
    )
    # Never stripped: every character of a password counts.
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
        help_text=password_validators_help_text_html,
    )


class ProfileForm(forms.Form):
    """What a person is called, and the language they read."""

    name = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=150,
        help_text=_("Without one, others see your e-mail address."),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("As in the browser")), *settings.LANGUAGES],
        help_text=_("Of pages and mails."),
    )


def add_refusal(form: forms.Form, refusal: ProjectError) -> None:
    """Show a service's refusal in the form: at the fields that its data names, else above them."""
    named = {name: texts for name, texts in refusal.data.items() if name in form.fields}
    for name, texts in named.items():
        form.add_error(name, texts)
    if not named:
        form.add_error(None, refusal.message)
