"""A real server: what a client sees of answers that fail before and after they have begun."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest

_SERVER = """
import asyncio, socket, sys
from weknora_site.http_server import BodyLimits, HttpServer

async def application(scope, receive, send):
    if scope["path"] == "/count":
        count, parts, more = 0, 0, True
        while more:
            message = await receive()
            count, parts, more = count + len(message["body"]), parts + 1, message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"%d in %d" % (count, parts)})
        return
    if scope["path"] == "/early":
        raise RuntimeError("before the answer")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for number in range(3):
        await send({"type": "http.response.body", "body": b"row\\n", "more_body": True})
        if scope["path"] == "/late":
            raise RuntimeError("the database is gone")
    await send({"type": "http.response.body"})

class Told(HttpServer):
    def listen_success(self, port):
        print(port.getHost().port, flush=True)

Told(application, endpoints=["tcp:port=0:interface=127.0.0.1"],
     limits=BodyLimits(known=3_000_000, unknown=1000)).run()
"""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.terminate()
        assert process.stderr is not None
        assert "An answer broke off: the database is gone" in process.stderr.read()


def ask(port: int, path: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    with closing(connection):
        connection.request("GET", path)
        with closing(connection.getresponse()) as answer:
            return answer.status, answer.read()


def test_a_whole_answer_is_whole(port: int) -> None:
    assert ask(port, "/whole") == (200, b"row\n" * 3)


def test_an_answer_that_fails_midway_ends_and_is_known_to_be_cut(port: int) -> None:
    with pytest.raises(http.client.IncompleteRead):
        ask(port, "/late")


def test_later_failures_are_answered_all_the_same(port: int) -> None:
    for _ in range(2):
        with pytest.raises(http.client.IncompleteRead):
            ask(port, "/late")
        status, body = ask(port, "/early")
        assert status == 500
        assert b"Internal Server Error" in body


def send(port: int, body: object, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    with closing(connection):
        connection.request("POST", "/count", body=body, headers=headers)  # type: ignore[arg-type]
        with closing(connection.getresponse()) as answer:
            return answer.status, answer.read()


def test_a_body_is_handed_on_in_large_parts(port: int) -> None:
    assert send(port, b"x" * 2_500_000, Cookie="a=b; sessionid=1") == (200, b"2500000 in 3")


def test_of_strangers_only_a_form_is_taken(port: int) -> None:
    assert send(port, b"x" * 1000) == (200, b"1000 in 1")
    assert send(port, b"x" * 1001)[0] == 413
    assert send(port, b"x" * 1001, Authorization="Bearer key") == (200, b"1001 in 1")


@pytest.mark.parametrize("body", [b"x" * 3_000_001, (b"x" * 999_999 for _ in range(4))])
def test_too_much_is_refused_before_it_is_kept(port: int, body: object) -> None:
    assert send(port, body, Cookie="sessionid=1")[0] == 413


def test_a_refused_client_is_told_before_it_has_sent_anything(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000000\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")
        while client.recv(1000):
            pass
    assert ask(port, "/whole") == (200, b"row\n" * 3)
