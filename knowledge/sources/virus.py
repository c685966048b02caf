"""Asks a virus scanner about a file: clamd's INSTREAM command, over TCP or a local socket.

The file goes over in pieces, each behind its length; an empty one ends it. The answer is one line:
"stream: OK" or "stream: <name> FOUND". Whatever else it says is an error, never a yes.
"""

from __future__ import annotations

import re
import socket
import struct
from dataclasses import dataclass
from typing import BinaryIO

from django.utils.translation import gettext as _

from core.errors import ServiceFailed, ServiceUnavailable

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 120.0
_PIECE = 1 << 16
_LONGEST_ANSWER = 4096
_FOUND = re.compile(r"^stream: (?P<name>.+) FOUND$")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the scanner says of a file."""

    virus: str = ""
    """Its name; blank for a clean file."""

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not self.virus


def scan(content: BinaryIO, *, address: str) -> Verdict:
    """Ask the scanner at `address`, "host:port" or the path of a socket, about the content.

    Raises:
        ServiceUnavailable: it cannot be reached, or does not answer in time.
        ServiceFailed: it answers with an error; its words are in the message.
    """
    try:
        with _connect(address) as line:
            answer = _ask(line, content)
    except OSError as error:
        raise ServiceUnavailable(_("The virus scanner cannot be reached.")) from error
    return _read(answer)


def _connect(address: str) -> socket.socket:
    if address.startswith("/"):
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        line.settimeout(CONNECT_SECONDS)
        try:
            line.connect(address)
        except OSError:
            line.close()
            raise
    else:
        host, _colon, port = address.rpartition(":")
        line = socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS)
    line.settimeout(ANSWER_SECONDS)
    return line


def _ask(line: socket.socket, content: BinaryIO) -> str:
    try:
        line.sendall(b"zINSTREAM\0")
        while piece := content.read(_PIECE):
            line.sendall(struct.pack("!L", len(piece)) + piece)
        line.sendall(struct.pack("!L", 0))
    except (BrokenPipeError, ConnectionResetError):
        pass  # it has made up its mind, too large a file for one: its answer says so
    answer = bytearray()
    while not answer.endswith(b"\0") and len(answer) < _LONGEST_ANSWER:
        piece = line.recv(_LONGEST_ANSWER)
        if not piece:
            break
        answer += piece
    return answer.rstrip(b"\0\n").decode("utf-8", "replace").strip()


def _read(answer: str) -> Verdict:
    if answer == "stream: OK":
        return Verdict()
    found = _FOUND.match(answer)
    if found is not None:
        return Verdict(virus=found["name"][:200])
    if not answer:
        raise ServiceUnavailable(_("The virus scanner ended the connection without an answer."))
    raise ServiceFailed(
        _("The virus scanner did not scan the file: %(answer)s") % {"answer": answer[:200]}
    )
