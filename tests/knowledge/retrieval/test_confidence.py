"""The gate: by the sum for the embedder it was measured with, by words for others."""

from __future__ import annotations

from uuid import UUID

import pytest

from knowledge.retrieval.confidence import is_confident
from knowledge.retrieval.fuse import Candidate

E5 = "multilingual-e5-small/e5-1571fc98-v1/onnx-int8"


@pytest.mark.parametrize(
    ("identity", "dense", "coverage", "confident"),
    [
        pytest.param(E5, 0.90, 0.30, True, id="near"),
        pytest.param(E5, 0.80, 0.30, False, id="far"),
        pytest.param(E5, 0.80, 0.70, True, id="far with all words"),
        pytest.param("api.example.com/embed-3", 0.45, 0.40, True, id="another model's cosine"),
        pytest.param("api.example.com/embed-3", 0.95, 0.10, False, id="without its words"),
        pytest.param(None, None, 0.50, True, id="no vector"),
        pytest.param(None, None, 0.10, False, id="no vector, few words"),
    ],
)
def test_a_hit_is_trusted_as_far_as_was_measured(identity, dense, coverage, confident):
    best = Candidate(
        chunk_id=UUID(int=1),
        document_id=UUID(int=1),
        position=0,
        identity=identity,
        dense_score=dense,
        dense_rank=1,
        keyword_rank=1,
        keyword_score=coverage,
        terms=frozenset(),
    )
    assert is_confident(best) is confident


def test_nothing_found_is_not_trusted():
    assert is_confident(None) is False
