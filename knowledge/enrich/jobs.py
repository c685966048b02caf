"""Names of the jobs that enrich documents.

They have a queue of their own: no document waits to be found until others are enriched.
"""

from core.jobs.declare import Job

READ_PICTURES = Job(name="knowledge.read_pictures", queue="enrich", time_limit_seconds=1800.0)
SUMMARISE = Job(name="knowledge.summarise", queue="enrich", time_limit_seconds=1800.0)
ASK_QUESTIONS = Job(name="knowledge.ask_questions", queue="enrich", time_limit_seconds=1800.0)
DESCRIBE_TABLES = Job(name="knowledge.describe_tables", queue="enrich", time_limit_seconds=1800.0)
CHOOSE_TAGS = Job(name="knowledge.choose_tags", queue="enrich", time_limit_seconds=1800.0)
EXTRACT_GRAPH = Job(name="knowledge.extract_graph", queue="enrich", time_limit_seconds=1800.0)
