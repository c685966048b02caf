"""The job that begins the reading of a base's graph."""

from __future__ import annotations

from uuid import UUID

from core.jobs.handlers import JobContext, handles
from knowledge.graph.services import begin_documents
from knowledge.jobs import BUILD_GRAPH


@handles(BUILD_GRAPH)
def build_graph(context: JobContext, *, base_id: str) -> None:
    """Begin the reading of each document that has unread passages."""
    begin_documents(context, base_id=UUID(base_id))
