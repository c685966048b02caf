"""Copies of whole bases: settings, tags, what the actor sees; twice is once; it can be cancelled."""

from __future__ import annotations

import pytest

from core.errors import AccessDenied, Conflict
from core.jobs.work import work
from knowledge.batches.services import cancel_batch
from knowledge.constants import BaseKind, BatchState, DocumentState
from knowledge.faq.drafts import EntryDraft
from knowledge.faq.services import create_entry
from knowledge.ingest import pipeline
from knowledge.models import Document, FaqEntry, KnowledgeBase, Tag
from knowledge.organising.copies import copy_base
from knowledge.organising.tags import create_tag, set_document_tags
from tests.factories.knowledge import make_base
from tests.factories.providers import make_model
from tests.knowledge.organising.conftest import Shelf
from tests.knowledge.search_models import WordModel
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def model(cora: Persona, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "get_embedding_model", lambda *_, **__: WordModel())
    make_model(cora.space, type="embedding", is_default=True)


def work_all() -> None:
    while work("default") or work("ingest"):
        pass


def test_copy_of_settings_holds_tags_and_no_documents(cora: Persona, shelf: Shelf) -> None:
    shelf.base.options = {"split": {"size_characters": 900}}
    shelf.base.save()
    create_tag(cora.actor, base_id=shelf.base.pk, name="Red", color="bad")
    made, batch = copy_base(cora.actor, base_id=shelf.base.pk, name="Twin", with_content=False)
    work_all()
    assert batch is None
    assert made.options["split"]["size_characters"] == 900
    assert [tag.name for tag in Tag.objects.filter(base=made)] == ["Red"]
    assert not Document.objects.filter(base=made).exists()


def test_content_comes_as_a_batch_that_ends(cora: Persona, shelf: Shelf) -> None:
    tag = create_tag(cora.actor, base_id=shelf.base.pk, name="Red", color="bad")
    set_document_tags(cora.actor, document_id=shelf.inner.pk, tag_ids=[tag.pk])
    made, batch = copy_base(cora.actor, base_id=shelf.base.pk, name="Twin", with_content=True)
    work_all()
    copies = Document.objects.filter(base=made)
    assert {(each.folder_path, each.name) for each in copies} == {
        ("", "root.txt"),
        ("Law", "outer.txt"),
        ("Law/Cases", "inner.txt"),
    }
    assert {each.state for each in copies} == {DocumentState.COMPLETED}
    assert copies.get(name="inner.txt").tag_rows.get().tag.name == "Red"
    assert batch is not None
    batch.refresh_from_db()
    assert batch.state == BatchState.DONE


def test_canceled_copy_brings_nothing_more(cora: Persona, shelf: Shelf) -> None:
    made, batch = copy_base(cora.actor, base_id=shelf.base.pk, name="Twin", with_content=True)
    assert batch is not None
    cancel_batch(cora.actor, batch_id=batch.pk)
    work_all()
    assert not Document.objects.filter(base=made).exists()


def test_entries_are_copied_once(cora: Persona) -> None:
    with cora.scope():
        base = make_base(cora.space, kind=BaseKind.FAQ, created_by=cora.user)
        draft = EntryDraft(standard_question="Where is it?", answers=("At the pier.",))
        create_entry(cora.actor, base_id=base.pk, draft=draft)
        made, batch = copy_base(cora.actor, base_id=base.pk, name="Twin", with_content=True)
        work_all()
        assert batch is None
        assert FaqEntry.objects.get(base=made).answers == ["At the pier."]


def test_name_that_is_taken_is_refused(cora: Persona, shelf: Shelf) -> None:
    with pytest.raises(Conflict):
        copy_base(cora.actor, base_id=shelf.base.pk, name="Shelf", with_content=False)


def test_who_only_reads_copies_nothing(victor: Persona, shelf: Shelf) -> None:
    with pytest.raises(AccessDenied):
        copy_base(victor.actor, base_id=shelf.base.pk, name="Twin", with_content=False)
    assert KnowledgeBase.objects.count() == 1
