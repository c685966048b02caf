"""Whether verdicts on sentences mark what is wrong, without a model.

Sentences with figures of the shared questions' passages are answers that cite their passage; 200 of
them get a wrong number, date or unit, others another document's passage or the opposite meaning.
Every seed is fixed, so that two runs judge the same cases.

    python benchmarks/verdicts.py [DIR] [--show] [--write FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.verdicts.judge import judge
from agents.verdicts.sentences import split_answer
from agents.verdicts.values import Judgement, Passage
from benchmarks._report import finish, no_data, print_table, progress, shared_data
from benchmarks._verdict_seeds import (
    CONTRADICTIONS,
    WRONG,
    Case,
    contradictions,
    misplaced,
    opposite,
    reworded,
    true_cases,
)

NAME = "verdicts"
SEEDED = 200
OTHERS = 150
LEAST_MARKED = 95.0
MOST_MISSED = 2.0
LEAST_TRUE = 90.0
_WRITTEN = 40


def main() -> int:
    """Judge all cases and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dir", nargs="?", type=Path, default=shared_data("qa"))
    parser.add_argument("--show", action="store_true", help="print what was judged wrongly")
    parser.add_argument("--write", type=Path, help="write 40 of the wrong cases, for the tests")
    options = parser.parse_args()
    if not (options.dir / "questions.jsonl").exists():
        return no_data(NAME, options.dir)
    cases = make_cases(options.dir)
    if options.write:
        _write(cases, options.write)
    judged = [(case, verdict_of(case)) for case in cases]
    if options.show:
        _show(judged)
    return _report(judged)


def make_cases(folder: Path) -> list[Case]:
    """Return true and wrong answers, the same each time."""
    questions = _read(folder / "questions.jsonl")
    documents = {each["doc_id"]: each for each in _read(folder / "documents.jsonl")}
    truths = true_cases(questions, documents)
    chance = random.Random(20261130)  # noqa: S311  # seeds of a benchmark
    chance.shuffle(truths)
    seeded = [wrong for case in truths for wrong in contradictions(case, chance)]
    chance.shuffle(seeded)
    rewordings = [each for case in truths if (each := reworded(case)) is not None]
    opposites = [each for case in truths if (each := opposite(case)) is not None][:OTHERS]
    return [*truths, *rewordings, *_mixed(seeded), *_misplaced(truths), *opposites]


def verdict_of(case: Case) -> Judgement:
    """Return the verdict on the case's one sentence; the worst where it was cut into several."""
    worst = {"supported": 0, "partly": 1, "unsupported": 2}
    passages = [Passage(marker=1, text=case.passage)]
    found = [judge(each, passages) for each in split_answer(f"{case.answer} [1]")]
    return max(found, key=lambda each: worst[each.state])


def _mixed(seeded: Sequence[Case]) -> list[Case]:
    """Return 200 contradictions, of each kind as evenly as there are."""
    by_kind = {kind: [each for each in seeded if each.kind == kind] for kind in CONTRADICTIONS}
    found: list[Case] = []
    while len(found) < SEEDED and any(by_kind.values()):
        for rows in by_kind.values():
            if rows and len(found) < SEEDED:
                found.append(rows.pop())
    return found


def _misplaced(truths: Sequence[Case]) -> list[Case]:
    found = []
    for case, other in zip(truths, [*truths[7:], *truths[:7]], strict=True):
        if case.lang == other.lang and case.passage != other.passage:
            found.append(misplaced(case, other))
    return found[:OTHERS]


def _report(judged: Sequence[tuple[Case, Judgement]]) -> int:
    counts: dict[tuple[str, str], Counter[str]] = {}
    for case, verdict in judged:
        counts.setdefault((case.kind, case.lang), Counter())[verdict.state] += 1
        counts.setdefault((case.kind, "all"), Counter())[verdict.state] += 1
    rows = [
        [f"{kind}, {lang}", found.total(), *(_share(found, state) for state in _STATES)]
        for (kind, lang), found in sorted(counts.items())
    ]
    print_table(["answers", "n", *(f"{state} %" for state in _STATES)], rows)
    seeded = _sum(counts, CONTRADICTIONS)
    marked = 100 - 100 * seeded["supported"] / seeded.total()
    wrong = _sum(counts, WRONG)
    missed = 100 * wrong["supported"] / wrong.total()
    true = _sum(counts, ("true", "reworded"))
    kept = 100 * true["supported"] / true.total()
    value = (
        f"{marked:.1f} % of {seeded.total()} contradictions marked;"
        f" {missed:.1f} % of {wrong.total()} wrong sentences shown as supported;"
        f" {kept:.1f} % of {true.total()} true ones supported"
    )
    target = f">= {LEAST_MARKED:g} %; < {MOST_MISSED:g} %; >= {LEAST_TRUE:g} %"
    met = marked >= LEAST_MARKED and missed < MOST_MISSED and kept >= LEAST_TRUE
    return finish(NAME, value, target=target, met=met)


_STATES = ("supported", "partly", "unsupported")


def _sum(counts: dict[tuple[str, str], Counter[str]], kinds: Sequence[str]) -> Counter[str]:
    return sum((counts.get((kind, "all"), Counter()) for kind in kinds), Counter())


def _share(found: Counter[str], state: str) -> str:
    return f"{100 * found[state] / found.total():.1f}"


def _show(judged: Sequence[tuple[Case, Judgement]]) -> None:
    for case, verdict in judged:
        if (verdict.state == "supported") == (case.kind in WRONG):
            reasons = [(each.code, each.claimed, each.found) for each in verdict.reasons]
            progress(
                f"{case.kind} {case.lang} {verdict.state}: {case.answer}\n   {reasons}\n   was: {case.was}"
            )


def _write(cases: Sequence[Case], path: Path) -> None:
    wrong = [each for each in cases if each.kind in CONTRADICTIONS and len(each.passage) < 1500]
    shown = wrong[:: max(1, len(wrong) // _WRITTEN)][:_WRITTEN]
    lines = [json.dumps(asdict(each), ensure_ascii=False) for each in shown]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
