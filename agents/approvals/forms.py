"""Forms of approvals: the arguments of a call, made from the tool's schema; batches; the settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext, gettext_lazy as _, ngettext, ngettext_lazy
from jsonschema.validators import Draft202012Validator
from referencing import Registry

from accounts.models import User
from agents.approvals.arguments import schema_of
from agents.approvals.spaces import SpaceRules
from agents.constants import Deciders
from agents.models import Approval
from core.hostile_json import JSONField

LONG_TEXT_CHARACTERS = 80
WHOLE = "_all"
"""Name of the one field of a tool whose schema is not known."""
TIMEOUTS = (600, 3600, 28_800, 86_400, 259_200, 604_800, 1_209_600, 2_419_200, 4_838_400)
_SIMPLE = {"string", "integer", "number", "boolean"}


class ArgumentsForm(forms.Form):
    """Arguments of a waiting call: a field for each simple one, JSON for the rest."""

    def __init__(self, row: Approval, data: Mapping[str, Any] | None = None) -> None:
        """Make the fields; with `data` they are what a person sent."""
        self.before: dict[str, Any] = row.arguments
        self.schema = schema_of(row.tool_name)
        super().__init__(data, prefix="arg", auto_id=f"approval-{row.pk}-%s")
        properties: dict[str, Any] = self.schema.get("properties", {})
        if not properties:
            self.fields[WHOLE] = _json_field(self.before, label=gettext("Arguments"), help_text="")
            return
        required = self.schema.get("required", [])
        for name in [*properties, *(name for name in self.before if name not in properties)]:
            self.fields[name] = _field_of(
                name,
                properties.get(name, {}),
                value=self.before.get(name),
                required=name in required,
            )

    def clean(self) -> dict[str, Any]:
        """Check the whole against the schema and put each problem to its field."""
        cleaned: dict[str, Any] = self.cleaned_data
        if self.errors or WHOLE in self.fields:
            return cleaned
        checker = Draft202012Validator(self.schema, registry=Registry())
        for problem in checker.iter_errors(self.arguments()):
            path = [str(part) for part in problem.absolute_path]
            name = path[0] if path and path[0] in self.fields else None
            place = ".".join(path[1:])
            self.add_error(name, f"{place}: {problem.message}" if place else problem.message)
        return cleaned

    def arguments(self) -> dict[str, Any]:
        """Return the arguments; what is optional and was left empty is left out."""
        values = self.cleaned_data
        if WHOLE in self.fields:
            whole: dict[str, Any] = values[WHOLE]
            return whole
        return {name: values[name] for name in self.fields if not self._is_left_out(name)}

    def _is_left_out(self, name: str) -> bool:
        value = self.cleaned_data.get(name)
        if value is None:
            return True
        if self.fields[name].required or value:
            return False
        return value == "" or (value is False and name not in self.before)


def _field_of(name: str, schema: Mapping[str, Any], *, value: Any, required: bool) -> forms.Field:
    schema = _without_null(schema)
    label = name.replace("_", " ").capitalize()
    common: dict[str, Any] = {
        "label": label,
        "required": required,
        "initial": value,
        "help_text": str(schema.get("description", ""))[:300],
    }
    kind = schema.get("type")
    choices = schema.get("enum")
    if choices and all(isinstance(each, str) for each in choices):
        empty = [] if required else [("", "—")]
        return forms.ChoiceField(choices=[*empty, *((each, each) for each in choices)], **common)
    if _is_list_of_texts(schema) and isinstance(value, list | None):
        return _LinesField(**common)
    if kind not in _SIMPLE or not isinstance(value, str | int | float | None):
        return _json_field(value, label=label, help_text=common["help_text"], required=required)
    if kind == "boolean":
        return forms.BooleanField(**{**common, "required": False})
    if kind == "integer":
        return forms.IntegerField(**common, **_bounds(schema))
    if kind == "number":
        return forms.FloatField(**common, **_bounds(schema))
    text = str(value or "")
    is_long = len(text) > LONG_TEXT_CHARACTERS or "\n" in text
    widget = forms.Textarea(attrs={"rows": 6}) if is_long else forms.TextInput()
    return forms.CharField(**common, strip=False, widget=widget)


def _without_null(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an optional value as that of the value: an empty field leaves it out."""
    options = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    return {**schema, **options[0]} if len(options) == 1 else schema


def _bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"min_value": schema.get("minimum"), "max_value": schema.get("maximum")}


