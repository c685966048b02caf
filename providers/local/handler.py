"""One HTTP request to the local models: who may, what is asked, in what shape it is answered."""

from __future__ import annotations

import hmac
import json
import logging
import select
import socket
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

from providers.local.catalogue import CallerGone, CatalogueLoader, check_model, models_body
from providers.local.completions import completion_body, completion_chunks
from providers.local.extractive.answerer import answer
from providers.local.protocol import (
    RequestRejected,
    embedding_body,
    read_chat_request,
    read_embedding_request,
    read_rerank_request,
    rerank_body,
)

logger = logging.getLogger(__name__)

MAXIMUM_BODY_BYTES = 16 * 1024 * 1024
_IDLE_SECONDS = 75


class Handler(BaseHTTPRequestHandler):
    """Serves the OpenAI-shaped paths; `bound` makes a class of it with its dependencies."""

    protocol_version = "HTTP/1.1"
    server_version = "local-models"
    sys_version = ""
    timeout = _IDLE_SECONDS
    disable_nagle_algorithm = True
    wbufsize = 64 * 1024
    loader: ClassVar[CatalogueLoader]
    key: ClassVar[str]

    @classmethod
    def bound(cls, loader: CatalogueLoader, *, key: str) -> type[Handler]:
        """Return a handler class for this catalogue and key."""
        return type("BoundHandler", (cls,), {"loader": loader, "key": key})

    def do_GET(self) -> None:
        """Serve /health and /v1/models."""
        routes: dict[str, Callable[[], None]] = {
            "/health": self._health,
            "/v1/models": self._models,
        }
        self._dispatch(routes)

    def do_POST(self) -> None:
        """Serve the three kinds of models."""
        routes: dict[str, Callable[[], None]] = {
            "/v1/embeddings": self._embeddings,
            "/v1/rerank": self._rerank,
            "/v1/chat/completions": self._chat,
        }
        self._dispatch(routes)

    def _dispatch(self, routes: dict[str, Callable[[], None]]) -> None:
        path = self.path.partition("?")[0]
        try:
            if path != "/health":
                self._check_key()
            route = routes.get(path)
            if route is None:
                raise RequestRejected(404, f"nothing is served at {path}", code="not_found")
            route()
        except RequestRejected as rejected:
            self._reject(rejected)
        except (CallerGone, ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception:
            logger.exception("a request to %s failed", path)
            self._reject(RequestRejected(500, "the local model failed; its log says why"))

    def _check_key(self) -> None:
        sent = self.headers.get("Authorization", "")
        wanted = f"Bearer {self.key}"
        if not hmac.compare_digest(sent.encode(), wanted.encode()):
            raise RequestRejected(401, "the key is missing or wrong", code="invalid_api_key")

    def _health(self) -> None:
        ready = self.loader.ready
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        self._send(status, {"status": "ok" if ready else "loading"})

    def _models(self) -> None:
        self._send(HTTPStatus.OK, models_body(self.loader.get()))

    def _embeddings(self) -> None:
        request = read_embedding_request(self._body())
        check_model(request.model, "embedding")
        catalogue = self.loader.get()
        embedded = catalogue.embed(request.texts, kind=request.kind, gone=self._caller_gone)
        body = embedding_body(
            embedded.vectors,
            encoding=request.encoding,
            model=catalogue.embedding_identity,
            tokens=embedded.tokens,
        )
        self._send(HTTPStatus.OK, body)

    def _rerank(self) -> None:
        request = read_rerank_request(self._body())
        check_model(request.model, "rerank")
        catalogue = self.loader.get()
        scores = catalogue.rerank(request.query, request.passages, gone=self._caller_gone)
        self._send(HTTPStatus.OK, rerank_body(scores, request, model=catalogue.rerank_identity))

    def _chat(self) -> None:
        request = read_chat_request(self._body())
        check_model(request.model, "chat")
        catalogue = self.loader.get()
        reply = answer(request, catalogue, gone=self._caller_gone)
        if request.stream:
            self._send_events(completion_chunks(request, reply))
        else:
            self._send(HTTPStatus.OK, completion_body(request, reply))

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            raise RequestRejected(411, "a request needs a Content-Length")
        if int(length) > MAXIMUM_BODY_BYTES:
            raise RequestRejected(413, f"a request has at most {MAXIMUM_BODY_BYTES} bytes")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise RequestRejected(400, f"the body is not JSON: {error}") from error
        if not isinstance(body, dict):
            raise RequestRejected(400, "the body must be a JSON object")
        return body

    def _caller_gone(self) -> bool:
        """Say whether the other side closed its connection (nothing more is expected from it)."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        if not readable:
            return False
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _send(self, status: int, body: dict[str, Any]) -> None:
        payload = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)
        self.wfile.flush()

    def _send_events(self, chunks: Iterator[dict[str, Any]]) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks:
            self._send_part(f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n")
        self._send_part("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _send_part(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _reject(self, rejected: RequestRejected) -> None:
        # The body may be unread: the connection can't be used for another request.
        self.close_connection = True
        payload = json.dumps(rejected.body()).encode()
        try:
            self.send_response(rejected.status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(payload)))
            self.send_header("Connection", "close")
            if rejected.retry_after_seconds is not None:
                self.send_header("Retry-After", str(rejected.retry_after_seconds))
            self.end_headers()
            self.wfile.write(payload)
            self.wfile.flush()
        except OSError:
            logger.debug("the caller of %s hung up before its error", self.path)

    def log_message(self, format: str, *args: Any) -> None:
        """Log requests for the curious only; nothing of their content."""
        logger.debug(format, *args)
