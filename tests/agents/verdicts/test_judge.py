"""Verdicts by words: what is borne out, what is not, what words cannot decide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.verdicts.judge import judge
from agents.verdicts.sentences import split_answer
from agents.verdicts.values import Judgement, Passage

CASES = Path(__file__).parents[2] / "data" / "verdicts" / "cases.jsonl"
PASSAGES = (
    Passage(
        marker=1,
        heading="Season report › Final",
        text="The Panthers gave up just 308 points, ranking sixth in the league. Kawann Short led the team"
        " in sacks with 11. The final was played on February 7, 2016 at Levi's Stadium. Revenue increased"
        " to $1.5 million in 2015.",
    ),
    Passage(marker=2, text="决赛于2016年2月7日举行，共有七万一千人观看。门票收入下降百分之二十。"),
    Passage(
        marker=3,
        text="| (In millions) | | |\n|---|---|---|\n| | 2019 | 2018 |\n| Net sales | 793.4 | 640.1 |\n"
        "| Assets | 12.5 | 11.0 |",
    ),
)


def of(answer: str) -> Judgement:
    (sentence,) = split_answer(answer)
    return judge(sentence, PASSAGES)


def codes(answer: str) -> list[str]:
    return [each.code for each in of(answer).reasons]


@pytest.mark.parametrize(
    "answer",
    [
        "The Panthers gave up 308 points [1].",
        "The Panthers gave up just 308 points, ranking sixth in the league. [1]",
        "The final was played on 7 February 2016 [1].",
        "The final was at Levi's Stadium in 2016 [1].",
        "Revenue increased to 1,500,000 dollars in 2015 [1].",
        "决赛于2016-02-07举行，共有71,000人观看 [2]。",
        "门票收入下降20% [2]。",
        "Net sales in 2019 were 793.4 million [3].",
        "| Assets | 12.5 | [3] |",
    ],
)
def test_supported(answer: str) -> None:
    assert of(answer).state == "supported", of(answer).reasons


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("The Panthers gave up 318 points [1].", "number_differs"),
        ("Kawann Short led the team with 308 sacks [1].", "number_differs"),
        ("The final was played on 8 February 2016 [1].", "date_differs"),
        ("Revenue increased to $1.5 billion in 2015 [1].", "unit_differs"),
        ("Revenue increased to 1.5 million euros in 2015 [1].", "unit_differs"),
        ("决赛于2016年3月7日举行 [2]。", "date_differs"),
        ("门票收入下降百分之十 [2]。", "number_differs"),
        ("Net sales in 2019 were 793.4 billion [3].", "unit_differs"),
        ("Revenue decreased to $1.5 million in 2015 [1].", "direction_differs"),
        ("The Panthers gave up 308 points [7].", "no_source"),
    ],
)
def test_unsupported(answer: str, code: str) -> None:
    assert of(answer).state == "unsupported"
    assert code in codes(answer)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("Kawann Short did not lead the team in sacks with 11 [1].", "negation_differs"),
        ("Thomas Davis led the team in sacks with 11 [1].", "name_missing"),
        ("The Panthers gave up 308 points [2].", "other_source"),
        ("比赛在2016年2月7日举行 [1]。", "other_language"),
        ("The Panthers gave up about 300 points [1].", ""),
    ],
)
def test_partly(answer: str, code: str) -> None:
    if not code:  # rounded and said so
        assert of(answer).state == "supported"
        return
    assert of(answer).state == "partly"
    assert code in codes(answer)


def test_what_is_of_another_subject_is_unsupported() -> None:
    assert of("The weather in Berlin was rainy all week [1].").state == "unsupported"


def test_a_source_without_a_kept_passage_is_left_open() -> None:
    (sentence,) = split_answer("It rains [9].")
    verdict = judge(sentence, PASSAGES, cited_elsewhere=frozenset({9}))
    assert (verdict.state, verdict.reasons[0].code) == ("partly", "passage_not_kept")


def test_what_the_source_has_instead_is_told() -> None:
    (reason,) = of("The Panthers gave up 318 points [1].").reasons
    assert (reason.claimed, reason.found) == ("318", "308")


def test_seeded_contradictions_are_marked() -> None:
    """Forty of the cases of `benchmarks/verdicts.py`: all but two at most are marked."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 40
    missed, false_alarms = [], []
    for case in cases:
        passages = [Passage(marker=1, text=case["passage"])]
        wrong = [judge(each, passages) for each in split_answer(f"{case['answer']} [1]")]
        right = [judge(each, passages) for each in split_answer(f"{case['was']} [1]")]
        if all(each.state == "supported" for each in wrong):
            missed.append(case["answer"])
        if any(each.state == "unsupported" for each in right):
            false_alarms.append(case["was"])
    assert len(missed) <= 2, missed
    assert false_alarms == []
