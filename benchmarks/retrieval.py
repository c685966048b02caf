"""How well the right passage is found, through ingestion and the product's own search.

Every passage of a test set becomes a .txt document of one base; every question is asked with
`retrieve`. A document counts as found where its best passage stands. Runs in a throw-away
installation of its own (services, models, space), which is removed afterwards.

Beside ours stand others on the same passages with the same vectors (`_retrieval_peers.py`): BM25
over our terms, meaning alone, and LlamaIndex's fusion of both. They need a Python with bm25s and
llama-index, named in WEKNORA_PEERS_PYTHON.

    python benchmarks/retrieval.py [DIR] [--questions N] [--fast]

`--fast` splits, embeds in large batches and indexes with the product's functions, but without a job
a document; `--questions` asks only so many of each set, chosen by seed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._fill import fill_base
from benchmarks._installation import first_owner, throw_away_installation
from benchmarks._report import finish, no_data, print_table, progress, shared_data

NAME = "retrieval"
_THREADS = 2
_SMALL_BASES = 6


@dataclass(frozen=True, kw_only=True)
class Case:
    """Questions of one set asked on the passages of a set."""

    label: str
    passages: str
    questions: str
    hit_at_1: float | None = None
    """Least share in percent; None: not a target."""
    hit_at_5: float | None = None


CASES = (
    Case(
        label="SQuAD en",
        passages="squad11_1k_en",
        questions="squad11_1k_en",
        hit_at_1=83,
        hit_at_5=95,
    ),
    Case(
        label="CMRC zh", passages="cmrc_1k_zh", questions="cmrc_1k_zh", hit_at_1=97.5, hit_at_5=99.5
    ),
    Case(label="XQuAD zh", passages="xquad_zh", questions="xquad_zh", hit_at_1=94.5, hit_at_5=99),
    Case(
        label="XQuAD zh on en",
        passages="xquad_en",
        questions="xquad_zh",
        hit_at_1=78,
        hit_at_5=89,
    ),
    Case(label="XQuAD en", passages="xquad_en", questions="xquad_en"),
)


@dataclass(kw_only=True)
class Score:
    """What was found of a case's questions."""

    questions: int = 0
    first: int = 0
    in_five: int = 0
    reciprocal: float = 0.0
    gain: float = 0.0
    reranked: int = 0
    milliseconds: list[float] = field(default_factory=list)
    warnings: set[str] = field(default_factory=set)

    def row(self, label: str, target: str) -> list[str]:
        """Return the table's row."""
        spent = sorted(self.milliseconds) or [0.0]
        return [
            label,
            str(self.questions),
            f"{self.percent(self.first):.1f}",
            f"{self.percent(self.in_five):.1f}",
            f"{self.percent(self.reciprocal):.1f}",
            f"{self.percent(self.gain):.1f}",
            f"{self.percent(self.reranked):.0f}",
            f"{spent[len(spent) // 2]:.0f}",
            f"{spent[int(len(spent) * 0.95)]:.0f}",
            target,
        ]

    def add(self, documents: Sequence[str], gold: set[str]) -> None:
        """Count what one question found, best first."""
        from knowledge.evaluation.metrics import (  # noqa: PLC0415  after the settings
            hit_at,
            ndcg_at,
            reciprocal_rank,
        )

        self.questions += 1
        self.first += int(hit_at(documents, gold, k=1))
        self.in_five += int(hit_at(documents, gold, k=5))
        self.reciprocal += reciprocal_rank(documents, gold, k=10)
        self.gain += ndcg_at(documents, gold, k=10)

    def percent(self, count: float) -> float:
        """Return a share of the questions in percent."""
        return 100 * count / max(1, self.questions)


