"""How a search grows with its base: time, how near the index comes to an exact search, building.

Real passages and questions of the shared retrieval sets, as the built-in model embeds them, are
multiplied with noise: a copy leans towards another passage, loses some of its terms and takes some
of the other's. They are loaded in bulk into the product's own tables and indexes, in a throw-away
installation, beside a second base that no question is about. Each question is asked with the
product's `retrieve`, limited to the base; embedding the question and reranking, which cost the same
in every base, are left out.

    python benchmarks/search_scale.py [--chunks N …] [--questions N]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks._installation import first_owner, throw_away_installation
from benchmarks._report import finish, no_data, print_table, progress, shared_data

if TYPE_CHECKING:
    from accounts.access import Actor
    from knowledge.models import KnowledgeBase
    from providers.contracts.embedding import InputKind
    from providers.local.e5 import E5

NAME = "search_scale"
SETS = ("squad11_1k_en", "cmrc_1k_zh", "xquad_en", "xquad_zh")
SIZES = (10_000, 50_000, 200_000)
P95_MS = 60.0
AT = 200_000
RECALL = 0.98
BESIDE = 4
"""The other base has a quarter of the passages."""
_TOP = 10
_KEPT = Path(__file__).resolve().parent.parent / "var" / "bench"
_ROUNDS = 3
"""Times that each question is timed; the least counts, for others use this machine, too."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """What the bases are made of."""

    texts: list[str]
    vectors: np.ndarray
    questions: list[str]
    question_vectors: np.ndarray
    identity: str


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One size."""

    chunks: int
    p50_ms: float
    p95_ms: float
    recall: float
    load_seconds: float
    build_seconds: float
    slowest: str

    def row(self) -> list[str]:
        """Return the table's row."""
        return [
            f"{self.chunks:,}",
            f"{self.p50_ms:.1f}",
            f"{self.p95_ms:.1f}",
            f"{self.recall:.3f}",
            f"{self.load_seconds:.0f}",
            f"{self.build_seconds:.0f}",
            self.slowest,
        ]


HEADER = ["chunks", "p50 ms", "p95 ms", "recall@10", "load s", "build s", "stages p50 ms"]


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    folder = shared_data("retrieval")
    if not all((folder / f"{name}.passages.jsonl").exists() for name in SETS):
        return no_data(NAME, folder)
    with throw_away_installation(models=False):
        actor = first_owner()
        material = _material(folder, options.questions)
        measured = [_measure(actor, material, size) for size in sorted(options.chunks)]
    return _report(measured)


def _report(measured: Sequence[Measured]) -> int:
    last = measured[-1]
    grown = [
        (one, other)
        for one, other in zip(measured, measured[1:], strict=False)
        if one.chunks >= 20_000
    ]
    is_flat = all(b.p50_ms / a.p50_ms < b.chunks / a.chunks for a, b in grown)
    is_fast = all(each.p95_ms < P95_MS for each in measured if each.chunks <= AT)
    value = f"{last.chunks:,} chunks: p95 {last.p95_ms:.0f} ms, recall@10 {last.recall:.3f}"
    return finish(
        NAME,
        value,
        target=f"p95 < {P95_MS:.0f} ms to {AT:,}, recall >= {RECALL}, less than linear",
        met=is_flat and is_fast and all(each.recall >= RECALL for each in measured),
    )


