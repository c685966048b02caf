"""A small server that speaks clamd's INSTREAM protocol, for tests."""

from __future__ import annotations

import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager

EICAR = b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE"


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        server = self.server
        assert isinstance(server, Scanner)
        if self.rfile.read(len(b"zINSTREAM\0")) != b"zINSTREAM\0":
            self.wfile.write(b"UNKNOWN COMMAND\0")
            return
        content = bytearray()
        while size := struct.unpack("!L", self.rfile.read(4))[0]:
            content += self.rfile.read(size)
            if len(content) > server.longest:
                self.wfile.write(b"INSTREAM size limit exceeded. ERROR\0")
                return
        server.seen.append(bytes(content))
        found = b"stream: Eicar-Test-Signature FOUND" if EICAR in content else b"stream: OK"
        self.wfile.write((server.answer or found) + b"\0")


class Scanner(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[bytes] = []
        self.longest = 1_000_000
        self.answer = b""

    @property
    def address(self) -> str:
        host, port = self.server_address[:2]
        return f"{host!s}:{port}"


@contextmanager
def scanner() -> Iterator[Scanner]:
    with Scanner() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