Ingest = Callable[[Any, str, Sequence[dict[str, Any]]], tuple[UUID, dict[str, str]]]
HEADER = [
    "set",
    "questions",
    "hit@1",
    "hit@5",
    "MRR@10",
    "nDCG@10",
    "reranked %",
    "ms",
    "ms p95",
    "target",
]


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dir", nargs="?", type=Path, default=shared_data("retrieval"))
    parser.add_argument(
        "--questions", type=int, help="ask only so many of each set, chosen by seed"
    )
    parser.add_argument("--fast", action="store_true", help="without a job a document")
    options = parser.parse_args()
    wanted = [options.dir / f"{case.passages}.passages.jsonl" for case in CASES]
    if not all(path.exists() for path in wanted):
        return no_data(NAME, options.dir)
    with throw_away_installation():
        return _measure(options.dir, options.questions, is_fast=options.fast)


def _measure(data: Path, at_most: int | None, *, is_fast: bool) -> int:
    from core.tenancy import space_scope  # noqa: PLC0415

    actor = first_owner()
    with space_scope(actor.space_id):
        ingest = fill_base if is_fast else _ingest
        rows, met = _measure_cases(actor, data, at_most, ingest)
        small_rows, small_met = _measure_small(actor, data, ingest)
    print_table(HEADER, rows + small_rows)
    value = "; ".join(f"{row[0]} {row[2]}/{row[3]}" for row in rows + small_rows)
    targets = "; ".join(f"{row[0]} {row[-1]}" for row in rows + small_rows if row[-1])
    return finish(NAME, value, target=targets, met=met and small_met)


def _measure_cases(
    actor: Any, data: Path, at_most: int | None, ingest: Ingest
) -> tuple[list[list[str]], bool]:
    bases: dict[str, tuple[UUID, dict[str, str]]] = {}
    rows, met = [], True
    for case in CASES:
        passages = _read(data / f"{case.passages}.passages.jsonl")
        if case.passages not in bases:
            bases[case.passages] = ingest(actor, case.passages, passages)
        base_id, names = bases[case.passages]
        questions = _read(data / f"{case.questions}.queries.jsonl")
        if at_most is not None and at_most < len(questions):
            questions = random.Random(42).sample(questions, at_most)  # noqa: S311
        asked = [(each["query"], _gold(each, case, names)) for each in questions]
        score = _ask(actor, base_id, asked, label=case.label)
        target = "/".join("-" if t is None else f"{t:g}" for t in (case.hit_at_1, case.hit_at_5))
        met &= score.percent(score.first) >= (case.hit_at_1 or 0)
        met &= score.percent(score.in_five) >= (case.hit_at_5 or 0)
        rows.append(score.row(case.label, "" if target == "-/-" else target))
        print_table(HEADER, [rows[-1], *_peer_rows(base_id, asked, case.label)])
        sys.stdout.flush()
    return rows, met


def _peer_rows(base_id: UUID, asked: Sequence[tuple[str, set[str]]], label: str) -> list[list[str]]:
    """Return the rows of other systems on the same passages and questions."""
    from benchmarks._rivals import ask_rivals  # noqa: PLC0415  after the settings

    rows = []
    for system, found in ask_rivals(base_id, [question for question, _ in asked]).items():
        score = Score()
        for (_, gold), chunks in zip(asked, found, strict=True):
            score.add(list(dict.fromkeys(chunks)), gold)
        rows.append(score.row(f"  {system}, {label}", ""))
    return rows


def _measure_small(actor: Any, data: Path, ingest: Ingest) -> tuple[list[list[str]], bool]:
    """Ask bases of one and of three documents; the three are neighbours of one article."""
    rows, met = [], True
    for size in (1, 3):
        score = Score()
        for number in range(_SMALL_BASES):
            name = "xquad_zh" if number % 2 else "xquad_en"
            passages = _read(data / f"{name}.passages.jsonl")[number * 30 :][:size]
            base_id, names = ingest(actor, f"{name} {size} {number}", passages)
            asked = [
                (each["query"], {names[gold] for gold in each["gold"]})
                for each in _read(data / f"{name}.queries.jsonl")
                if all(gold in names for gold in each["gold"])
            ]
            _ask(actor, base_id, asked, label=f"{size} documents", into=score)
        label = "base of one" if size == 1 else "base of three"
        met &= score.percent(score.first) >= 95 and score.in_five == score.questions
        rows.append(score.row(label, "95/100"))
    return rows, met