def _measure(actor: Actor, material: Material, chunks: int) -> Measured:
    from core.tenancy import space_scope  # noqa: PLC0415  after the settings
    from knowledge.services.bases import create_base  # noqa: PLC0415

    with space_scope(actor.space_id):
        base = create_base(actor, name=f"Scale {chunks}")
        other = create_base(actor, name=f"Beside {chunks}")
        began = time.monotonic()
        _drop_index(material)
        _load(base, material, chunks, seed=1)
        _load(other, material, chunks // BESIDE, seed=2)
        loaded = time.monotonic()
        _build_index(material)
        built = time.monotonic()
        progress(f"{chunks:,} chunks: loaded {loaded - began:.0f} s, built {built - loaded:.0f} s")
        times, stages = _time(actor, base, material)
        result = Measured(
            chunks=chunks,
            p50_ms=statistics.median(times),
            p95_ms=statistics.quantiles(times, n=20)[-1],
            recall=_recall(actor, base, material),
            load_seconds=loaded - began,
            build_seconds=built - loaded,
            slowest=", ".join(f"{name} {ms:.0f}" for name, ms in stages),
        )
        _empty(base, other)
    print_table(HEADER, [result.row()])
    sys.stdout.flush()
    return result


def _time(
    actor: Actor, base: KnowledgeBase, material: Material
) -> tuple[list[float], list[tuple[str, float]]]:
    """Return each question's time, and the three slowest stages by their median."""
    from knowledge.retrieval.dense import QueryVector  # noqa: PLC0415
    from knowledge.retrieval.models import QueryVectors  # noqa: PLC0415
    from knowledge.retrieval.retrieve import retrieve  # noqa: PLC0415
    from knowledge.retrieval.scope import Scope  # noqa: PLC0415
    from knowledge.retrieval.settings import RetrievalSettings  # noqa: PLC0415

    vectors = dict(zip(material.questions, material.question_vectors, strict=True))

    def embedded(question: str, _bases: Any, **_options: Any) -> QueryVectors:
        vector = QueryVector(identity=material.identity, vector=vectors[question])
        return QueryVectors(vectors=(vector,), warnings=())

    times: list[float] = []
    stages: dict[str, list[float]] = {}
    with mock.patch("knowledge.retrieval.retrieve.embed_query", embedded):
        for question in material.questions:
            tries = []
            for _ in range(_ROUNDS):
                began = time.perf_counter()
                found = retrieve(
                    actor,
                    query=question,
                    scope=Scope(base_ids=(base.pk,)),
                    settings=RetrievalSettings(rerank="never"),
                )
                tries.append(((time.perf_counter() - began) * 1000, found.timings_ms))
            least, timings = min(tries, key=lambda each: each[0])
            times.append(least)
            for name, spent in timings.items():
                stages.setdefault(name, []).append(spent)
    medians = [(name, statistics.median(spent)) for name, spent in stages.items()]
    return times, sorted(medians, key=lambda each: -each[1])[:3]


def _recall(actor: Actor, base: KnowledgeBase, material: Material) -> float:
    """Return the share of the exact ten nearest that the product's way finds among its ten."""
    from knowledge.retrieval.dense import EXACT_LIMIT, QueryVector, search_dense  # noqa: PLC0415
    from knowledge.retrieval.scope import Scope, resolve  # noqa: PLC0415
    from knowledge.retrieval.search import DENSE_CANDIDATES  # noqa: PLC0415

    where = resolve(actor, Scope(base_ids=(base.pk,)))
    is_exact = where.chunks.count() <= EXACT_LIMIT
    shared = 0
    for vector in material.question_vectors:
        query = QueryVector(identity=material.identity, vector=vector)
        exact = search_dense(where, query, limit=_TOP, exact=True)
        found = search_dense(where, query, limit=DENSE_CANDIDATES, exact=is_exact)[:_TOP]
        shared += len({hit.chunk_id for hit in exact} & {hit.chunk_id for hit in found})
    return shared / (_TOP * len(material.question_vectors))


# Material


def _material(folder: Path, questions: int) -> Material:
    """Read and embed the sets; converted model and vectors are kept in `var/bench`."""
    from knowledge.text.passages import text_to_embed  # noqa: PLC0415
    from providers.local.e5 import load_e5  # noqa: PLC0415

    texts = [row["text"] for name in SETS for row in _rows(folder / f"{name}.passages.jsonl")]
    asked = [row["query"] for name in SETS for row in _rows(folder / f"{name}.queries.jsonl")]
    chance = np.random.default_rng(42)
    asked = [" ".join(asked[at].split()) for at in chance.permutation(len(asked))[:questions]]
    _KEPT.mkdir(parents=True, exist_ok=True)
    model = load_e5(_KEPT)
    sent = [text_to_embed(document_name="1.txt", heading_path=(), text=text) for text in texts]
    key = hashlib.sha256(json.dumps([model.identity, sent, asked]).encode()).hexdigest()[:16]
    kept = _KEPT / f"vectors-{key}.npz"
    if kept.exists():
        with np.load(kept) as stored:
            vectors, question_vectors = stored["vectors"], stored["questions"]
    else:
        vectors = _embedded(model, sent, kind="passage")
        question_vectors = _embedded(model, asked, kind="query")
        np.savez(kept, vectors=vectors, questions=question_vectors)
    return Material(
        texts=texts,
        vectors=vectors,
        questions=asked,
        question_vectors=question_vectors,
        identity=model.identity,
    )


def _embedded(model: E5, texts: Sequence[str], *, kind: InputKind) -> np.ndarray:
    found = []
    for number, text in enumerate(texts):
        found.append(model.embed_text(text, kind=kind).vector)
        if number % 500 == 0:
            progress(f"{number:,} of {len(texts):,} texts embedded")
    return np.stack(found)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# Loading


def _load(base: KnowledgeBase, material: Material, count: int, *, seed: int) -> None:
    from benchmarks._bulk import BulkBase  # noqa: PLC0415  after the settings
    from knowledge.text.analyze import analyze  # noqa: PLC0415

    chance = np.random.default_rng(seed)
    terms = [sorted(set(analyze(text))) for text in material.texts]
    bulk = BulkBase(base, identity=material.identity)
    of = len(material.texts)
    for start in range(0, count, 10_000):
        size = min(10_000, count - start)
        one, other = chance.integers(0, of, size), chance.integers(0, of, size)
        lean = chance.uniform(0.05, 0.4, (size, 1)).astype(np.float32)
        noise = chance.normal(0, 0.01, (size, material.vectors.shape[1])).astype(np.float32)
        vectors = (1 - lean) * material.vectors[one] + lean * material.vectors[other] + noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        keeps = chance.random((size, 512)) < 0.8
        takes = chance.random((size, 512)) < 0.1
        bulk.write(
            texts=[material.texts[at] for at in one],
            terms=[
                _chosen(terms[mine], keeps[row]) + _chosen(terms[its], takes[row])
                for row, (mine, its) in enumerate(zip(one, other, strict=True))
            ],
            vectors=vectors,
        )


def _chosen(terms: Sequence[str], mask: np.ndarray) -> list[str]:
    return [term for term, is_in in zip(terms, mask, strict=False) if is_in]


def _drop_index(material: Material) -> None:
    from django.db import connection  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX IF EXISTS embedding_hnsw_{material.vectors.shape[1]}")


def _build_index(material: Material) -> None:
    from django.db import connection  # noqa: PLC0415

    from knowledge.ingest.vector_index import ensure_vector_index  # noqa: PLC0415

    ensure_vector_index(material.vectors.shape[1])
    with connection.cursor() as cursor:
        cursor.execute(
            "VACUUM (ANALYZE) knowledge_chunk, knowledge_embedding, knowledge_keywordrow"
        )


def _empty(*bases: KnowledgeBase) -> None:
    """Leave nothing behind for the next size."""
    from django.db import connection  # noqa: PLC0415

    del bases
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE knowledge_document, knowledge_termstatistic CASCADE")


if __name__ == "__main__":
    sys.exit(main())
