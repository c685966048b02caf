from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from django.core.files.storage import default_storage

from core.errors import Conflict, ServiceFailed, ServiceUnavailable
from core.jobs.work import work
from core.models import BackgroundJob, JobState
from knowledge.constants import DocumentState
from knowledge.models import Document, KnowledgeBase
from knowledge.services.documents import add_document, retry_document
from knowledge.sources.virus import scan
from tests.knowledge.sources.clamd import EICAR, Scanner, scanner
from tests.personas import Persona

TEXT = b"The lamp at the pier burns all night."


@pytest.fixture
def clamd() -> Iterator[Scanner]:
    with scanner() as server:
        yield server


def test_clean_file_is_clean(clamd: Scanner) -> None:
    content = b"x" * 200_000
    assert scan(BytesIO(content), address=clamd.address).is_clean
    assert clamd.seen == [content]


def test_virus_is_named(clamd: Scanner) -> None:
    verdict = scan(BytesIO(b"a" + EICAR), address=clamd.address)
    assert verdict.virus == "Eicar-Test-Signature"


def test_error_of_the_scanner_is_never_a_yes(clamd: Scanner) -> None:
    clamd.longest = 10
    with pytest.raises(ServiceFailed, match="size limit exceeded"):
        scan(BytesIO(b"x" * 1000), address=clamd.address)
    clamd.longest, clamd.answer = 10_000, b"stream: OK, I think"
    with pytest.raises(ServiceFailed):
        scan(BytesIO(b"x"), address=clamd.address)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "/nowhere/clamd.sock"])
def test_scanner_that_is_away_is_told(address: str) -> None:
    with pytest.raises(ServiceUnavailable):
        scan(BytesIO(TEXT), address=address)


@pytest.mark.django_db(transaction=True)
class TestOfADocument:
    @pytest.fixture
    def document(self, cora: Persona, shelf: KnowledgeBase, clamd: Scanner, settings: Any) -> Any:
        settings.CLAMD_ADDRESS = clamd.address

        def make(content: bytes) -> Document:
            return add_document(cora.actor, base_id=shelf.pk, name="a.txt", content=content)

        return make

    def test_is_read_after_it_was_scanned(self, document: Any, clamd: Scanner) -> None:
        added = document(TEXT)
        assert added.reason == "It waits for the virus scanner."
        assert work("ingest")
        assert clamd.seen == [TEXT]
        assert work("ingest")
        added.refresh_from_db()
        assert added.state == DocumentState.COMPLETED

    def test_is_refused_when_infected_and_not_kept(self, document: Any, cora: Persona) -> None:
        added = document(EICAR)
        key = f"spaces/{added.space_id}/files/{added.content_hash[:2]}/{added.content_hash}"
        assert default_storage.exists(key)
        assert work("ingest")
        added.refresh_from_db()
        assert (added.state, added.reason_code) == (DocumentState.REFUSED, "infected")
        assert "Eicar-Test-Signature" in added.reason
        assert not default_storage.exists(key)
        assert not work("ingest")
        with pytest.raises(Conflict, match="infected"):
            retry_document(cora.actor, document_id=added.pk)

    def test_waits_while_the_scanner_is_away(self, document: Any, settings: Any) -> None:
        settings.CLAMD_ADDRESS = "127.0.0.1:1"
        added = document(TEXT)
        assert work("ingest")
        added.refresh_from_db()
        assert (added.state, added.reason_code) == (DocumentState.PENDING, "unscanned")
        assert "cannot be reached" in added.reason
        job = BackgroundJob.objects.get(name="knowledge.scan_document")
        assert job.state == JobState.QUEUED
