"""Names of the background jobs of this app."""

from core.jobs.declare import Job

INGEST_DOCUMENT = Job(
    name="knowledge.ingest_document", queue="ingest", time_limit_seconds=7200.0, max_attempts=10
)
"""Ten tries with growing pauses bridge a model that is away for twenty minutes."""
REMOVE_DOCUMENT = Job(name="knowledge.remove_document", queue="default")
REMOVE_BASE = Job(name="knowledge.remove_base", queue="default")
BUILD_GRAPH = Job(name="knowledge.build_graph", queue="default", time_limit_seconds=1800.0)
"""Begins the reading of a base's graph, document by document."""
ADD_MEMBERS = Job(
    name="knowledge.add_members", queue="ingest", time_limit_seconds=7200.0, max_attempts=5
)
"""Makes documents of what is inside of an archive or a mail."""
REEMBED_BASE = Job(
    name="knowledge.reembed_base", queue="enrich", time_limit_seconds=7200.0, max_attempts=10
)
"""Makes the vectors that passages of a base lack; first indexing never waits for it."""
FORGET_VECTORS = Job(name="knowledge.forget_vectors", queue="enrich")
"""Removes the vectors that an ended change of the embedding model left over."""
