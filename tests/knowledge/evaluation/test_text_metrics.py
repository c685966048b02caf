"""Measures of words against values of nltk (smoothing method 2) and rouge-score."""

from __future__ import annotations

import pytest

from knowledge.evaluation.text_metrics import text_metrics, words_of

KNOWN = [
    (
        "the cat sat on the mat",
        "the cat is on the mat",
        (0.833333333, 0.745355992, 0.485491772, 0.833333333, 0.6, 0.833333333),
    ),
    (
        "check the flaps before take off",
        "before every take off check the flaps and the rudder",
        (0.513417119, 0.419203322, 0.260884052, 0.75, 0.428571429, 0.375),
    ),
    ("a b c d e f g", "a b c d e f g", (1.0,) * 6),
    ("no common words here", "entirely other text", (0.0,) * 6),
]
NAMES = ("bleu1", "bleu2", "bleu4", "rouge1", "rouge2", "rougeL")


@pytest.mark.parametrize(("answer", "reference", "values"), KNOWN)
def test_values_are_those_of_nltk_and_rouge_score(
    answer: str, reference: str, values: tuple[float, ...]
) -> None:
    found = text_metrics(answer, reference)
    assert [found[name] for name in NAMES] == pytest.approx(values, abs=1e-9)


def test_an_empty_answer_is_nothing_and_no_error() -> None:
    assert set(text_metrics("", "some words").values()) == {0.0}
    assert set(text_metrics("some words", "").values()) == {0.0}


def test_words_are_those_of_the_language_without_citations() -> None:
    assert words_of("起飞前检查襟翼 [1] ABC-12") == ["起飞前", "检查", "襟翼", "abc", "12"]
    assert words_of("カメラ") == ["カ", "メ", "ラ"]
    assert words_of("Don’t [12] STOP") == ["don", "t", "stop"]


def test_the_same_chinese_answer_in_other_words_is_partly_the_same() -> None:
    found = text_metrics("起飞前检查襟翼", "起飞之前请检查襟翼")
    assert 0 < found["rougeL"] < 1
