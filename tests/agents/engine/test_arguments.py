"""Reading, repairing and validating what a model wrote."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from agents.engine.arguments import is_unfinished, read_arguments, validate_arguments
from agents.engine.errors import ToolFailed

SCHEMA = {
    "type": "object",
    "properties": {
        "queries": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "limit": {"type": "integer", "maximum": 100},
        "note": {"type": "string"},
    },
    "required": ["queries"],
    "additionalProperties": False,
}


def read(
    text: str, *, may_be_cut: bool = False, has_side_effects: bool = False
) -> dict[str, object]:
    return read_arguments(text, may_be_cut=may_be_cut, has_side_effects=has_side_effects)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        ("  ", {}),
        ("{'a': 'b'}", {"a": "b"}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('[{"a": 1}]', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('{"a": "x', {"a": "x"}),
        ('{"a": "nul\\u0000 \\ud800"}', {"a": "nul �"}),
    ],
)
def test_arguments_are_read_and_repaired(text: str, expected: dict[str, object]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", ["null", "[]", "3", "no JSON at all", "{" * 5000, "[1, 2]"])
def test_what_is_no_object_is_refused_with_the_right_form(text: str) -> None:
    with pytest.raises(ToolFailed, match="not a JSON object"):
        read(text)


@pytest.mark.parametrize(
    "text", ['{"a": "' + "x" * 20_000, "{" * 5_000, '{"a":' * 5_000, "[" * 5_000], ids=len
)
def test_large_nonsense_is_refused_without_much_work(text: str) -> None:
    with pytest.raises(ToolFailed):
        read(text)


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1e999}', '{"a": Infinity}'])
def test_numbers_that_are_no_json_do_not_get_through(text: str) -> None:
    try:
        value = read(text)["a"]
    except ToolFailed:
        return
    assert isinstance(value, str)


@pytest.mark.parametrize("text", ['{"text": "half a sen', '{"text": "x"', '{"a": [1, 2'])
@pytest.mark.parametrize(
    ("may_be_cut", "has_side_effects"), [(True, False), (False, True)], ids=["cut", "effects"]
)
def test_a_cut_call_is_not_completed_by_guesswork(
    text: str, may_be_cut: bool, has_side_effects: bool
) -> None:
    with pytest.raises(ToolFailed, match="cut off") as caught:
        read(text, may_be_cut=may_be_cut, has_side_effects=has_side_effects)
    assert caught.value.code == "cut_arguments"


def test_a_whole_call_in_a_cut_turn_is_run() -> None:
    assert read('{"a": 1}', may_be_cut=True, has_side_effects=True) == {"a": 1}


@given(text=st.text(max_size=200))
@settings(deadline=None, max_examples=200, derandomize=True)
def test_any_text_gives_an_object_or_a_failure_for_the_model(text: str) -> None:
    try:
        value: object = read(text)
    except ToolFailed as failure:
        value = {"failed": failure.message}
    assert isinstance(value, dict)
    assert value.get("failed", "told")


@given(value=st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=9), min_size=1))
@settings(deadline=None, max_examples=100, derandomize=True)
def test_no_beginning_of_an_object_counts_as_finished(value: dict[str, object]) -> None:
    text = json.dumps(value)
    assert not is_unfinished(text)
    assert all(is_unfinished(text[:size]) for size in range(1, len(text)))


def test_a_failed_validation_tells_what_would_be_right() -> None:
    with pytest.raises(ToolFailed) as caught:
        validate_arguments("search", {"queries": [], "limit": 500}, SCHEMA)
    message = caught.value.message
    assert "queries: [] should be non-empty" in message
    assert "limit: 500 is greater than the maximum of 100" in message
    assert '"required": ["queries"]' in message
    assert '"minItems": 1' in message
    assert "note" not in message
    assert caught.value.code == "bad_arguments"


def test_an_unknown_argument_is_named() -> None:
    with pytest.raises(ToolFailed, match="'colour' was unexpected"):
        validate_arguments("search", {"queries": ["a"], "colour": "red"}, SCHEMA)


def test_long_values_do_not_flood_the_message() -> None:
    with pytest.raises(ToolFailed) as caught:
        validate_arguments("search", {"queries": "x" * 50_000}, SCHEMA)
    assert len(caught.value.message) < 3_000


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/schema.json"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/missing"}}},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
        {"type": 3},
    ],
    ids=["remote reference", "missing reference", "bad pattern", "no schema"],
)
def test_a_foreign_tools_broken_schema_is_not_followed(schema: dict[str, object]) -> None:
    validate_arguments("foreign", {"a": "x"}, schema)
