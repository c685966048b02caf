"""The approximate index of a vector length is built once, also after a build that was cut off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection

from core.errors import Invalid
from knowledge.ingest.vector_index import ensure_vector_index


def indexes() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid"
            " WHERE relname LIKE 'embedding_hnsw%' AND indisvalid"
        )
        return {row[0] for row in cursor.fetchall()}


@pytest.fixture
def _without_64():
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX IF EXISTS embedding_hnsw_64")


@pytest.mark.django_db(transaction=True)
def test_the_built_in_embedders_index_is_there_from_the_start():
    assert ensure_vector_index(384) is False


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_without_64")
def test_a_missing_index_is_built_once():
    assert ensure_vector_index(64) is True
    assert "embedding_hnsw_64" in indexes()
    assert ensure_vector_index(64) is False


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_without_64")
def test_an_index_whose_build_was_cut_off_is_built_again():
    with _somebody_writing(), connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '100ms'")
        # The build waits for the writer, after it has made itself known to the catalogue.
        with pytest.raises(OperationalError):
            ensure_vector_index(64)
        cursor.execute("RESET lock_timeout")
    assert "embedding_hnsw_64" not in indexes()
    assert ensure_vector_index(64) is True
    assert "embedding_hnsw_64" in indexes()


@contextmanager
def _somebody_writing() -> Iterator[None]:
    """Hold an open transaction that writes vectors."""
    other = connection.copy()
    other.set_autocommit(False)
    with other.cursor() as cursor:
        cursor.execute("LOCK TABLE knowledge_embedding IN ROW EXCLUSIVE MODE")
    try:
        yield
    finally:
        other.rollback()
        other.close()


@pytest.mark.parametrize("dimensions", [0, 4001])
def test_a_length_that_pgvector_cannot_index_is_refused(db, dimensions):
    with pytest.raises(Invalid, match="searched exactly"):
        ensure_vector_index(dimensions)
