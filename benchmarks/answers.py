"""Whether the built-in answerer says "not in these documents" when, and only when, that is so.

Questions of the shared set over its own documents, found by the fused search and answered by the real
answerer. Each question belongs to one half, by the hash of its id: `--fit` prints the coefficients of
`providers/local/extractive/gate.py` fitted on one half; without it the other half is shown. Questions
about tables are asked on their own document and reported apart.

    python benchmarks/answers.py [DIR] [--fit] [--data-dir DIR] [--cache FILE]
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from numpy.typing import NDArray

from agents.verdicts.claims import squeezed
from benchmarks._answer_library import Embedder, Found, Library, read_lines
from benchmarks._report import finish, no_data, print_table, progress, shared_data
from providers.contracts.passages import UNSURE_NOTE
from providers.local.extractive.answerer import answer
from providers.local.extractive.gate import NAMES, features_of
from providers.local.extractive.language import detect_language, same_language
from providers.local.extractive.selection import rank_passages
from providers.local.protocol import ChatRequest, ChatTurn

NAME = "answers"
LEAST_REFUSED = 80.0
MOST_LOST = 5.0
_LOST_WHEN_FITTING = 0.03
"""Share of the fitted half's answerable questions that its threshold may lose."""
_RIDGE = 1.0


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question with what was found and said."""

    question: dict[str, Any]
    found: Found
    text: str
    features: tuple[float, ...] | None
    """None: the best passage is in another language, where there is no gate."""

    @property
    def language(self) -> str:
        """Of the question, as the gate tells it."""
        return detect_language(self.question["question"])

    @property
    def is_refused(self) -> bool:
        """Whether nothing was quoted."""
        return "[c" not in self.text

    @property
    def shows_answer(self) -> bool:
        """Whether a right answer stands in the text."""
        said = squeezed(self.text)
        wanted = [squeezed(str(each)) for each in self.question["answers"]]
        found = [each in said for each in wanted if each]
        needs_all = self.question.get("all_answers_required", False)
        return bool(found) and (all(found) if needs_all else any(found))


def main() -> int:
    """Fit or measure; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dir", nargs="?", type=Path, default=shared_data("qa"))
    parser.add_argument("--fit", action="store_true", help="print new coefficients")
    parser.add_argument("--data-dir", type=Path, default=Path("var"), help="where the models are")
    parser.add_argument("--cache", type=Path, help="keeps vectors between two runs")
    options = parser.parse_args()
    if not (options.dir / "questions.jsonl").exists():
        return no_data(NAME, options.dir)
    questions = read_lines(options.dir / "questions.jsonl")
    documents = read_lines(options.dir / "documents.jsonl")
    embedder = Embedder(options.data_dir, options.cache)
    open_ones = [each for each in questions if not each["type"].startswith("table")]
    texts = [each for each in documents if not each["source"].startswith("NExTplusplus")]
    library = Library(texts, embedder)
    asked = [
        ask(each, library.search(each["question"]), embedder, fits_only=options.fit)
        for each in open_ones
    ]
    embedder.keep()
    if options.fit:
        _fit([each for each in asked if half_of(each.question["qid"]) == 0])
        return 0
    tables = _ask_tables(questions, documents, embedder)
    embedder.keep()
    return _report(asked, tables)


def half_of(question_id: str) -> int:
    """Return 0 for the half that is fitted on, 1 for the half that is shown."""
    return hashlib.sha256(question_id.encode()).digest()[0] & 1


def ask(
    question: dict[str, Any], found: Found, embedder: Embedder, *, fits_only: bool = False
) -> Asked:
    """Let the answerer answer from what was found; for a fit its features suffice."""
    text = question["question"]
    blocks = [
        f'<passage id="{each.alias}" document="d" name="x">\n{_escaped(each.text)}\n</passage>'
        for each in found.passages
    ]
    notes = [UNSURE_NOTE] if found.unsure else []
    turn = ChatTurn(role="user", text="\n\n".join([text, *notes, *blocks]))
    request = ChatRequest(
        model="extractive", turns=(turn,), tools=(), stream=False, include_usage=False
    )
    features = _features(text, found, embedder)
    if fits_only:
        return Asked(question=question, found=found, text="", features=features)
    reply = answer(request, _Known(embedder))  # type: ignore[arg-type]  # embeds like a catalogue
    return Asked(question=question, found=found, text=reply.text, features=features)


