"""Cora's base of three documents in folders; files below the test's own folder, no broker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from celery import current_app

from knowledge.models import Document, KnowledgeBase
from knowledge.storage import store_file
from tests.factories.knowledge import make_base, make_document
from tests.personas import Persona


@pytest.fixture(autouse=True)
def quiet_installation(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)


@dataclass(kw_only=True)
class Shelf:
    """A base with a document at the root and in two folders, one inside of the other."""

    base: KnowledgeBase
    root: Document
    outer: Document
    inner: Document


def stored_document(base: KnowledgeBase, *, name: str, text: str, folder: str = "") -> Document:
    """Make a document whose file is in the store."""
    stored = store_file(base.space_id, BytesIO(text.encode()))
    return make_document(
        base, name=name, texts=[text], folder_path=folder, content_hash=stored.content_hash
    )


@pytest.fixture
def shelf(cora: Persona) -> Iterator[Shelf]:
    base = make_base(cora.space, name="Shelf", created_by=cora.user)
    with cora.scope():
        yield Shelf(
            base=base,
            root=stored_document(base, name="root.txt", text="The door is open."),
            outer=stored_document(base, name="outer.txt", text="The key is red.", folder="Law"),
            inner=stored_document(
                base, name="inner.txt", text="The safe is blue.", folder="Law/Cases"
            ),
        )
