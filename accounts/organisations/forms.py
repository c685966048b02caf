"""Forms of organisations and shares. They read fields; the services decide."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.constants import OrganisationRole, SharePermission

ALL, CHOSEN = "all", "chosen"


class OrganisationForm(forms.Form):
    """Name and purpose of a new organisation."""

    name = forms.CharField(label=_("Name"), max_length=255)
    description = forms.CharField(
        label=_("Description"), required=False, max_length=1000, widget=forms.Textarea({"rows": 2})
    )


class OrganisationSettingsForm(OrganisationForm):
    """What it is called and how spaces come in."""

    require_approval = forms.BooleanField(
        label=_("Joining needs approval"),
        required=False,
        help_text=_("Off: a space that has the code is in at once, as a viewer."),
    )
    is_searchable = forms.BooleanField(
        label=_("Can be found by its name"),
        required=False,
        help_text=_("Admins of other spaces find it and can ask to join without the code."),
    )


class CodeForm(forms.Form):
    """For how long a new invite code is valid."""

    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        choices=[
            ("1", _("1 day")),
            ("7", _("7 days")),
            ("30", _("30 days")),
            ("0", _("No limit")),
        ],
    )


class JoinForm(forms.Form):
    """The code of an organisation."""

    code = forms.CharField(
        label=_("Invite code"),
        max_length=32,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )


class MessageForm(forms.Form):
    """What the admins read who decide."""

    message = forms.CharField(
        label=_("Message"), required=False, max_length=500, widget=forms.Textarea({"rows": 2})
    )


class RoleForm(MessageForm):
    """A higher role to ask for."""

    role = forms.ChoiceField(label=_("Role"))
    field_order = ("role", "message")

    def __init__(self, *args: Any, roles: Iterable[OrganisationRole], **kwargs: Any) -> None:
        """Offer the roles above the present one."""
        super().__init__(*args, **kwargs)
        _choices(self, "role", ((role.value, role.label) for role in roles))


class ShareForm(forms.Form):
    """With which spaces of one organisation something is shared, and how far."""

    permission = forms.ChoiceField(label=_("Permission"), choices=SharePermission.choices)
    reach = forms.ChoiceField(
        label=_("Who gets it"),
        choices=[(ALL, _("All its spaces, those that join later, too")), (CHOSEN, _("Only these"))],
        widget=forms.RadioSelect,
    )
    receivers = forms.TypedMultipleChoiceField(
        label=_("Spaces"), coerce=int, required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(
        self, *args: Any, spaces: Iterable[tuple[int, str]], read_only: bool, **kwargs: Any
    ) -> None:
        """Offer the other spaces of the organisation; `read_only` leaves out the permission."""
        super().__init__(*args, **kwargs)
        offered = [(str(key), name) for key, name in spaces]
        if offered:
            _choices(self, "receivers", offered)
        else:
            del self.fields["receivers"], self.fields["reach"]
        if read_only:
            del self.fields["permission"]

    @property
    def wanted(self) -> dict[str, Any]:
        """The terms, as the service takes them."""
        data = self.cleaned_data
        chosen = data.get("reach") == CHOSEN
        return {
            "permission": data.get("permission", SharePermission.VIEWER),
            "receiver_ids": data.get("receivers", []) if chosen else None,
        }


def _choices(form: forms.Form, name: str, choices: Iterable[tuple[str, Any]]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)
