"""Names: what cannot be seen is taken out, what people write stays."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from core.names import clean_name


@pytest.mark.parametrize(
    "hidden",
    [*map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))), *"\u200b\u200c\u200d\u2060\ufeff"]
    + [*"\u200e\u200f\u061c\u00ad\u180e\u3164\ud800\x00\x1b", "\U000e0041"],
    ids=lambda each: f"U+{ord(each):04X}",
)
def test_a_name_has_no_hidden_character(hidden: str) -> None:
    assert clean_name(f"{hidden}Pay{hidden}roll{hidden}") == "Payroll"
    assert clean_name(hidden) == ""


@pytest.mark.parametrize(
    "name",
    [
        "Zoë O’Neil-Ω",
        "人事部 (東京)",
        "한국어 자료",
        "عربي ١٢",
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d💻 Team",
        "🏳️\u200d🌈",
    ],
)
def test_what_people_write_stays(name: str) -> None:
    assert clean_name(name) == name


def test_blanks_are_single() -> None:
    assert clean_name(" a \t\n b\u3000 \u200b c ") == "a b c"


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean_name(clean_name(text)) == clean_name(text)
