"""Bending arguments to a schema."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from agents.engine.casting import cast_arguments


def cast(value: object, schema: dict[str, object]) -> object:
    whole = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    return cast_arguments({"v": value}, whole)["v"]


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ("true", {"type": "boolean"}, True),
        ("False", {"type": "boolean"}, False),
        ("maybe", {"type": "boolean"}, "maybe"),
        ("3", {"type": "integer"}, 3),
        ("3.0", {"type": "integer"}, 3),
        (3.0, {"type": "integer"}, 3),
        ("3.5", {"type": "integer"}, "3.5"),
        ("2.5", {"type": "number"}, 2.5),
        ("٣", {"type": "integer"}, "٣"),
        (3, {"type": "string"}, "3"),
        (True, {"type": "string"}, "true"),
        (["a"], {"type": "string"}, "a"),
        ("a", {"type": "array", "items": {"type": "string"}}, ["a"]),
        ('["a", "b"]', {"type": "array", "items": {"type": "string"}}, ["a", "b"]),
        (["1", 2], {"type": "array", "items": {"type": "integer"}}, [1, 2]),
        ('{"x": "1"}', {"type": "object", "properties": {"x": {"type": "integer"}}}, {"x": 1}),
        ("Pending", {"type": "string", "enum": ["pending", "done"]}, "pending"),
        ("In Progress", {"type": "string", "enum": ["in_progress"]}, "in_progress"),
        ("3", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3),
        (None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}, None),
        ("3", {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "3"),
        ("3", {"type": ["integer", "null"]}, 3),
        ({"a": 1}, {}, {"a": 1}),
    ],
)
def test_values_are_cast(value: object, schema: dict[str, object], expected: object) -> None:
    result = cast(value, schema)
    assert result == expected
    assert type(result) is type(expected)


SCHEMA = {
    "type": "object",
    "properties": {"queries": {"type": "array"}, "limit": {"type": "integer"}},
    "required": ["queries"],
}


def test_a_needless_wrapper_is_taken_off() -> None:
    assert cast_arguments({"arguments": {"queries": ["a"]}}, SCHEMA) == {"queries": ["a"]}


def test_a_slightly_wrong_name_is_corrected_when_it_can_only_mean_one() -> None:
    assert cast_arguments({"query": "a"}, SCHEMA) == {"queries": ["a"]}
    assert cast_arguments({"colour": "a"}, SCHEMA) == {"colour": "a"}


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_optional_nothing_is_left_out(nothing: object) -> None:
    assert cast_arguments({"queries": ["a"], "limit": nothing}, SCHEMA) == {"queries": ["a"]}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(value=json_values, kind=st.sampled_from(["string", "integer", "number", "boolean", "array"]))
@settings(deadline=None, max_examples=300, derandomize=True)
def test_casting_twice_changes_nothing_more(value: object, kind: str) -> None:
    once = cast(value, {"type": kind})
    assert cast(once, {"type": kind}) == once
