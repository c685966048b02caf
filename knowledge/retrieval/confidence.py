"""Whether the best hit is likely to answer the question. Measured within one language."""

from __future__ import annotations

from knowledge.retrieval.fuse import Candidate

CALIBRATED = "multilingual-e5-small"
"""In the identity of the one model whose cosines the sum below was measured with."""
LEAST_SUM = 3.8
"""Of 4 × cosine + coverage: keeps 95 % to 99.8 % of what can be answered and refuses 56 % to 96 %
of what cannot (four sets)."""
LEAST_COVERAGE = 0.3
"""Where cosines are another model's: keeps 97 % to 99 %, refuses 36 % to 72 %."""


def is_confident(best: Candidate | None) -> bool:
    """Say whether `best` likely answers; the question is in its language."""
    if best is None:
        return False
    if best.dense_score is not None and CALIBRATED in (best.identity or ""):
        return 4 * best.dense_score + best.keyword_score >= LEAST_SUM
    return best.keyword_score >= LEAST_COVERAGE
