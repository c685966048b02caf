"""Three documents become pages; one changes; one is deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from knowledge.constants import DocumentState
from knowledge.models import Document, KnowledgeBase
from knowledge.services.removal import remove_document
from tests.personas import Persona
from tests.wiki.build.conftest import Play, work_off
from tests.wiki.build.recorded import DOCUMENTS, RecordedModel, add, change, recordings
from wiki.build.queue import put_operation
from wiki.constants import OperationKind, OperationState, PageKind
from wiki.models import WikiOperation, WikiPage, WikiRevision
from wiki.pages.sources import SourcedSentence, freshness_of, sentences_of
from wiki.services.building import start_build

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not DOCUMENTS.is_dir(), reason=f"{DOCUMENTS} is not there: set WEKNORA_SHARED"
    ),
]
NAMES = ("doc1_stardust_memo.md", "doc2_psionic_engine.md", "doc3_dr_cole_log.md")


def text_of(name: str) -> str:
    return (DOCUMENTS / name).read_text(encoding="utf-8")


def facts() -> list[dict[str, Any]]:
    lines = (DOCUMENTS / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


@pytest.fixture
def documents(base: KnowledgeBase) -> dict[str, Document]:
    return {name: add(base, name, text_of(name)) for name in NAMES}


@pytest.fixture
def model(
    base: KnowledgeBase, documents: dict[str, Document], play: Play, olivia: Persona
) -> RecordedModel:
    """The pages are built when this is there."""
    model = play(RecordedModel(recordings("doc1", "doc2", "doc3")))
    start_build(olivia.actor, base_id=base.pk)
    work_off()
    failed = WikiOperation.objects.exclude(state=OperationState.DONE)
    assert not failed.exists(), list(failed.values_list("document_name", "error"))
    return model


def subject_pages() -> dict[str, WikiPage]:
    rows = WikiPage.objects.filter(kind__in=(PageKind.ENTITY, PageKind.CONCEPT), trashed_at=None)
    return {page.title: page for page in rows}


def sentences(actor: Any, page: WikiPage) -> list[SourcedSentence]:
    return sentences_of(actor, page)


def contents() -> dict[str, str]:
    rows = WikiPage.objects.filter(trashed_at=None).exclude(kind=PageKind.INDEX)
    return dict(rows.values_list("title", "content"))


def test_each_fact_stands_once_under_its_subject_with_its_source(
    model: RecordedModel, olivia: Persona
) -> None:
    pages = subject_pages()
    assert set(pages) == {"星尘计划", "天穹财团", "艾琳·科尔", "幽能引擎", "虚空共振理论", "星晶"}
    for fact in facts():
        page = pages[fact["subject"]]
        telling = [
            each
            for each in sentences(olivia.actor, page)
            if all(part in each.sentence.text for part in fact["must_contain"])
            and any(source.document_name == fact["source"] for source in each.sources)
        ]
        assert len(telling) == 1, (fact["fact"], [each.sentence.text for each in telling])
    for page in pages.values():
        read = sentences(olivia.actor, page)
        assert read
        assert all(each.sources for each in read)
        assert all(source.source_state == "unchanged" for e in read for source in e.sources)
        assert len({each.sentence.hash for each in read}) == len(read)
    assert "15%" not in pages["星尘计划"].content
    assert "幻觉" not in pages["艾琳·科尔"].content


def test_pages_lie_in_folders_and_lead_to_each_other(model: RecordedModel) -> None:
    pages = subject_pages()
    assert pages["幽能引擎"].folder is not None
    assert pages["幽能引擎"].folder.path == "技术/推进"
    assert "[[concept/虚空共振理论|虚空共振理论]]" in pages["幽能引擎"].content
    assert not pages["星晶"].out_links.filter(target=None).exists()
    index = WikiPage.objects.get(slug="index")
    assert index.out_links.count() == 9


def test_nothing_is_asked_twice(model: RecordedModel, base: KnowledgeBase) -> None:
    asked, revisions = len(model.asked), WikiRevision.objects.count()
    for document in Document.objects.all():
        change(document, text_of(document.name))
        put_operation(base, document.pk, OperationKind.INGEST, name=document.name)
    work_off()
    assert len(model.asked) == asked
    assert WikiRevision.objects.count() == revisions


def test_a_changed_document_changes_only_what_rests_on_it(
    model: RecordedModel,
    base: KnowledgeBase,
    documents: dict[str, Document],
    play: Play,
    olivia: Persona,
) -> None:
    before = contents()
    changed = documents[NAMES[1]]
    change(changed, text_of(NAMES[1]).replace("在室温下超导", "在 77 开以下超导"))
    assert freshness_of(olivia.actor, subject_pages()["星晶"]).changed == 2
    again = play(RecordedModel(recordings("doc2_changed")))
    put_operation(base, changed.pk, OperationKind.INGEST, name=changed.name)
    work_off()
    after = contents()
    old, new = (
        "星晶在室温下超导，并在特定频段下自发振荡。",
        "星晶在 77 开以下超导，并在特定频段下自发振荡。",
    )
    assert before["星晶"].count(old) == 1
    assert after["星晶"] == before["星晶"].replace(old, new)
    assert {**after, "星晶": ""} == {**before, "星晶": ""}
    assert freshness_of(olivia.actor, subject_pages()["星晶"]).changed == 0
    written = [material for step, material in again.asked if step == "wiki.write"]
    assert {m.split("\n")[0] for m in written} == {
        "Subject of the page: 星晶",
        "Subject of the page: doc2 psionic engine",
    }


def test_a_deleted_document_takes_only_its_facts(
    model: RecordedModel, base: KnowledgeBase, documents: dict[str, Document]
) -> None:
    before, asked = contents(), len(model.asked)
    Document.objects.filter(pk=documents[NAMES[2]].pk).update(state=DocumentState.DELETING)
    remove_document(documents[NAMES[2]].pk)
    work_off()
    after = contents()
    expected = dict(before)
    for title, gone in (
        (
            "艾琳·科尔",
            "她向[[entity/天穹财团|天穹财团]]董事会提交紧急备忘录，建议立即暂停所有引擎相关的实验。",
        ),
        ("天穹财团", "只要测试人员的死亡率不超过 15%，天穹财团董事会就不改变项目推进的优先级。"),
    ):
        assert gone in before[title], before[title]
        expected[title] = before[title].replace(gone, "")
    expected["星晶"] = before["星晶"][: before["星晶"].index("\n## 副作用")]
    del expected["doc3 dr cole log"]
    assert after == expected
    assert len(model.asked) == asked
