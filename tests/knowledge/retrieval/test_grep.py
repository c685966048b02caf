"""Passages by a regular expression: as the actor may see them, in bounded time."""

from __future__ import annotations

import pytest
from django.db import connection

from core.errors import Invalid, NotFound
from knowledge.models import Chunk
from knowledge.retrieval import grep as module
from knowledge.retrieval.grep import grep
from knowledge.retrieval.scope import Scope
from tests.factories.knowledge import make_document


@pytest.fixture
def documents(base):
    """Two documents with codes in them."""
    return [
        make_document(base, name="b.txt", texts=["Order RO-20221108 is paid.", "Nothing here."]),
        make_document(base, name="a.txt", texts=["ro-20221109 is open.", "总额为 4,210 元"]),
    ]


@pytest.fixture
def find(victor):
    def run(pattern: str, **arguments):
        return grep(victor.actor, pattern=pattern, scope=Scope(), **arguments)

    return run


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("ro-2022110[89]", ["ro-20221109 is open.", "Order RO-20221108 is paid."]),
        ("paid|open", ["ro-20221109 is open.", "Order RO-20221108 is paid."]),
        ("总额", ["总额为 4,210 元"]),
        (r"\m4,210\M", ["总额为 4,210 元"]),
        ("absent", []),
        ("100%", []),
    ],
)
def test_passages_that_match_come_in_the_order_of_documents(documents, find, pattern, texts):
    assert [chunk.text for chunk in find(pattern)] == texts


def test_a_match_brings_its_document_without_another_query(
    documents, find, django_assert_num_queries
):
    chunk = find("paid")[0]
    with django_assert_num_queries(0):
        assert chunk.document.name == "b.txt"


def test_the_limit_is_kept(documents, find):
    assert len(find(".", limit=3)) == 3


def test_a_member_of_another_space_finds_nothing(documents, base, mallory):
    with mallory.scope():
        assert grep(mallory.actor, pattern="ro", scope=Scope()) == []
        with pytest.raises(NotFound):
            grep(mallory.actor, pattern="ro", scope=Scope(base_ids=(base.pk,)))


def test_a_disabled_passage_is_not_found(documents, find):
    Chunk.objects.filter(text__contains="paid").update(is_enabled=False)
    assert find("paid") == []


def test_a_document_that_is_not_searchable_is_not_found(documents, find):
    documents[0].searchable_at = None
    documents[0].save()
    assert find("paid") == []


@pytest.mark.parametrize("pattern", ["(", "[", "*", "a{2,1}", r"\1"])
def test_a_broken_pattern_is_refused_with_its_reason(documents, find, pattern):
    with pytest.raises(Invalid, match="is no regular expression: invalid regular expression"):
        find(pattern)
    assert find("paid"), "the connection still works"


@pytest.mark.parametrize("pattern", ["", "  ", "a\x00b", "a" * 501])
def test_a_pattern_that_cannot_be_searched_is_refused(documents, find, pattern):
    with pytest.raises(Invalid, match="short regular expression"):
        find(pattern)


def test_a_pattern_that_takes_too_long_is_stopped(base, find, monkeypatch):
    make_document(base, texts=[f"{'paragraph ' * 200}{number}" for number in range(400)])
    monkeypatch.setattr(module, "TIMEOUT_MS", 1)
    with pytest.raises(Invalid, match="use a simpler pattern"):
        find(r"(p.*a.*r.*a.*g.*r.*a.*p.*h.*){20}zzz\d\1")


def test_the_time_limit_ends_with_the_search(documents, find):
    find("paid")
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)
