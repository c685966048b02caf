"""The guarded client against servers on this machine that try to lead it astray."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpcore
import httpx
import pytest
from pytest_django import Settings

from core import dialling, http
from core.addresses import AddressRefused, AllowList, parse_allow_list
from core.errors import ServiceFailed, ServiceUnavailable, TooLarge
from core.http import Fetched, Request, fetch, fetch_async, sync_client

Answer = tuple[int, dict[str, str], bytes]


@dataclass(kw_only=True)
class Server:
    """A server that answers as a test says, and remembers what it was sent."""

    port: int
    answers: dict[str, Answer] = field(default_factory=dict)
    seen: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def url(self, path: str = "/", *, host: str = "public.example") -> str:
        return f"http://{host}:{self.port}{path}"


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server(port=0)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.seen.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            status, headers, body = found.answers.get(self.path, (200, {}, b"fine"))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "Content-Length" not in headers:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  the library's name

        def log_message(self, *_: object) -> None:
            return

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.port = running.server_port
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield found
    running.shutdown()
    running.server_close()
    thread.join()


Resolver = Callable[..., None]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Resolver:
    """Let names turn into numbers, one after the other, without a real resolver; nothing is open.

    The test's server is reached as 93.184.216.34, a public number that is dialled on this machine.
    """
    settings.SSRF_ALLOW = AllowList()
    monkeypatch.setattr(dialling, "_trusted", set())
    table: dict[str, list[list[str]]] = {"public.example": [["93.184.216.34"]]}

    def resolve(host: str, port: int) -> list[str]:
        turns = table.get(host, [[host]])
        return turns.pop(0) if len(turns) > 1 else turns[0]

    real = socket.create_connection

    def connect(address: tuple[str, int], *args: object, **kwargs: object) -> socket.socket:
        host = "127.0.0.1" if address[0] == "93.184.216.34" else address[0]
        return real((host, address[1]), *args, **kwargs)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(dialling, "_resolve", resolve)
    monkeypatch.setattr(socket, "create_connection", connect)
    return lambda host, *turns: table.__setitem__(host, [list(each) for each in turns])


def test_a_public_address_is_fetched(server: Server, names: Resolver) -> None:
    found = fetch(Request(url=server.url("/x")))
    assert (found.status, found.content) == (200, b"fine")
    assert server.seen[0][1]["host"] == f"public.example:{server.port}"


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "//localhost/",
        "http://0x7f000001/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_",
        "http://public.example:6379/",
    ],
)
def test_a_redirect_to_an_inner_address_is_refused(
    server: Server, names: Resolver, location: str
) -> None:
    server.answers["/"] = (302, {"Location": location}, b"")
    with pytest.raises(AddressRefused):
        fetch(Request(url=server.url()))
    assert len(server.seen) == 1


def test_a_name_that_turns_into_an_inner_number_is_not_dialled(
    server: Server, names: Resolver
) -> None:
    names("evil.example", ["127.0.0.1"])
    with pytest.raises(AddressRefused):
        fetch(Request(url=server.url(host="evil.example")))
    assert server.seen == []


def test_one_inner_number_among_public_ones_refuses_the_name(
    server: Server, names: Resolver
) -> None:
    names("mixed.example", ["93.184.216.34", "10.0.0.1"])
    with pytest.raises(AddressRefused):
        fetch(Request(url=server.url(host="mixed.example")))


def test_a_name_is_resolved_once_a_connection(server: Server, names: Resolver) -> None:
    """Rebinding: the second answer of the resolver would be an inner number, and is never asked."""
    names("rebind.example", ["93.184.216.34"], ["127.0.0.1"])
    assert fetch(Request(url=server.url(host="rebind.example"))).status == 200
    with pytest.raises(AddressRefused):  # a new connection asks, and judges, anew
        fetch(Request(url=server.url(host="rebind.example")))


def test_credentials_stay_with_their_origin(server: Server, names: Resolver) -> None:
    names("other.example", ["93.184.216.34"])
    server.answers["/"] = (302, {"Location": server.url("/next", host="other.example")}, b"")
    secrets = dict.fromkeys(sorted(http.CREDENTIALS), "secret")
    fetch(Request(url=server.url(), headers={**secrets, "X-Team": "blue"}))
    first, second = (headers for _, headers in server.seen)
    assert first["x-api-key"] == "secret"
    assert not http.CREDENTIALS & set(second)
    assert second["x-team"] == "blue"


def test_credentials_follow_inside_of_an_origin(server: Server, names: Resolver) -> None:
    server.answers["/"] = (302, {"Location": "/next"}, b"")
    fetch(Request(url=server.url(), headers={"X-Api-Key": "secret"}))
    assert server.seen[1][1]["x-api-key"] == "secret"


def test_a_body_does_not_follow_to_another_origin(server: Server, names: Resolver) -> None:
    names("other.example", ["93.184.216.34"])
    server.answers["/"] = (307, {"Location": server.url("/next", host="other.example")}, b"")
    fetch(Request(url=server.url(), method="POST", content=b"secret"))
    assert server.seen[1][1].get("content-length", "0") == "0"


def test_endless_redirects_end(server: Server, names: Resolver) -> None:
    server.answers["/"] = (302, {"Location": "/"}, b"")
    with pytest.raises(ServiceFailed, match="redirects over 10"):
        fetch(Request(url=server.url()))
    assert len(server.seen) == http.MAX_REDIRECTS + 1


def test_a_long_body_is_cut_off(server: Server, names: Resolver) -> None:
    server.answers["/"] = (200, {}, b"x" * 5_000)
    with pytest.raises(TooLarge):
        fetch(Request(url=server.url(), max_bytes=1_000))


def test_a_body_that_unpacks_to_more_than_allowed_is_cut_off(
    server: Server, names: Resolver
) -> None:
    bomb = gzip.compress(b"x" * 5_000_000)
    server.answers["/"] = (200, {"Content-Encoding": "gzip"}, bomb)
    with pytest.raises(TooLarge):
        fetch(Request(url=server.url(), max_bytes=1_000_000))


def test_a_server_that_says_nothing_is_given_up(names: Resolver) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://public.example:{silent.getsockname()[1]}/"
        begun = time.monotonic()
        with pytest.raises(ServiceUnavailable, match="in time"):
            fetch(Request(url=url, timeout_seconds=0.3))
        assert time.monotonic() - begun < 5


def test_what_the_operator_opens_is_called(
    server: Server, names: Resolver, settings: Settings
) -> None:
    settings.SSRF_ALLOW = parse_allow_list(["127.0.0.1"])
    assert fetch(Request(url=server.url(host="127.0.0.1"))).content == b"fine"


def test_clients_for_libraries_follow_no_redirect_and_dial_nothing_inner(
    server: Server, names: Resolver
) -> None:
    server.answers["/"] = (302, {"Location": "http://127.0.0.1/"}, b"")
    names("evil.example", ["192.168.0.1"])
    with sync_client(5.0) as client:
        assert client.get(server.url()).status_code == 302
        for url in (server.url(host="evil.example"), server.url(host="127.0.0.1")):
            with pytest.raises(AddressRefused):
                client.get(url)


def test_a_forward_proxy_is_used_after_the_address_was_judged(
    server: Server, names: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
    monkeypatch.setenv("no_proxy", "direct.example")
    server.answers["http://named.example/"] = (200, {}, b"by the proxy")
    with sync_client(5.0) as client:
        assert client.get("http://named.example/").content == b"by the proxy"
        with pytest.raises(AddressRefused):
            client.get("http://127.0.0.1/")


async def test_the_async_client_has_the_same_rules(
    server: Server, names: Resolver, settings: Settings
) -> None:
    settings.SSRF_ALLOW = parse_allow_list(["127.0.0.1"])
    names("evil.example", ["10.0.0.1"])
    server.answers["/"] = (302, {"Location": "http://10.0.0.1/"}, b"")
    for host in ("127.0.0.1", "evil.example"):
        with pytest.raises(AddressRefused):
            await fetch_async(Request(url=server.url(host=host)))
    assert len(server.seen) == 1


async def test_the_async_client_fetches(server: Server, settings: Settings) -> None:
    settings.SSRF_ALLOW = parse_allow_list(["127.0.0.1"])
    found: Fetched = await fetch_async(Request(url=server.url(host="127.0.0.1")))
    assert found.content == b"fine"
    with pytest.raises(TooLarge):
        await fetch_async(Request(url=server.url(host="127.0.0.1"), max_bytes=1))


def test_tls_names_the_host_and_not_the_number(
    names: Resolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificate is checked against the name, although the connection goes to a number."""
    asked: list[str | None] = []

    class Stream:
        def start_tls(
            self, ssl_context: object, server_hostname: str | None, timeout: object
        ) -> None:
            asked.append(server_hostname)
            raise httpcore.ConnectError("enough")

        def close(self) -> None:
            return

    def connect(_: object, host: str, *__: object) -> Stream:
        asked.append(host)
        return Stream()

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    with sync_client(5.0) as client, pytest.raises(httpx.ConnectError):
        client.get("https://public.example/")
    assert asked == ["93.184.216.34", "public.example"]
