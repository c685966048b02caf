from __future__ import annotations

import pytest
from django.core.files.storage import default_storage

from core.errors import Conflict, Invalid, NotFound, TooLarge
from core.jobs.work import work
from knowledge.constants import DocumentState
from knowledge.models import Chunk, DocumentVersion, KnowledgeBase
from knowledge.queries import get_document
from knowledge.services.documents import add_document
from knowledge.sources import manual
from knowledge.sources.manual import publish_text, read_text, rewrite_text, write_text
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)


def test_draft_is_not_indexed_until_it_is_published(
    cora: Persona, victor: Persona, shelf: KnowledgeBase
) -> None:
    draft = write_text(
        cora.actor, base_id=shelf.pk, title="Keys", text="The key hangs there.", publish=False
    )
    assert not work("ingest")
    with pytest.raises(NotFound):
        get_document(victor.actor, draft.pk)
    publish_text(cora.actor, document_id=draft.pk)
    assert work("ingest")
    found = get_document(victor.actor, draft.pk)
    assert (found.name, found.state) == ("Keys.md", DocumentState.COMPLETED)
    with pytest.raises(Conflict):
        publish_text(cora.actor, document_id=draft.pk)


def test_draft_is_overwritten_and_its_old_text_is_gone(cora: Persona, shelf: KnowledgeBase) -> None:
    draft = write_text(cora.actor, base_id=shelf.pk, title="Keys", text="One.", publish=False)
    old = f"spaces/{draft.space_id}/files/{draft.content_hash[:2]}/{draft.content_hash}"
    rewrite_text(cora.actor, document_id=draft.pk, title="Doors", text="Two.", publish=False)
    assert read_text(cora.actor, document_id=draft.pk) == "Two."
    assert not default_storage.exists(old)
    assert not DocumentVersion.objects.exists()


def test_published_text_gets_a_new_version(cora: Persona, shelf: KnowledgeBase) -> None:
    text = write_text(cora.actor, base_id=shelf.pk, title="Keys", text="The key is red.")
    assert work("ingest")
    rewrite_text(
        cora.actor, document_id=text.pk, title="Keys", text="The key is blue.", publish=True
    )
    assert work("ingest")
    text.refresh_from_db()
    assert text.version == 2
    assert Chunk.objects.get(document=text).text == "The key is blue."


def test_file_is_not_edited_here(cora: Persona, shelf: KnowledgeBase) -> None:
    file = add_document(cora.actor, base_id=shelf.pk, name="a.md", content=b"# A")
    with pytest.raises(Conflict, match="not written here"):
        read_text(cora.actor, document_id=file.pk)


def test_empty_and_endless_texts_are_refused(
    cora: Persona, shelf: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manual, "LONGEST_TEXT", 10)
    for title, text, error in (
        ("", "a", Invalid),
        ("A", " \n", Invalid),
        ("A", "x" * 11, TooLarge),
    ):
        with pytest.raises(error):
            write_text(cora.actor, base_id=shelf.pk, title=title, text=text)
