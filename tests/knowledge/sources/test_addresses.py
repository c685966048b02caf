"""Addresses fetched from a real server on the loopback, through the guarded client."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from core.addresses import AllowList, parse_allow_list
from core.errors import AccessDenied, Conflict, Invalid
from core.jobs.work import work
from knowledge.constants import DocumentState
from knowledge.models import Chunk, Document, DocumentVersion, KnowledgeBase
from knowledge.sources.addresses import add_address, fetch_again
from knowledge.sources.url import clean_url, name_of_url
from tests.personas import Persona

pytestmark = pytest.mark.django_db(transaction=True)
ARTICLE = "The lighthouse keeper writes down each ship that passes the pier at night. " * 12
PAGE = f"<!doctype html><title>Ships &amp; lamps</title><body><article><h1>Ships</h1><p>{ARTICLE}"


class Site(ThreadingHTTPServer):
    answers: dict[str, tuple[int, str, bytes]]

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Site)
        status, kind, body = self.server.answers.get(self.path, (404, "text/html", b"gone"))
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def site(settings: Any) -> Iterator[Site]:
    with Site(("127.0.0.1", 0), _Handler) as server:
        server.answers = {}
        settings.SSRF_ALLOW = parse_allow_list(["127.0.0.1"])
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def fetched(cora: Persona, shelf: KnowledgeBase, site: Site) -> Any:
    def fetch(status: int, kind: str, body: bytes | str, path: str = "/page") -> Document:
        content = body.encode() if isinstance(body, str) else body
        site.answers[path] = (status, kind, content)
        document = add_address(cora.actor, base_id=shelf.pk, url=site.origin + path)
        assert work("ingest")
        document.refresh_from_db()
        return document

    return fetch


def test_page_is_fetched_named_and_read(fetched: Any) -> None:
    document = fetched(200, "text/html; charset=utf-8", PAGE)
    assert document.name == "Ships lamps.html"
    assert work("ingest")
    document.refresh_from_db()
    assert document.state == DocumentState.COMPLETED
    assert "lighthouse keeper" in Chunk.objects.filter(document=document)[0].text


def test_file_is_kept_under_its_name(fetched: Any) -> None:
    document = fetched(200, "text/plain", "Ropes hang in the store.", "/files/ropes")
    assert document.name == "ropes.txt"
    assert work("ingest")
    document.refresh_from_db()
    assert document.state == DocumentState.COMPLETED


@pytest.mark.parametrize(
    ("status", "body", "code", "word"),
    [
        (404, "gone", "not_there", "404"),
        (403, "no", "not_open", "403"),
        (200, "", "empty", "nothing"),
        (200, "<html><body><script>app()</script>", "no_text", "text"),
        (
            200,
            "<title>Not found</title><p>The page you look for is not here any more, sorry for that.",
            "error_page",
            "only says",
        ),
        (
            200,
            "<p>Just a moment… Enable JavaScript and cookies to continue to the shop of lamps.",
            "error_page",
            "only says",
        ),
    ],
)
def test_error_page_is_refused_and_never_indexed(
    fetched: Any, status: int, body: str, code: str, word: str
) -> None:
    document = fetched(status, "text/html", body)
    assert document.reason_code == code
    assert word in document.reason
    assert document.state in (DocumentState.REFUSED, DocumentState.FAILED)
    assert not work("ingest")
    assert not Chunk.objects.filter(document=document).exists()


def test_busy_server_is_asked_again_later(fetched: Any) -> None:
    document = fetched(503, "text/html", "later")
    assert document.state == DocumentState.PENDING
    assert "tried again automatically" in document.reason


def test_changed_page_is_a_new_version(fetched: Any, cora: Persona, site: Site) -> None:
    document = fetched(200, "text/html", PAGE)
    assert work("ingest")
    site.answers["/page"] = (200, "text/html", PAGE.replace("night", "dawn").encode())
    fetch_again(cora.actor, document_id=document.pk)
    assert work("ingest")
    assert work("ingest")
    document.refresh_from_db()
    assert (document.version, document.state) == (2, DocumentState.COMPLETED)
    assert DocumentVersion.objects.filter(document=document).count() == 2
    assert "dawn" in Chunk.objects.filter(document=document)[0].text


def test_page_that_went_keeps_what_was_read(fetched: Any, cora: Persona, site: Site) -> None:
    document = fetched(200, "text/html", PAGE)
    assert work("ingest")
    site.answers.clear()
    fetch_again(cora.actor, document_id=document.pk)
    assert work("ingest")
    document.refresh_from_db()
    assert document.reason_code == "not_there"
    assert Chunk.objects.filter(document=document).exists()


def test_inner_address_is_refused_at_once(
    cora: Persona, shelf: KnowledgeBase, settings: Any
) -> None:
    settings.SSRF_ALLOW = AllowList()
    for url in ("http://127.0.0.1:9/", "http://169.254.169.254/latest/meta-data/"):
        with pytest.raises(Invalid):
            add_address(cora.actor, base_id=shelf.pk, url=url)
    assert not Document.objects.exists()


def test_address_stands_once_in_a_base(cora: Persona, shelf: KnowledgeBase, site: Site) -> None:
    add_address(cora.actor, base_id=shelf.pk, url=f"{site.origin}/page")
    with pytest.raises(Conflict):
        add_address(cora.actor, base_id=shelf.pk, url=f"{site.origin}/page#part")


def test_viewer_adds_no_address(victor: Persona, shelf: KnowledgeBase, site: Site) -> None:
    with pytest.raises(AccessDenied):
        add_address(victor.actor, base_id=shelf.pk, url=f"{site.origin}/page")


@pytest.mark.parametrize(
    "url", ["", "ftp://a.example/x", "a.example/x", "https://u:p@a.example/", "https://a b/"]
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        clean_url(url)


def test_name_of_an_address_is_safe() -> None:
    assert name_of_url("https://a.example/x/%2e%2e%2fetc%2fpasswd") == "etc passwd"
    assert name_of_url("https://a.example/") == "a.example"
