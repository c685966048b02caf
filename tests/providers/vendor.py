"""A tiny HTTP server that plays a vendor: scripted bytes, sent in scripted pieces."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the vendor sends next."""

    pieces: Sequence[bytes]
    """Each is sent by itself."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    """Keep the connection open after the pieces, silent."""
    cut: bool = False
    """Close the connection before the answer's end."""


@dataclass
class Seen:
    """A request that came."""

    path: str
    headers: dict[str, str]
    """By their names in small letters."""
    body: Any


class Vendor:
    """Answers from a list, in order; keeps the requests."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.seen: list[Seen] = []
        self.closing = threading.Event()
        self.hung_up = threading.Event()
        self.url = ""

    def will(self, *answers: Answer) -> None:
        """Script the next answers."""
        self.answers.extend(answers)

    def will_fail(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        """Script an error with a JSON body, or a text."""
        text = body if isinstance(body, str) else json.dumps(body)
        self.will(Answer(pieces=[text.encode()], status=status, headers=headers or {}))

    def will_say(self, body: Any) -> None:
        """Script a success with a JSON body."""
        self.will(Answer(pieces=[json.dumps(body).encode()]))


def sse(*events: Any, done: bool = True) -> bytes:
    """Return events as a stream's bytes."""
    lines = [f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events]
    return ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode()


def chunk(delta: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """Return one event of a streamed completion."""
    choice = {"index": 0, "delta": dict(delta or {}), "finish_reason": fields.pop("finish", None)}
    base = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**base, "choices": [choice], **fields}


def stream(data: bytes, *, cuts: Iterable[int] = (), **fields: Any) -> Answer:
    """Return a streamed answer that is cut into pieces at these offsets."""
    places = sorted({0, len(data), *(cut for cut in cuts if 0 < cut < len(data))})
    pieces = [data[start:end] for start, end in zip(places, places[1:], strict=False)]
    return Answer(pieces=pieces, headers={"Content-Type": "text/event-stream"}, **fields)


@contextmanager
def running_vendor() -> Iterator[Vendor]:
    """Run a vendor for the block."""
    vendor = Vendor()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length) or b"null")
            vendor.seen.append(Seen(self.path, _lowered(self.headers.items()), body))
            _play(self, vendor, vendor.answers.pop(0))

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    vendor.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield vendor
    finally:
        vendor.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _lowered(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers}


def _play(handler: BaseHTTPRequestHandler, vendor: Vendor, answer: Answer) -> None:
    handler.close_connection = True
    handler.send_response(answer.status)
    for name, value in {"Content-Type": "application/json", **answer.headers}.items():
        handler.send_header(name, value)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.send_header("Connection", "close")
    handler.end_headers()
    try:
        for piece in answer.pieces:
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            handler.wfile.flush()
        if answer.hang:
            _wait_for_hang_up(handler.connection, vendor)
        elif not answer.cut:
            handler.wfile.write(b"0\r\n\r\n")
    except ConnectionError:
        vendor.hung_up.set()


def _wait_for_hang_up(connection: socket.socket, vendor: Vendor) -> None:
    connection.settimeout(0.02)
    while not vendor.closing.is_set():
        try:
            if not connection.recv(1):
                vendor.hung_up.set()
                return
        except TimeoutError:
            continue
