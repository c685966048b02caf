"""Searches passages with another system; prints one line of JSON. Run by `_rivals.py`.

Started as `PYTHON benchmarks/_retrieval_peers.py SYSTEM FOLDER`, maybe in another environment: it
imports nothing of ours. Texts come as terms, so that every system reads every language, and vectors
are the same for all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

DEPTH = 50
"""Passages that each list names, as in ours."""
TOP = 10


def by_words(texts: dict[str, Any]) -> list[list[int]]:
    """Return each question's passages by BM25."""
    import bm25s  # noqa: PLC0415 - only where it is installed

    index = bm25s.BM25()
    index.index(texts["passages"], show_progress=False)
    found, _scores = index.retrieve(
        texts["questions"], k=min(DEPTH, len(texts["passages"])), show_progress=False
    )
    return [[int(each) for each in row] for row in found]


def by_meaning(vectors: Any) -> list[list[int]]:
    """Return each question's passages by cosine."""
    likeness = vectors["questions"] @ vectors["passages"].T
    return [[int(each) for each in np.argsort(-row, kind="stable")[:DEPTH]] for row in likeness]


def by_llama_index(texts: dict[str, Any], vectors: Any) -> list[list[int]]:
    """Return each question's passages by LlamaIndex's reciprocal fusion of BM25 and vectors."""
    from llama_index.core import VectorStoreIndex  # noqa: PLC0415 - only where it is installed
    from llama_index.core.base.embeddings.base import BaseEmbedding  # noqa: PLC0415
    from llama_index.core.llms import MockLLM  # noqa: PLC0415
    from llama_index.core.retrievers import QueryFusionRetriever  # noqa: PLC0415
    from llama_index.core.schema import TextNode  # noqa: PLC0415
    from llama_index.retrievers.bm25 import BM25Retriever  # noqa: PLC0415

    questions = [" ".join(terms) for terms in texts["questions"]]
    known = dict(zip(questions, vectors["questions"].tolist(), strict=True))

    class Known(BaseEmbedding):
        """Gives the vectors that were sent along."""

        def _get_query_embedding(self, query: str) -> list[float]:
            return known[query]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return known[query]

        def _get_text_embedding(self, text: str) -> list[float]:
            raise LookupError(text)

    nodes = [
        TextNode(id_=str(number), text=" ".join(terms) or "-", embedding=vector)
        for number, (terms, vector) in enumerate(
            zip(texts["passages"], vectors["passages"].tolist(), strict=True)
        )
    ]
    depth = min(DEPTH, len(nodes))
    index = VectorStoreIndex(nodes, embed_model=Known())
    words = BM25Retriever.from_defaults(
        nodes=nodes,
        similarity_top_k=depth,
        skip_stemming=True,
        token_pattern=r"(?u)\S+",  # noqa: S106  no password
    )
    both = QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=depth), words],
        llm=MockLLM(),
        similarity_top_k=depth,
        num_queries=1,
        mode="reciprocal_rerank",
        use_async=False,
    )
    return [[int(hit.node.node_id) for hit in both.retrieve(question)] for question in questions]


def main(system: str, folder: Path) -> None:
    """Search and print the documents' names, each once, best first."""
    texts = json.loads((folder / "texts.json").read_text())
    vectors = np.load(folder / "vectors.npz")
    if system.startswith("BM25"):
        found = by_words(texts)
    elif system.startswith("dense"):
        found = by_meaning(vectors)
    else:
        found = by_llama_index(texts, vectors)
    sys.stdout.write(json.dumps([_names(row, texts["names"]) for row in found]) + "\n")


def _names(row: Sequence[int], names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names[number] for number in row))[:TOP]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
