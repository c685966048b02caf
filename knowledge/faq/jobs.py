"""Names of the background jobs of questions and answers."""

from core.jobs.declare import Job

INDEX_ENTRIES = Job(
    name="knowledge.index_faq_entries",
    queue="ingest",
    time_limit_seconds=7200.0,
    max_attempts=10,
)
IMPORT_ENTRIES = Job(
    name="knowledge.import_faq_entries",
    queue="ingest",
    time_limit_seconds=7200.0,
    max_attempts=5,
)
EMPTY_ENTRIES = Job(name="knowledge.empty_faq_trash", queue="default")