class _Known:
    """A catalogue whose vectors are kept."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed(self, texts: Sequence[str], *, kind: Any, gone: Any) -> Any:
        """Return the vectors of texts, as the catalogue does."""
        vectors = tuple(self._embedder(text, kind) for text in texts)
        return type("Embedded", (), {"vectors": vectors})


def _features(text: str, found: Found, embedder: Embedder) -> tuple[float, ...] | None:
    ranked = rank_passages(text, found.passages, embed=embedder)
    if not same_language(detect_language(text), detect_language(ranked[0].passage.text)):
        return None
    return features_of(text, ranked, unsure=found.unsure)


def _ask_tables(
    questions: Sequence[dict[str, Any]], documents: Sequence[dict[str, Any]], embedder: Embedder
) -> list[Asked]:
    by_id = {each["doc_id"]: each for each in documents}
    asked = []
    for each in questions:
        if each["type"].startswith("table"):
            library = Library([by_id[name] for name in each["gold_docs"]], embedder)
            asked.append(ask(each, library.search(each["question"]), embedder))
    return asked


def _report(asked: Sequence[Asked], tables: Sequence[Asked]) -> int:
    shown = [each for each in asked if half_of(each.question["qid"]) == 1]
    rows = []
    for label, chosen in (
        ("shown half", shown),
        ("fitted half", [a for a in asked if a not in shown]),
    ):
        for language in ("all", "en", "zh", "zh-Hant"):
            part = [a for a in chosen if language in ("all", a.question["lang"])]
            rows.append([f"{label}, {language}", *_counts(part)])
    for kind in sorted({each.question["type"] for each in tables}):
        rows.append([kind, *_counts([each for each in tables if each.question["type"] == kind])])
    print_table(
        ["questions", "answerable", "refused %", "answer shown %", "unanswerable", "refused %"],
        rows,
    )
    refused, lost = _refused(shown, answerable=False), _refused(shown, answerable=True)
    return finish(
        NAME,
        f"{refused:.1f} % of unanswerable and {lost:.1f} % of answerable questions refused",
        target=f">= {LEAST_REFUSED:g} %, <= {MOST_LOST:g} %",
        met=refused >= LEAST_REFUSED and lost <= MOST_LOST,
    )


def _counts(asked: Sequence[Asked]) -> list[str]:
    answerable = [each for each in asked if each.question["answerable"]]
    shown = 100 * sum(each.shows_answer for each in answerable) / max(1, len(answerable))
    return [
        str(len(answerable)),
        f"{_refused(asked, answerable=True):.1f}",
        f"{shown:.1f}",
        str(len(asked) - len(answerable)),
        f"{_refused(asked, answerable=False):.1f}",
    ]


def _refused(asked: Sequence[Asked], *, answerable: bool) -> float:
    rows = [each for each in asked if each.question["answerable"] == answerable]
    return 100 * sum(each.is_refused for each in rows) / max(1, len(rows))


def _fit(asked: Sequence[Asked]) -> None:
    """Print a rule a language, and one for all the others."""
    for language in ("en", "zh", ""):
        rows = [
            each for each in asked if each.features is not None and language in ("", each.language)
        ]
        weights, bias = fit(
            np.array([each.features for each in rows]),
            np.array([each.question["answerable"] for each in rows], dtype=float),
        )
        sums = sorted(
            float(np.dot(weights, np.array(each.features)) + bias)
            for each in rows
            if each.question["answerable"]
        )
        threshold = sums[int(_LOST_WHEN_FITTING * len(sums))] - 1e-3
        refused = [
            float(np.dot(weights, np.array(each.features)) + bias) < threshold
            for each in rows
            if not each.question["answerable"]
        ]
        shown = ", ".join(f"{weight:.4f}" for weight in weights)
        sys.stdout.write(
            f'    "{language}": Rule(\n        weights=({shown}),\n'
            f"        bias={bias:.4f},\n        threshold={threshold:.4f},\n    ),\n"
        )
        progress(f"{language or 'others'}: {sum(refused)} of {len(refused)} unanswerable refused")
    progress(f"features: {', '.join(NAMES)}")


def fit(
    features: NDArray[np.float64], wanted: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return weights and bias of a logistic rule, both classes counting alike, by Newton's method."""
    mean, spread = features.mean(axis=0), features.std(axis=0) + 1e-6
    rows = np.hstack([(features - mean) / spread, np.ones((len(features), 1))])
    share = wanted.mean()
    importance = np.where(wanted > 0, 0.5 / share, 0.5 / (1 - share))
    ridge = np.diag([_RIDGE] * features.shape[1] + [1e-6])
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (importance * (chance - wanted)) + ridge @ found
        curve = (rows * (importance * chance * (1 - chance))[:, None]).T @ rows + ridge
        found -= np.linalg.solve(curve, slope)
    weights = found[:-1] / spread
    return weights, float(found[-1] - weights @ mean)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


if __name__ == "__main__":
    sys.exit(main())