def _gold(question: dict[str, Any], case: Case, names: dict[str, str]) -> set[str]:
    """Return the names of the right documents; sets of two languages have parallel numbers."""
    ids = (each.rpartition("-")[2] for each in question["gold"])
    prefix = next(iter(names)).rpartition("-")[0]
    if case.passages == case.questions:
        return {names[each] for each in question["gold"]}
    return {names[f"{prefix}-{number}"] for number in ids}


def _ingest(
    actor: Any, name: str, passages: Sequence[dict[str, Any]]
) -> tuple[UUID, dict[str, str]]:
    """Put each passage into a new base as a document; return the base and the documents' names."""
    from core.tenancy import space_scope  # noqa: PLC0415
    from knowledge.constants import OPEN_STATES, DocumentState  # noqa: PLC0415
    from knowledge.models import Document  # noqa: PLC0415
    from knowledge.services.bases import create_base  # noqa: PLC0415
    from knowledge.services.documents import add_document  # noqa: PLC0415
    from weknora_site.terminal import wait_until  # noqa: PLC0415

    start = time.monotonic()
    base = create_base(actor, name=name)
    # Names say nothing, so that only the text is searched.
    names = {each["id"]: f"{number:04}.txt" for number, each in enumerate(passages)}
    for each in passages:
        add_document(actor, base_id=base.pk, name=names[each["id"]], content=each["text"].encode())

    def done() -> bool:
        with space_scope(actor.space_id):
            return not Document.objects.filter(base=base, state__in=OPEN_STATES).exists()

    wait_until(done, queue="ingest")
    bad = Document.objects.filter(base=base).exclude(state=DocumentState.COMPLETED)
    if bad.exists():
        raise SystemExit(f"{bad.count()} documents of {name} failed, first: {bad[0].reason}")
    spent = time.monotonic() - start
    progress(f"{name}: {len(passages)} documents in {spent:.0f} s")
    return base.pk, names


def _ask(
    actor: Any,
    base_id: UUID,
    asked: Sequence[tuple[str, set[str]]],
    *,
    label: str,
    into: Score | None = None,
) -> Score:
    from django.db import connection  # noqa: PLC0415

    from core.tenancy import space_scope  # noqa: PLC0415
    from knowledge.retrieval.hits import Retrieval  # noqa: PLC0415
    from knowledge.retrieval.retrieve import retrieve  # noqa: PLC0415
    from knowledge.retrieval.scope import Scope  # noqa: PLC0415
    from knowledge.retrieval.settings import RetrievalSettings  # noqa: PLC0415

    def search(question: str) -> tuple[Retrieval, float]:
        start = time.perf_counter()
        try:
            with space_scope(actor.space_id):
                found = retrieve(
                    actor,
                    query=question,
                    scope=Scope(base_ids=(base_id,)),
                    settings=RetrievalSettings(limit=20),
                )
        finally:
            connection.close()
        return found, (time.perf_counter() - start) * 1000

    score = Score() if into is None else into
    with ThreadPoolExecutor(_THREADS) as pool:
        results = list(pool.map(search, [question for question, _ in asked]))
    for (_, gold), (found, spent) in zip(asked, results, strict=True):
        documents = list(dict.fromkeys(hit.document_name for hit in found.hits))
        score.add(documents, gold)
        score.reranked += found.trace.rerank_mode != "none"
        score.milliseconds.append(spent)
        score.warnings.update(found.warnings)
    for warning in score.warnings:
        progress(f"{label}: {warning}")
    shares = f"{score.percent(score.first):.1f}/{score.percent(score.in_five):.1f}"
    progress(f"{label}: {score.questions} questions asked, {shares}")
    return score


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
