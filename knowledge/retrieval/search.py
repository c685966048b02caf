"""Asks every index for the passages that it names, and reads them."""

from __future__ import annotations

from knowledge.base_settings import RetrievalOptions
from knowledge.retrieval.candidates import Candidates, load_candidates
from knowledge.retrieval.dense import search_dense
from knowledge.retrieval.graph import GraphList, search_graph
from knowledge.retrieval.keyword import WeighedTerms, search_keywords
from knowledge.retrieval.models import QueryVectors
from knowledge.retrieval.scope import Searched
from knowledge.retrieval.trace import Stopwatch

DENSE_CANDIDATES = 50
KEYWORD_CANDIDATES = 50
GRAPH_CANDIDATES = 50


def find_candidates(
    where: Searched,
    question: str,
    *,
    vectors: QueryVectors,
    terms: WeighedTerms,
    options: RetrievalOptions,
    exact: bool,
    watch: Stopwatch,
) -> tuple[Candidates, tuple[str, ...]]:
    """Return what meaning, words and graph name, with warnings; a fusion of one list asks only it.

    Without vectors nothing is named by meaning.
    """
    only = options.fusion if options.fusion in ("dense", "keyword") else None
    with watch.stage("dense"):
        dense = [
            hit
            for vector in vectors.vectors
            for hit in search_dense(where, vector, limit=DENSE_CANDIDATES, exact=exact)
        ]
    with watch.stage("keyword"):
        keyword = [] if only == "dense" else search_keywords(where, terms, limit=KEYWORD_CANDIDATES)
    graph = GraphList(scores={})
    if options.graph and only is None:
        with watch.stage("graph"):
            graph = search_graph(where, question, limit=GRAPH_CANDIDATES, hops=options.graph_hops)
    with watch.stage("load"):
        found = load_candidates(
            where,
            dense=dense,
            keyword=keyword,
            vectors=vectors.vectors,
            terms=terms,
            graph=graph.scores,
        )
    return found, graph.warnings
