"""The form of a model. Secrets go in and never come out: an empty field leaves them as they are."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.errors import Invalid
from core.hostile_json import JSONField, read_json
from providers.constants import ModelType, Provider
from providers.parameters import ModelParameters, read_parameters
from providers.queries import ModelCard
from providers.values import ModelValues, check_values

PRICE_FIELDS = ("input_price", "output_price", "cached_price")
UNCHANGED = _("Stored. Leave empty to keep it.")


class AIModelForm(forms.Form):
    """Everything of a model row. `values()` gives what the services take."""

    name = forms.CharField(label=_("Name"), max_length=200)
    type = forms.ChoiceField(label=_("Type"), choices=ModelType.choices)
    provider = forms.ChoiceField(label=_("Service"), choices=Provider.choices)
    model_id = forms.CharField(
        label=_("Model"),
        max_length=200,
        help_text=_("The service's own name; for Azure the deployment's name."),
    )
    base_url = forms.CharField(
        label=_("URL"),
        max_length=500,
        required=False,
        help_text=_("For example https://api.openai.com/v1"),
    )
    api_key = forms.CharField(
        label=_("Key"),
        required=False,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}, render_value=False),
    )
    remove_api_key = forms.BooleanField(label=_("Remove the stored key"), required=False)
    extra_headers = forms.CharField(
        label=_("Extra headers"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "autocomplete": "off"}),
        help_text=_('A JSON object, for example {"X-Team": "blue"}; {} removes what is stored.'),
    )
    input_price = forms.DecimalField(
        label=_("Price of a million input tokens"),
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text=_("Budgets in money and the usage page count with it."),
    )
    cached_price = forms.DecimalField(
        label=_("Price of a million cached input tokens"),
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text=_("Empty: as other input tokens."),
    )
    output_price = forms.DecimalField(
        label=_("Price of a million output tokens"),
        required=False,
        min_value=0,
        max_value=1_000_000,
    )
    currency = forms.RegexField(
        label=_("Currency"),
        regex="^[A-Z]{3}$",
        required=False,
        help_text=_("Three letters, such as USD or EUR; the same for all models of a space."),
        error_messages={"invalid": _("Enter three capital letters, such as EUR.")},
    )
    parameters = JSONField(label=_("Parameters"), required=False, initial=dict)
    is_default = forms.BooleanField(label=_("Default of its type"), required=False)
    is_enabled = forms.BooleanField(label=_("Enabled"), required=False, initial=True)
    max_concurrency = forms.IntegerField(
        label=_("Calls at once in the background"), min_value=1, max_value=1000, initial=4
    )

    def __init__(self, *args: Any, card: ModelCard | None = None, **kwargs: Any) -> None:
        """Fill the form from a stored model, or start empty."""
        if card is not None:
            kwargs["initial"] = {**_initial(card), **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        self._card = card
        if card is None:
            self.fields["remove_api_key"].widget = forms.HiddenInput()
            self.fields["extra_headers"].help_text = _(
                'A JSON object, for example {"X-Team": "blue"}.'
            )
        if card is not None:
            if card.has_api_key:
                self.fields["api_key"].help_text = UNCHANGED
            if card.header_names:
                self.fields["extra_headers"].help_text = UNCHANGED

    def clean_extra_headers(self) -> dict[str, str] | None:
        """Return the headers, None when nothing was entered."""
        text = self.cleaned_data["extra_headers"].strip()
        if not text:
            return None
        try:
            headers = read_json(text)
        except ValueError:
            headers = None
        if not isinstance(headers, dict) or not all(isinstance(v, str) for v in headers.values()):
            # The text itself may hold a secret: it isn't repeated.
            raise ValidationError(_("Enter a JSON object of texts."))
        return headers

    def clean_parameters(self) -> ModelParameters:
        """Return the parameters as their checked value."""
        values = self.cleaned_data["parameters"] or {}
        if not isinstance(values, dict):
            raise ValidationError(_("Enter a JSON object."))
        try:
            return read_parameters(values)
        except Invalid as error:
            raise ValidationError(error.message) from None

    def clean(self) -> dict[str, Any]:
        """Check what concerns more than one field."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            cleaned["parameters"] = _priced(cleaned["parameters"], cleaned)
            try:
                check_values(self.values())
            except Invalid as error:
                field = str(error.data.get("field", ""))
                self.add_error(field if field in self.fields else None, error.message)
        return cleaned

    def values(self) -> ModelValues:
        """Return what was entered, for the services."""
        cleaned = self.cleaned_data
        entered: str | None = cleaned["api_key"] or None
        return ModelValues(
            name=cleaned["name"],
            type=cleaned["type"],
            provider=cleaned["provider"],
            model_id=cleaned["model_id"],
            base_url=cleaned["base_url"],
            api_key="" if cleaned["remove_api_key"] else entered,
            extra_headers=cleaned["extra_headers"],
            parameters=cleaned["parameters"],
            is_default=cleaned["is_default"],
            is_enabled=cleaned["is_enabled"],
            max_concurrency=cleaned["max_concurrency"],
        )


def _priced(parameters: ModelParameters, cleaned: dict[str, Any]) -> ModelParameters:
    """Return the parameters with the prices of the form; an empty field takes what JSON says."""
    entered: dict[str, Any] = {
        name: float(cleaned[name]) for name in PRICE_FIELDS if cleaned.get(name) is not None
    }
    if cleaned.get("currency"):
        entered["currency"] = cleaned["currency"]
    return parameters.model_copy(update=entered)


def _initial(card: ModelCard) -> dict[str, Any]:
    """Return what the form shows of a stored model: no secrets, parameters that differ."""
    names = ("name", "type", "provider", "model_id", "base_url")
    shown: dict[str, Any] = {name: getattr(card, name) for name in names}
    prices = {name: getattr(card.parameters, name) for name in (*PRICE_FIELDS, "currency")}
    return {
        **shown,
        **prices,
        "parameters": card.parameters.model_dump(exclude_defaults=True, exclude=set(prices)),
        "is_default": card.is_default,
        "is_enabled": card.is_enabled,
        "max_concurrency": card.max_concurrency,
    }
