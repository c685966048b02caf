"""Tags that exist, chosen when the model is sure; tables described and found by their columns."""

from __future__ import annotations

import json

import pytest

from agents.engine.testing import say
from knowledge.constants import ChunkKind, StageName, StageState
from knowledge.models import Chunk, Document, DocumentTag, KnowledgeBase, Stage, Tag
from tests.knowledge.enrich.conftest import Script, add, enrich, read
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
CSV = b"name;depth in m\n" + b"".join(b"pier %d;%d\n" % (n, n) for n in range(1, 9))


@pytest.fixture
def tagging_base(base: KnowledgeBase) -> KnowledgeBase:
    base.options["enrichment"] = {"summary": False, "tags": True, "tags_most": 2}
    base.save()
    for position, name in enumerate(("harbour", "kitchen", "ropes", "lamps")):
        Tag.objects.create(space_id=base.space_id, base=base, name=name, position=position)
    return base


def tags_of(document: Document) -> list[tuple[str, float | None]]:
    rows = DocumentTag.objects.filter(document=document).order_by("tag__position")
    return [(row.tag.name, row.confidence) for row in rows]


def test_sure_existing_tags_are_put_on(
    olivia: Persona, tagging_base: KnowledgeBase, script: Script
) -> None:
    chosen = [
        {"number": 1, "confidence": 0.8},
        {"number": 2, "confidence": 0.5},
        {"number": 3, "confidence": 95},
        {"number": 4, "confidence": 0.76},
        {"number": 99, "confidence": 1},
    ]
    script([say(json.dumps({"tags": chosen}))])
    document = enrich(read(add(olivia, tagging_base)))
    assert tags_of(document) == [("harbour", 0.8), ("ropes", 0.95)]


def test_tagged_document_is_left_as_it_is(
    olivia: Persona, tagging_base: KnowledgeBase, script: Script
) -> None:
    script([])
    document = read(add(olivia, tagging_base))
    DocumentTag.objects.create(
        space_id=document.space_id, document=document, tag=Tag.objects.get(name="kitchen")
    )
    enrich(document)
    assert tags_of(document) == [("kitchen", None)]
    assert Stage.objects.get(name=StageName.TAGS).state == StageState.SKIPPED


def test_table_and_its_columns_are_described_below_their_passage(
    olivia: Persona, base: KnowledgeBase, script: Script
) -> None:
    base.options["enrichment"] = {"summary": False}
    base.save()
    said = {
        "summary": "Depths of piers.",
        "columns": [{"number": 2, "description": "How deep the water is."}, {"number": 7}],
    }
    model = script([say(json.dumps(said))])
    document = enrich(read(add(olivia, base, CSV, "depths.csv")))
    made = Chunk.objects.filter(document=document, parent__isnull=False).order_by("kind")
    assert [(row.kind, row.text) for row in made] == [
        (ChunkKind.TABLE_COLUMN, "depths, depth in m: How deep the water is."),
        (ChunkKind.TABLE_SUMMARY, "depths: Depths of piers. (8 rows)"),
    ]
    assert "Rows: 8" in model.asked[0][1].content
    assert "pier 1 | 1" in model.asked[0][1].content
