"""Makes the graph one of the lists of a search; imported when the apps are ready."""

from __future__ import annotations

from knowledge.graph.searching import graph_candidates
from knowledge.retrieval.graph import register_graph_search

register_graph_search(graph_candidates)
