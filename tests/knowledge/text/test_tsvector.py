"""Terms survive the way into the database and back."""

from __future__ import annotations

import pytest
from django.db import connection

from knowledge.text.tsvector import quote_term, term_vector


@pytest.mark.parametrize("term", ["it's", "back\\slash", "a:b*c|d&!(e)", "引号", "''"])
def test_any_term_is_quoted_so_that_the_database_reads_it_back(db, term):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tsvector_to_array(%s::tsvector), %s::tsvector @@ %s::tsquery",
            [term_vector([term]), term_vector([term]), quote_term(term)],
        )
        assert cursor.fetchone() == ([term], True)


def test_a_vector_has_each_term_once():
    assert term_vector(["b", "a", "b"]) == "'a' 'b'"
