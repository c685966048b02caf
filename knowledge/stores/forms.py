"""The form of a vector store. The key goes in and never comes out."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from core.errors import Invalid
from knowledge.constants import StoreKind
from knowledge.models import VectorStore
from knowledge.stores.options import StoreOptions, read_options
from knowledge.stores.values import StoreValues, check_values


class VectorStoreForm(forms.Form):
    """Everything of a store. `values()` gives what the services take."""

    name = forms.CharField(label=_("Name"), max_length=200)
    kind = forms.ChoiceField(label=_("Kind"), choices=StoreKind.choices)
    address = forms.CharField(
        label=_("URL"),
        max_length=500,
        help_text=_("With the port, for example https://vectors.example.com:6333"),
    )
    user_name = forms.CharField(
        label=_("User name"),
        max_length=200,
        required=False,
        help_text=_("Only where the server asks for one; Qdrant does not."),
    )
    api_key = forms.CharField(
        label=_("Key or password"),
        max_length=2000,
        required=False,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}, render_value=False),
    )
    remove_api_key = forms.BooleanField(label=_("Remove the stored key"), required=False)
    database = forms.CharField(
        label=_("Database"),
        max_length=100,
        required=False,
        help_text=_("Milvus only; empty: the server's default."),
    )
    search_seconds = forms.FloatField(
        label=_("Seconds that a question waits"),
        initial=StoreOptions().search_seconds,
        min_value=0.2,
        max_value=30,
        help_text=_("Then PostgreSQL is searched in its place."),
    )
    write_seconds = forms.FloatField(
        label=_("Seconds for writing a batch"),
        initial=StoreOptions().write_seconds,
        min_value=1,
        max_value=600,
    )

    def __init__(self, *args: Any, row: VectorStore | None = None, **kwargs: Any) -> None:
        """Fill the form from a stored row, or start empty."""
        if row is not None:
            kwargs["initial"] = _initial(row)
        super().__init__(*args, **kwargs)
        if row is not None:
            self.fields["kind"].choices = [(row.kind, row.get_kind_display())]  # type: ignore[attr-defined]  # a ChoiceField
        if row is None or not row.api_key:
            self.fields["remove_api_key"].widget = forms.HiddenInput()
        else:
            self.fields["api_key"].help_text = _("Stored. Leave empty to keep it.")

    def clean_database(self) -> str:
        """Take names that Milvus takes."""
        name: str = self.cleaned_data["database"]
        try:
            read_options({"database": name})
        except Invalid:
            raise ValidationError(_("Letters, digits and underscores only.")) from None
        return name

    def clean(self) -> dict[str, Any]:
        """Check what concerns more than one field."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                check_values(self.values())
            except Invalid as error:
                field = str(error.data.get("field", ""))
                self.add_error(field if field in self.fields else None, error.message)
        return cleaned

    def values(self) -> StoreValues:
        """Return what was entered, for the services."""
        cleaned = self.cleaned_data
        return StoreValues(
            name=cleaned["name"],
            kind=StoreKind(cleaned["kind"]),
            address=cleaned["address"],
            user_name=cleaned["user_name"],
            api_key="" if cleaned["remove_api_key"] else (cleaned["api_key"] or None),
            options=StoreOptions(
                search_seconds=cleaned["search_seconds"],
                write_seconds=cleaned["write_seconds"],
                database=cleaned["database"],
            ),
        )


def _initial(row: VectorStore) -> dict[str, Any]:
    shown = {name: getattr(row, name) for name in ("name", "kind", "address", "user_name")}
    return {**shown, **read_options(row.options).model_dump()}
