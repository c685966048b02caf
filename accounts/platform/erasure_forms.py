"""Forms of erasure. They read fields; the services decide."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import User


class DeleteAccountForm(forms.Form):
    """A person who wants to go says so by writing their address."""

    with_documents = forms.BooleanField(
        label=_("Erase the documents I added, too"),
        required=False,
        help_text=_("Otherwise they stay in their spaces, added by a former member."),
    )
    email = forms.CharField(
        label=_("Your e-mail address, to confirm"),
        widget=forms.TextInput({"autocomplete": "off", "inputmode": "email"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        """Compare with the address of `user`."""
        super().__init__(*args, **kwargs)
        self._user = user

    def clean_email(self) -> str:
        """Refuse another address than the person's own."""
        written = str(self.cleaned_data["email"]).strip().lower()
        if written != self._user.email.lower():
            raise forms.ValidationError(_("This is not the address of your account."))
        return written


class ErasureForm(forms.Form):
    """What an administrator wants erased."""

    kind = forms.ChoiceField(
        label=_("What to erase"),
        choices=[("person", _("A person")), ("document", _("A document")), ("space", _("A space"))],
    )
    subject = forms.CharField(
        label=_("Number, e-mail address or id"),
        max_length=254,
        help_text=_(
            "Of a person the e-mail address or number, of a document the id in its address, of a"
            " space the number."
        ),
    )
    reason = forms.CharField(
        label=_("Reason"), max_length=500, help_text=_("Kept in the record: write no names.")
    )
    with_documents = forms.BooleanField(
        label=_("Of a person: the documents they added, too"), required=False
    )
    confirmed = forms.BooleanField(label=_("I know that this cannot be undone"))
