"""Languages by script and function words; terms that meet in question and passage."""

from __future__ import annotations

import pytest

from providers.local.extractive.language import detect_language, same_language, terms


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Which airplanes does it apply to?", "en"),
        ("Wie hoch ist die Summe?", "de"),
        ("¿Cuál es la capital de España?", "es"),
        ("谁承担运输费用？", "zh"),
        ("PandocUnknownReaderError 的代码是多少？", "zh"),
        ("東京タワーの高さは？", "ja"),
        ("위약금은 얼마입니까?", "ko"),
        ("Кто автор?", "ru"),
        ("xyz 123", "latin"),
        ("", "latin"),
    ],
)
def test_language_is_told_by_script_and_small_words(text: str, language: str) -> None:
    assert detect_language(text) == language


def test_an_unplaced_latin_text_may_be_any_latin_language() -> None:
    assert same_language("latin", "de")
    assert not same_language("latin", "zh")
    assert not same_language("en", "de")


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("How many airplanes fly?", "An airplane flies.", {"airplan", "fli"}),
        ("RO-20221108 total", "order ro-20221108", {"20221108", "ro20221108"}),
        ("总额 5,738", "5738 元", {"5738"}),
        ("运输费用", "承担运输", {"运输"}),
        ("タワーの高さ", "高さは333メートル", {"高さ"}),
        ("계약 기간", "계약을 맺다", {"계약"}),
    ],
)
def test_terms_meet_over_forms_and_separators(first: str, second: str, shared: set[str]) -> None:
    assert terms(first) & terms(second) == shared


@pytest.mark.parametrize(
    "text", ["What is the of and?", "的是什么？", "これはですか", "무엇입니까?", "?!", ""]
)
def test_questions_without_content_have_no_terms(text: str) -> None:
    assert terms(text) == set()
