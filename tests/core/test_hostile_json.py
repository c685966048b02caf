"""JSON that people and models wrote."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from core.hostile_json import MAX_DEPTH, JSONField, TooDeep, read_json


@pytest.mark.parametrize("text", ["[" * 5000 + "]" * 5000, '{"a":' * 90 + "1" + "}" * 90])
def test_what_nests_too_deep_is_refused(text: str) -> None:
    with pytest.raises(TooDeep):
        read_json(text)
    with pytest.raises(ValidationError, match="nested too deep"):
        JSONField().clean(text)


def test_brackets_inside_of_texts_do_not_nest() -> None:
    brackets = "[" * (MAX_DEPTH + 5)
    assert read_json(f'["{brackets}", "\\"{brackets}"]')[0] == brackets


def test_broken_text_is_told_as_ever() -> None:
    with pytest.raises(ValidationError, match="Enter a valid JSON"):
        JSONField().clean("{no")
