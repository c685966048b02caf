"""Asks the running parts whether they are ready, from outside, without ever waiting for them."""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass

CONNECT_SECONDS = 0.5
GIVE_UP_SECONDS = 15.0
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  replaced, not listened on


@dataclass(frozen=True)
class Answer:
    """What a part said."""

    ready: bool
    reasons: tuple[str, ...] = ()


class Probe:
    """One request whose answer is read as it comes; the owner watches `fileno`."""

    def __init__(self, host: str, port: int, path: str, *, key: str = "") -> None:
        """Send the request.

        Raises:
            OSError: nobody listens there yet.
        """
        self._socket = socket.create_connection(
            (_EVERYWHERE.get(host, host), port), timeout=CONNECT_SECONDS
        )
        self._received = b""
        self._sent_at = time.monotonic()
        # `localhost` is always an allowed name; the address that we listen on need not be.
        lines = [f"GET {path} HTTP/1.0", "Host: localhost", "Connection: close"]
        if key:
            lines.append(f"Authorization: Bearer {key}")
        self._socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("ascii"))
        self._socket.setblocking(False)

    def fileno(self) -> int:
        """Return the descriptor to watch."""
        return self._socket.fileno()

    @property
    def is_too_old(self) -> bool:
        """Whether no answer is to be expected any more."""
        return time.monotonic() - self._sent_at > GIVE_UP_SECONDS

    def read(self) -> Answer | None:
        """Read what came; return the answer once it is whole."""
        try:
            while data := self._socket.recv(65_536):
                self._received += data
        except BlockingIOError:
            return None
        except OSError:
            return Answer(ready=False)
        return parse_answer(self._received)

    def close(self) -> None:
        """Let go of the connection."""
        self._socket.close()


def parse_answer(response: bytes) -> Answer:
    """Return what an HTTP response to a health request says."""
    head, _, body = response.partition(b"\r\n\r\n")
    if head.split(b" ", 2)[1:2] == [b"200"]:
        return Answer(ready=True)
    try:
        checks = json.loads(body).get("checks", {})
    except (ValueError, AttributeError):
        return Answer(ready=False)
    return Answer(
        ready=False,
        reasons=tuple(
            f"{name}: {check.get('reason')}"
            for name, check in checks.items()
            if not check.get("ok")
        ),
    )
