"""Reranks passages by token vectors: each word of the query looks for its best match."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def maxsim(query: NDArray[np.float32], passage: NDArray[np.float32]) -> float:
    """Return the mean over query tokens of the best cosine to any passage token.

    Both are unit vectors, one a row. The result lies in -1..1, with e5 mostly in 0.7..0.95; 0 when
    one side has no tokens.
    """
    if not len(query) or not len(passage):
        return 0.0
    return float((query @ passage.T).max(axis=1).mean())
