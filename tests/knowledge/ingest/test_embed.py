"""Vectors are made once, in small batches, and can be stopped."""

from __future__ import annotations

import numpy as np
import pytest

from knowledge.ingest.embed import BATCH, embed_chunks
from knowledge.models import Chunk, Embedding
from providers.contracts.errors import ModelError
from tests.factories.knowledge import make_base, make_chunks, make_document
from tests.knowledge.search_models import BrokenModel, WordModel


def test_every_passage_gets_a_vector_of_the_model(base):
    document = make_document(base, texts=["river", "bridge", "museum"])
    assert embed_chunks(document, model=WordModel()) == 3
    rows = Embedding.objects.all()
    assert {(row.identity, row.dimensions, row.base_id) for row in rows} == {
        ("words/1", 384, base.pk)
    }
    assert len(rows) == 3


def test_a_passage_is_embedded_under_its_title_and_headings(base):
    document = make_document(base, name="Travel_policy 2026.pdf", texts=["Economy class."])
    Chunk.objects.update(heading_path=["Flights", "Europe"])
    model = WordModel()
    embed_chunks(document, model=model)
    assert model.seen == ["Travel policy 2026\nFlights\nEurope\nEconomy class."]


def test_running_again_embeds_nothing(base):
    document = make_document(base, texts=["river", "bridge"])
    embed_chunks(document, model=WordModel())
    again = WordModel()
    assert embed_chunks(document, model=again) == 0
    assert again.seen == []


def test_only_passages_that_lack_a_vector_are_embedded(base):
    document = make_document(base, texts=["river"])
    embed_chunks(document, model=WordModel())
    make_document(base, texts=["elsewhere"])
    Chunk.objects.filter(document=document).update(position=7)
    make_chunks(document, texts=["bridge"])
    model = WordModel()
    assert embed_chunks(document, model=model) == 1
    assert len(model.seen) == 1
    assert "bridge" in model.seen[0]


def test_vectors_of_two_models_live_side_by_side(base):
    document = make_document(base, texts=["river"])
    embed_chunks(document, model=WordModel())
    embed_chunks(document, model=WordModel(identity="words/2", dimensions=64))
    assert set(Embedding.objects.values_list("identity", "dimensions")) == {
        ("words/1", 384),
        ("words/2", 64),
    }


def test_the_same_passage_under_the_same_title_lends_its_vector(base):
    text = "The same words."
    first = make_document(base, name="same.txt", texts=[text])
    embed_chunks(first, model=WordModel())
    second = make_document(base, name="same.txt", texts=[text])
    model = WordModel()
    assert embed_chunks(second, model=model) == 1
    assert model.seen == []
    vectors = [row.vector for row in Embedding.objects.all()]
    assert vectors[0] == vectors[1]


def test_another_title_base_or_heading_lends_no_vector(base):
    text = "The same words."
    embed_chunks(make_document(base, name="one.txt", texts=[text]), model=WordModel())
    other_title = make_document(base, name="two.txt", texts=[text])
    other_base = make_document(make_base(base.space), name="one.txt", texts=[text])
    other_heading = make_document(base, name="one.txt", texts=[text])
    Chunk.objects.filter(document=other_heading).update(heading_path=["Elsewhere"])
    model = WordModel()
    for document in (other_title, other_base, other_heading):
        embed_chunks(document, model=model)
    assert len(model.seen) == 3


def test_progress_counts_passages_after_each_batch(base):
    document = make_document(base, texts=[f"text {number}" for number in range(BATCH + 3)])
    told: list[tuple[int, int]] = []
    embed_chunks(document, model=WordModel(), progress=lambda *each: told.append(each))
    assert told == [(0, 11), (8, 11), (11, 11), (11, 11)]


def test_a_stop_between_batches_keeps_what_is_done(base):
    document = make_document(base, texts=[f"text {number}" for number in range(3 * BATCH)])
    asked = iter([False, True])
    made = embed_chunks(document, model=WordModel(), should_cancel=lambda: next(asked))
    assert made == BATCH == Embedding.objects.count()
    assert embed_chunks(document, model=WordModel()) == 2 * BATCH


def test_a_failing_model_keeps_what_earlier_batches_made(base):
    document = make_document(base, texts=[f"text {number}" for number in range(BATCH + 1)])

    class FailsLater(WordModel):
        def embed(self, texts, *, kind):
            if self.seen:
                raise ModelError("overloaded", "busy")
            return super().embed(texts, kind=kind)

    with pytest.raises(ModelError, match="busy"):
        embed_chunks(document, model=FailsLater())
    assert Embedding.objects.count() == BATCH


def test_a_model_that_cannot_be_reached_is_told(base):
    document = make_document(base, texts=["river"])
    with pytest.raises(ModelError, match="does not answer"):
        embed_chunks(document, model=BrokenModel())


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(np.zeros((1, 3), np.float32), id="shorter"),
        pytest.param(np.zeros((2, 384), np.float32), id="more texts"),
        pytest.param(np.full((1, 384), np.nan, np.float32), id="no numbers"),
    ],
)
def test_vectors_that_cannot_be_compared_are_refused(base, answer):
    class Odd(WordModel):
        def embed(self, texts, *, kind):
            return answer

    with pytest.raises(ModelError) as failure:
        embed_chunks(make_document(base, texts=["river"]), model=Odd())
    assert failure.value.kind == "bad_response"
    assert not Embedding.objects.exists()
