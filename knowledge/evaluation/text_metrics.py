"""How near an answer's words are to those of a reference. Pure functions over lists of words.

BLEU is of one sentence: Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine
Translation", ACL 2002, smoothed by Lin and Och, "ORANGE", COLING 2004 (one is added to count and
total of pairs and longer runs), so that a short answer without a common run of four words is not 0.
ROUGE-N and ROUGE-L are F1 of common runs and of the longest common subsequence: Lin, "ROUGE: A
Package for Automatic Evaluation of Summaries", 2004. Every value lies in 0..1.

Such measures see words, not meaning: they tell two answers apart that differ little, and nothing
about whether one is true.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

import rjieba

from knowledge.text.analyze import fold
from knowledge.text.scripts import HAN, HIRAGANA, KATAKANA, UNSPACED

_CITATION = re.compile(r"\[\d{1,3}\]")
_RUN = re.compile(
    rf"(?P<han>[{HAN}]+)|(?P<single>[{HIRAGANA}{KATAKANA}{UNSPACED}])"
    rf"|(?P<word>[^\W_{HAN}{HIRAGANA}{KATAKANA}{UNSPACED}]+)"
)
_LONGEST = 2_000
"""Words that are compared: the longest common subsequence takes time by their product."""


def words_of(text: str) -> list[str]:
    """Return the words of a text without citations: Chinese by the dictionary, kana one by one."""
    words: list[str] = []
    for run in _RUN.finditer(fold(_CITATION.sub(" ", text))):
        if run.lastgroup == "han":
            words += rjieba.cut(run.group())
        else:
            words.append(run.group())
    return words[:_LONGEST]


def bleu(answer: Sequence[str], reference: Sequence[str], *, n: int) -> float:
    """Return BLEU-n of words against one reference: equal weights, with the brevity penalty."""
    if not answer or not reference:
        return 0.0
    logs = 0.0
    for size in range(1, n + 1):
        common, total = _common_runs(answer, reference, size)
        extra = int(size > 1)
        if not common + extra:
            return 0.0
        logs += math.log((common + extra) / (total + extra)) / n
    brevity = min(0.0, 1 - len(reference) / len(answer))
    return math.exp(brevity + logs)


def rouge_n(answer: Sequence[str], reference: Sequence[str], *, n: int) -> float:
    """Return ROUGE-n: F1 of the runs of `n` words that both have."""
    common, answered = _common_runs(answer, reference, n)
    return _f1(common, answered, max(0, len(reference) - n + 1))


def rouge_l(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Return ROUGE-L: F1 of the longest common subsequence."""
    return _f1(_longest_common(answer, reference), len(answer), len(reference))


def text_metrics(answer: str, reference: str) -> Mapping[str, float]:
    """Return every measure of an answer against its reference, by its name in results."""
    words, wanted = words_of(answer), words_of(reference)
    return {
        "bleu1": bleu(words, wanted, n=1),
        "bleu2": bleu(words, wanted, n=2),
        "bleu4": bleu(words, wanted, n=4),
        "rouge1": rouge_n(words, wanted, n=1),
        "rouge2": rouge_n(words, wanted, n=2),
        "rougeL": rouge_l(words, wanted),
    }


def _common_runs(answer: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    """Return how many runs of `n` words both have, and how many the answer has."""
    ours, theirs = _runs(answer, n), _runs(reference, n)
    return sum((ours & theirs).values()), sum(ours.values())


def _runs(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    above = [0] * (len(second) + 1)
    for word in first:
        row = [0]
        for at, other in enumerate(second):
            row.append(above[at] + 1 if word == other else max(above[at + 1], row[at]))
        above = row
    return above[-1]


def _f1(common: int, answered: int, wanted: int) -> float:
    if not common:
        return 0.0
    precision, recall = common / answered, common / wanted
    return 2 * precision * recall / (precision + recall)