def _json_field(value: Any, *, label: str, help_text: str, required: bool = True) -> forms.Field:
    rows = min(12, 2 + len(json.dumps(value, indent=2, default=str).splitlines()))
    return _JSONField(
        label=gettext("%(name)s (JSON)") % {"name": label},
        initial=value,
        required=required,
        help_text=help_text,
        encoder=_Readable,
        widget=forms.Textarea(attrs={"rows": rows, "class": "mono", "spellcheck": "false"}),
    )


def _is_list_of_texts(schema: Mapping[str, Any]) -> bool:
    items = schema.get("items") or {}
    return schema.get("type") == "array" and items.get("type") == "string" and "enum" not in items


class _LinesField(forms.CharField):
    """A list of texts, one on each line."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs["help_text"] = " ".join([kwargs["help_text"], gettext("One on each line.")]).strip()
        super().__init__(**kwargs, widget=forms.Textarea(attrs={"rows": 3}))

    def prepare_value(self, value: Any) -> Any:
        """Return the text of the list."""
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        """Return the lines that hold something."""
        text = str(super().clean(value))
        return [line.strip() for line in text.splitlines() if line.strip()]


class _JSONField(JSONField):
    """JSON in which nothing is an empty field, not the word null."""

    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else super().prepare_value(value)


class _Readable(json.JSONEncoder):
    """JSON as people read it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "indent": 2, "ensure_ascii": False})


class BatchForm(forms.Form):
    """Like calls that are decided together, with one comment."""

    item = forms.MultipleChoiceField(widget=forms.MultipleHiddenInput)
    comment = forms.CharField(
        label=_("Comment"), required=False, max_length=2000, help_text=_("Told to the agents.")
    )

    def __init__(self, *args: Any, items: list[str] | None = None, **options: Any) -> None:
        """Offer these items (`id:hash`); without them any are taken and the service judges."""
        super().__init__(*args, **options)
        wanted = items
        if wanted is None:
            getlist = getattr(self.data, "getlist", None)
            wanted = list(getlist("item")) if getlist is not None else []
        field = self.fields["item"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(each, each) for each in wanted]
        field.initial = wanted

    def hashes(self) -> list[tuple[UUID, str]]:
        """Return id and hash of each item; what cannot be one is left out."""
        found = []
        for each in self.cleaned_data["item"]:
            name, _sep, decision_hash = each.partition(":")
            try:
                found.append((UUID(name), decision_hash))
            except ValueError:
                continue
        return found


class SettingsForm(forms.Form):
    """Who decides in the space, and how long a request waits."""

    deciders = forms.ChoiceField(label=_("Who decides"), choices=Deciders.choices)
    named_people = forms.ModelMultipleChoiceField(
        label=_("These people decide, too"),
        queryset=User.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    timeout_seconds = forms.TypedChoiceField(
        label=_("A request waits"),
        coerce=int,
        help_text=_("Then the agent goes on without the call. An agent's own setting wins."),
    )
    ask_for_high_risk = forms.BooleanField(
        label=_("Always ask before risky calls"),
        required=False,
        help_text=_("Deleting folders or tables, forced pushes and the like."),
    )

    def __init__(
        self, data: Any = None, *, rules: SpaceRules, space_id: int, is_disabled: bool = False
    ) -> None:
        """Show the rules; members of the space can be named."""
        super().__init__(
            data,
            initial={
                "deciders": rules.deciders,
                "named_people": list(rules.named_ids),
                "timeout_seconds": rules.timeout_seconds,
                "ask_for_high_risk": rules.ask_for_high_risk,
            },
        )
        people = self.fields["named_people"]
        assert isinstance(people, forms.ModelMultipleChoiceField)
        people.queryset = User.objects.filter(
            memberships__space_id=space_id, memberships__state="active"
        ).order_by("name", "email")
        times = self.fields["timeout_seconds"]
        assert isinstance(times, forms.TypedChoiceField)
        seconds = sorted({*TIMEOUTS, rules.timeout_seconds})
        times.choices = [(each, duration_words(each)) for each in seconds]
        for field in self.fields.values():
            field.disabled = is_disabled


def duration_words(seconds: int) -> str:
    """Return a time in the largest unit that it is a whole number of."""
    for unit, words in (
        (604_800, ngettext_lazy("%(n)s week", "%(n)s weeks", "n")),
        (86_400, ngettext_lazy("%(n)s day", "%(n)s days", "n")),
        (3600, ngettext_lazy("%(n)s hour", "%(n)s hours", "n")),
        (60, ngettext_lazy("%(n)s minute", "%(n)s minutes", "n")),
    ):
        if seconds % unit == 0 and seconds >= unit:
            return words % {"n": seconds // unit}
    return ngettext("%(n)s second", "%(n)s seconds", seconds) % {"n": seconds}
