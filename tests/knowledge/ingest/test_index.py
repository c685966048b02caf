"""Keyword rows and the counts of terms stay in step, whatever happens to passages."""

from __future__ import annotations

import random
import threading
from collections import Counter

import pytest
from django.db import connection, transaction

from accounts.models import Space
from core.tenancy import space_scope
from knowledge.ingest.chunks import replace_chunks
from knowledge.ingest.index import (
    index_chunks,
    unindex_chunks,
    unindex_document,
)
from knowledge.ingest.split import SplitSettings, split
from knowledge.models import Chunk, Document, KeywordRow, KnowledgeBase, TermStatistic
from knowledge.parsers.contract import Block, ParsedDocument
from knowledge.retrieval.keyword import terms_of
from knowledge.text.analyze import ANALYZER_VERSION
from tests.factories.accounts import make_space
from tests.factories.knowledge import make_base, make_document

WORDS = [
    "notice",
    "period",
    "consultant",
    "invoice",
    "total",
    "bridge",
    "river",
    "museum",
    "合同",
    "期限",
    "東京",
    "서울",
]


def counted(base: KnowledgeBase) -> dict[str, int]:
    """Return the counts that the database keeps."""
    return dict(TermStatistic.objects.filter(base=base).values_list("term", "chunk_count"))


def recounted(base: KnowledgeBase) -> dict[str, int]:
    """Return what the counts must be, from the rows that are there."""
    ids = list(KeywordRow.objects.filter(base=base).values_list("chunk_id", flat=True))
    counts: Counter[str] = Counter()
    for terms in terms_of(ids).values():
        counts.update({"", *terms})
    return dict(counts)


def texts_of(rng: random.Random, *, at_most: int = 5) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=6)) for _ in range(rng.randint(1, at_most))]


def drafts_of(*texts: str):
    blocks = tuple(Block(markdown=f"# {text}\n\n{text * 40}") for text in texts)
    return split(ParsedDocument(blocks=blocks), SplitSettings(small_section=0))


def test_each_passage_gets_a_row_with_its_terms_and_the_analyzer_version(base):
    document = make_document(base, name="RO-2022.txt", texts=["Notice periods", "合同期限"])
    assert index_chunks(document) == 2
    rows = list(KeywordRow.objects.order_by("chunk__position"))
    assert [row.analyzer_version for row in rows] == [ANALYZER_VERSION] * 2
    assert "'notic'" in rows[0].terms
    assert "'ro-2022'" in rows[0].terms, "the document's name is found, too"
    assert "'合同'" in rows[1].terms


def test_terms_are_counted_once_a_passage_and_the_empty_term_counts_passages(base):
    index_chunks(make_document(base, name="1.txt", texts=["river river", "river bridge"]))
    assert counted(base) == {"": 2, "1": 2, "river": 2, "bridg": 1}


def test_indexing_again_changes_no_count(base):
    document = make_document(base, texts=["notice period", "invoice total"])
    index_chunks(document)
    before = counted(base)
    index_chunks(document)
    assert counted(base) == before


def test_an_attempt_that_was_rolled_back_leaves_no_count(base):
    document = make_document(base, texts=["notice period"])
    with transaction.atomic():
        index_chunks(document)
        transaction.set_rollback(True)
    assert counted(base) == {}


def test_unindexing_a_document_takes_its_counts_back_and_hides_it(base):
    kept = make_document(base, texts=["river bridge"])
    index_chunks(kept)
    before = counted(base)
    gone = make_document(base, texts=["river museum", "invoice"])
    index_chunks(gone)
    unindex_document(gone)
    assert counted(base) == before
    gone.refresh_from_db()
    assert gone.searchable_at is None


def test_unindexing_chosen_passages_leaves_the_others(base):
    document = make_document(base, texts=["river", "bridge"])
    index_chunks(document)
    first = Chunk.objects.get(position=0)
    unindex_chunks(document, chunk_ids=[first.pk])
    assert counted(base) == recounted(base)
    assert "river" not in counted(base)


def test_deleting_a_document_without_asking_takes_its_counts_back(base):
    document = make_document(base, texts=["river", "bridge"])
    index_chunks(document)
    document.delete()
    assert counted(base) == {}


def test_deleting_a_base_leaves_no_counts_of_it(base):
    index_chunks(make_document(base, texts=["river", "bridge"]))
    base.delete()
    assert not TermStatistic.objects.exists()


def test_counts_of_another_base_are_left_alone(base):
    other = make_base(base.space, name="Other")
    index_chunks(make_document(other, texts=["river"]))
    document = make_document(base, texts=["river"])
    index_chunks(document)
    unindex_document(document)
    assert counted(other)["river"] == 1


@pytest.mark.parametrize("seed", range(4))
def test_counts_stay_right_over_adding_replacing_and_deleting(base, seed):
    rng = random.Random(seed)
    documents: list[Document] = []
    for _ in range(25):
        action = rng.choice(["add", "add", "replace", "delete", "again", "unindex"])
        if action == "add" or not documents:
            documents.append(make_document(base, texts=texts_of(rng)))
            index_chunks(documents[-1])
            continue
        document = rng.choice(documents)
        if action == "replace":
            with transaction.atomic():
                replace_chunks(document, drafts_of(*texts_of(rng)), revision=2)
                index_chunks(document)
        elif action == "delete":
            documents.remove(document)
            document.delete()
        elif action == "again":
            index_chunks(document)
        else:
            unindex_document(document)
        assert counted(base) == recounted(base)


@pytest.mark.django_db(transaction=True)
def test_four_documents_at_once_neither_wait_for_each_other_nor_miscount():
    space: Space = make_space()
    rng = random.Random(1)
    with space_scope(space.pk):
        base = make_base(space)
        documents = [make_document(base, texts=texts_of(rng, at_most=40)) for _ in range(4)]
    failures: list[BaseException] = []
    ready = threading.Barrier(4)

    def index_often(document: Document) -> None:
        try:
            with space_scope(space.pk):
                ready.wait(timeout=30)
                for _ in range(8):
                    index_chunks(document)
                    unindex_chunks(document, chunk_ids=[document.chunks.all()[0].pk])
                index_chunks(document)
        except BaseException as error:  # noqa: BLE001  the test says which
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=index_often, args=(each,)) for each in documents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert failures == []
    with space_scope(space.pk):
        assert KeywordRow.objects.count() == Chunk.objects.count()
        assert counted(base) == recounted(base)
