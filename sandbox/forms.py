"""The form of a sandbox. Secrets go in and never come out: an empty field leaves them as they are."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.errors import Invalid
from core.hostile_json import JSONField, read_json
from sandbox.constants import Backend
from sandbox.contract import MIB, SandboxLimits
from sandbox.queries import ConfigCard
from sandbox.values import ConfigValues, check_config

_DEFAULTS = SandboxLimits()
_STORED = _("Stored. Leave empty to keep it.")


class SandboxConfigForm(forms.Form):
    """Everything of a sandbox. `values()` gives what the services take."""

    name = forms.CharField(label=_("Name"), max_length=100)
    backend = forms.ChoiceField(label=_("Kind"), choices=Backend.choices)
    settings = JSONField(
        label=_("Settings of the kind"),
        required=False,
        initial=dict,
        help_text=_("A JSON object, such as the image of containers or the address of a service."),
    )
    api_key = forms.CharField(
        label=_("Key"),
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}, render_value=False),
        help_text=_("Only a service needs one."),
    )
    memory_mib = forms.IntegerField(
        label=_("Memory of a command, in MiB"),
        min_value=32,
        max_value=65_536,
        initial=_DEFAULTS.memory_bytes // MIB,
    )
    cpus = forms.FloatField(
        label=_("Processors"), min_value=0.1, max_value=64, initial=_DEFAULTS.cpus
    )
    processes = forms.IntegerField(
        label=_("Processes"), min_value=10, max_value=4096, initial=_DEFAULTS.processes
    )
    workspace_mib = forms.IntegerField(
        label=_("Size of a workspace, in MiB"),
        min_value=4,
        max_value=65_536,
        initial=_DEFAULTS.workspace_bytes // MIB,
    )
    environment = forms.CharField(
        label=_("Variables of every command"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
        help_text=_('A JSON object of texts, for example {"REGION": "eu"}.'),
    )
    idle_minutes = forms.IntegerField(
        label=_("Minutes without use until a workspace is removed"),
        min_value=1,
        max_value=1440,
        initial=30,
    )
    is_default = forms.BooleanField(label=_("Default of this space"), required=False)

    def __init__(self, *args: Any, card: ConfigCard | None = None, **kwargs: Any) -> None:
        """Fill the form from a stored sandbox, or start with the defaults."""
        if card is not None:
            kwargs["initial"] = _initial(card)
        super().__init__(*args, **kwargs)
        if card is not None and card.has_api_key:
            self.fields["api_key"].help_text = _STORED
        if card is not None and card.variable_names:
            self.fields["environment"].help_text = _(
                "Stored: %(names)s. Leave empty to keep them; {} removes them."
            ) % {"names": ", ".join(card.variable_names)}

    def clean_environment(self) -> dict[str, str] | None:
        """Return the variables, None when nothing was entered."""
        text = self.cleaned_data["environment"].strip()
        if not text:
            return None
        try:
            found = read_json(text)
        except ValueError:
            found = None
        if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
            # The text itself may hold a secret: it isn't repeated.
            raise ValidationError(_("Enter a JSON object of texts."))
        return found

    def clean_settings(self) -> dict[str, Any]:
        """Return the settings as an object."""
        found = self.cleaned_data["settings"] or {}
        if not isinstance(found, dict):
            raise ValidationError(_("Enter a JSON object."))
        return found

    def clean(self) -> dict[str, Any]:
        """Check what concerns more than one field."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                check_config(self.values())
            except Invalid as error:
                field = str(error.data.get("field", ""))
                self.add_error(field if field in self.fields else None, error.message)
        return cleaned

    def values(self) -> ConfigValues:
        """Return what was entered, for the services."""
        cleaned = self.cleaned_data
        return ConfigValues(
            name=cleaned["name"],
            backend=cleaned["backend"],
            settings=cleaned["settings"],
            api_key=cleaned["api_key"] or None,
            limits={
                "memory_bytes": cleaned["memory_mib"] * MIB,
                "cpus": cleaned["cpus"],
                "processes": cleaned["processes"],
                "workspace_bytes": cleaned["workspace_mib"] * MIB,
            },
            environment=cleaned["environment"],
            idle_minutes=cleaned["idle_minutes"],
            is_default=cleaned["is_default"],
        )


def _initial(card: ConfigCard) -> dict[str, Any]:
    return {
        "name": card.name,
        "backend": card.backend,
        "settings": dict(card.settings),
        "memory_mib": card.limits.memory_bytes // MIB,
        "cpus": card.limits.cpus,
        "processes": card.limits.processes,
        "workspace_mib": card.limits.workspace_bytes // MIB,
        "idle_minutes": card.idle_minutes,
        "is_default": card.is_default,
    }
