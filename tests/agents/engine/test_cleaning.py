"""Text that every store takes."""

from __future__ import annotations

import json

from hypothesis import given, settings, strategies as st

from agents.engine.cleaning import TextCleaner, clean_json, clean_text


@given(text=st.text(alphabet=st.characters(codec=None), max_size=50))
@settings(deadline=None, max_examples=200, derandomize=True)
def test_cleaned_text_can_be_stored(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode()
    assert "\x00" not in cleaned
    assert clean_text(cleaned) == cleaned


@given(text=st.text(alphabet="a😀\x00", max_size=20), cut=st.integers(0, 60))
@settings(deadline=None, max_examples=100, derandomize=True)
def test_a_stream_of_surrogates_gives_the_same_text(text: str, cut: int) -> None:
    halves = text.encode("utf-16-le")
    units = [
        halves[i : i + 2].decode("utf-16-le", "surrogatepass") for i in range(0, len(halves), 2)
    ]
    joined = "".join(units)
    cleaner = TextCleaner()
    assert cleaner.feed(joined[:cut]) + cleaner.feed(joined[cut:]) == text.replace("\x00", "")


def test_values_become_json() -> None:
    cleaned = clean_json({"a": float("inf"), 2: ("x\x00", {"b": {3}}), "c": None, "d": True})
    assert json.loads(json.dumps(cleaned, allow_nan=False)) == {
        "a": None,
        "2": ["x", {"b": "{3}"}],
        "c": None,
        "d": True,
    }
