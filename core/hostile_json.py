"""Reading JSON that people and models wrote: bounded in depth, so that nothing recurses too far."""

from __future__ import annotations

import json
import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput
from django.utils.translation import gettext as _

MAX_DEPTH = 40
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')


class TooDeep(ValueError):
    """The text nests deeper than anything that makes sense."""


def read_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        TooDeep: it nests more than `MAX_DEPTH` levels.
        ValueError: it is no JSON.
    """
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise TooDeep(f"more than {MAX_DEPTH} levels")
        elif found[0] in "]}":
            depth -= 1
    return json.loads(text)


class JSONField(forms.JSONField):
    """Django's field, which refuses what nests too deep instead of failing on it."""

    def to_python(self, value: Any) -> Any:
        """Return the value; the depth is looked at first."""
        if isinstance(value, str) and value not in self.empty_values:
            try:
                read_json(value)
            except TooDeep:
                text = _("This is nested too deep: %(n)s levels are the most.") % {"n": MAX_DEPTH}
                raise ValidationError(text) from None
            except ValueError:
                pass  # Django says what is wrong
        return super().to_python(value)

    def bound_data(self, data: Any, initial: Any) -> Any:
        """Return what the form shows again: the text itself when it nests too deep."""
        try:
            read_json(data or "")
        except TooDeep:
            return InvalidJSONInput(data)
        except ValueError:
            pass
        return super().bound_data(data, initial)
