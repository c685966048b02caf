"""Daphne, taking no body that is too large, and ending the connection of an answer that broke off."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

import daphne.server
from daphne.http_protocol import HTTPFactory, WebRequest
from daphne.server import Server

logger = logging.getLogger(__name__)

CHUNK_BYTES = 1_000_000
"""Of a body, handed on at once. By Daphne's own 8 kB a file of 100 MB held up everybody for seconds."""
LINGER_SECONDS = 3.0
"""So long a client that is still sending may read why it was refused."""
_WORDS = b"The request is too large.\n"
_REFUSAL = (
    b"HTTP/1.1 413 Content Too Large\r\nContent-Type: text/plain\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_WORDS), _WORDS)
)


@dataclass(frozen=True, kw_only=True)
class BodyLimits:
    """How many bytes a request may bring along; more is refused before it is read."""

    known: int = 2**62
    """With a session, a key or a token; whether they are good is asked later."""
    unknown: int = 2**62
    """Of anybody else, who can only log in, or fill in a form."""
    session_cookie: bytes = b"sessionid"

    def of(self, headers: Any) -> int:
        """Return the limit for a request with these headers (Twisted's)."""
        cookies = b"; ".join(headers.getRawHeaders(b"cookie", []))
        named = any(headers.hasHeader(name) for name in (b"authorization", b"x-api-key"))
        return self.known if named or self.session_cookie + b"=" in cookies else self.unknown


class SizedRequest(WebRequest):  # type: ignore[misc]  # Daphne has no types
    """A request whose body is refused by the length that is announced, or else that arrives."""

    is_refused = False
    received = 0

    def gotLength(self, length: int | None) -> None:  # noqa: N802  Twisted's name
        """Look at the announced length before the first byte is kept."""
        self.most = self.server.limits.of(self.requestHeaders)
        if length is not None and length > self.most:
            self._refuse()
        super().gotLength(0 if self.is_refused else length)

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802
        """Keep a part of the body, unless there is too much of it."""
        self.received += len(data)
        if self.received > self.most and not self.is_refused:
            self._refuse()
        if not self.is_refused:
            super().handleContentChunk(data)

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:  # noqa: N802
        """Hand a whole request on; a refused one has had its answer."""
        if not self.is_refused:
            super().requestReceived(command, path, version)

    def _refuse(self) -> None:
        """Answer at once, and take no more: what still comes is thrown away for a moment."""
        self.is_refused = True
        transport = self.channel.transport
        transport.write(_REFUSAL)
        self.server.close_later(transport)


class _Factory(HTTPFactory):  # type: ignore[misc]
    def buildProtocol(self, addr: Any) -> Any:  # noqa: N802
        protocol = super().buildProtocol(addr)
        protocol.requestFactory = SizedRequest
        return protocol


# Daphne makes its factory in the middle of `Server.run`, under this name.
daphne.server.HTTPFactory = _Factory


class HttpServer(Server):  # type: ignore[misc]
    """Daphne, which cannot answer with an error once an answer has begun.

    It tries to all the same; that raises where it looks after its connections, and it looks after
    none any more: the broken answer never ends, nor does any later one that fails.
    """

    def __init__(self, *args: Any, limits: BodyLimits | None = None, **options: Any) -> None:
        """Take `limits`, and what Daphne takes."""
        options.setdefault("request_buffer_size", CHUNK_BYTES)
        super().__init__(*args, **options)
        self.limits = limits or BodyLimits()

    def close_later(self, transport: Any) -> None:
        """End a connection when its client had time to read."""
        from twisted.internet import reactor  # noqa: PLC0415  installed by Daphne, on import

        call_later: Any = reactor.callLater
        call_later(LINGER_SECONDS, transport.loseConnection)

    def application_checker(self) -> None:
        """Close the connections of broken answers, then let Daphne look after the others."""
        for protocol, details in list(self.connections.items()):
            if _is_broken(protocol, details.get("application_instance")):
                error = details["application_instance"].exception()
                logger.error("An answer broke off: %s", error, exc_info=error)
                details["application_instance"] = None
                # Without the last chunk: the client knows that the file is not whole.
                protocol.loseConnection()
        super().application_checker()


def _is_broken(protocol: object, application: Any) -> bool:
    if not isinstance(protocol, WebRequest) or application is None or not application.done():
        return False
    failed = not application.cancelled() and application.exception() is not None
    return failed and protocol._response_started and not protocol.finished
