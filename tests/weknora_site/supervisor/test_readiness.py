from __future__ import annotations

import json
import socket
import threading

import pytest

from weknora_site.supervisor.readiness import Answer, Probe, parse_answer


def answer_once(server: socket.socket, parts: list[bytes], received: list[bytes]) -> None:
    connection, _ = server.accept()
    with connection:
        received.append(connection.recv(4096))
        for part in parts:
            connection.sendall(part)


def ask(parts: list[bytes]) -> tuple[Answer, bytes]:
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer_once, args=(server, parts, received))
        thread.start()
        probe = Probe("127.0.0.1", server.getsockname()[1], "/health/ready", key="k")
        thread.join(timeout=10)
        answer = None
        while answer is None:
            answer = probe.read()
        probe.close()
    return answer, received[0]


def test_200_is_ready():
    answer, request = ask([b"HTTP/1.1 200 OK\r\n", b"\r\n", b"{}"])
    assert answer == Answer(ready=True)
    assert request.startswith(b"GET /health/ready HTTP/1.0\r\nHost: localhost\r\n")
    assert b"Authorization: Bearer k\r\n" in request


def test_503_gives_the_reasons_of_what_is_not_well():
    checks = {"database": {"ok": True}, "workers": {"ok": False, "reason": "none lives"}}
    body = json.dumps({"checks": checks}).encode()
    answer, _ = ask([b"HTTP/1.1 503 x\r\n\r\n", body[:10], body[10:]])
    assert answer == Answer(ready=False, reasons=("workers: none lives",))


@pytest.mark.parametrize("response", [b"", b"garbage", b"HTTP/1.1 503 x\r\n\r\n<html>", b"\x00"])
def test_what_is_no_answer_is_not_ready(response):
    assert parse_answer(response) == Answer(ready=False)


def test_nobody_there_is_an_oserror():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        Probe("127.0.0.1", port, "/")
