"""The approximate index over vectors of one length, made when a base first needs it."""

from __future__ import annotations

from django.db import connection

from core.errors import Invalid

MAXIMUM_INDEXED_DIMENSIONS = 4_000
"""pgvector's limit for half-precision vectors; longer ones are searched exactly."""
_LOCK = 0x56454354
"""First key of the advisory lock that lets one process build an index."""


def ensure_vector_index(dimensions: int) -> bool:
    """Build the index for vectors of this length unless it is there; return whether it was built.

    Runs while others write, for minutes on a large table: call it from a job, outside of a
    transaction.

    Raises:
        Invalid: vectors of this length cannot be indexed.
    """
    if not 1 <= dimensions <= MAXIMUM_INDEXED_DIMENSIONS:
        raise Invalid(
            f"Vectors of {dimensions} numbers cannot be indexed;"
            f" {MAXIMUM_INDEXED_DIMENSIONS} are the most. They are searched exactly."
        )
    name = f"embedding_hnsw_{dimensions}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [_LOCK, dimensions])
        try:
            state = _state(name)
            if state == "valid":
                return False
            if state == "broken":
                # A build that was cut off leaves an index that is kept up but never used.
                cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            cursor.execute(
                f"CREATE INDEX CONCURRENTLY {name} ON knowledge_embedding USING hnsw"
                f" ((vector::halfvec({dimensions})) halfvec_cosine_ops)"
                f" WITH (m = 16, ef_construction = 64) WHERE dimensions = {dimensions}"
            )
            return True
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_LOCK, dimensions])


def _state(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [name])
        row = cursor.fetchone()
    if row is None:
        return "missing"
    return "valid" if row[0] else "broken"
