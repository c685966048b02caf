"""N: reaching anything over the network, or the host by its other sockets."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.sandbox.backends.conftest import Shell

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(shared: Shell) -> Shell:
    """These attacks leave nothing behind."""
    return shared


@pytest.fixture
def listening() -> Iterator[int]:
    """A service of the host on every address; gives its port."""
    with socket.create_server(("0.0.0.0", 0)) as server:
        server.settimeout(0.2)
        stop = threading.Event()
        thread = threading.Thread(target=_greet, args=(server, stop))
        thread.start()
        yield server.getsockname()[1]
        stop.set()
        thread.join()


def _greet(server: socket.socket, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        connection.sendall(b"reached")
        connection.close()


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "own", "172.17.0.1", "169.254.169.254", "192.0.2.1"]
)
def test_n1_no_address_is_reached(shell: Shell, listening: int, address: str) -> None:
    target = _own_address() if address == "own" else address
    code = f"""
import socket
try:
    print(socket.create_connection(({target!r}, {listening}), timeout=2).recv(20))
except OSError as error:
    print("refused", error)
"""
    assert shell.py(code).stdout.startswith(b"refused")


def test_n1_abstract_socket_of_the_host_is_not_reached(shell: Shell) -> None:
    name = "\0weknora-sandbox-test"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        code = f"""
import socket
s = socket.socket(socket.AF_UNIX)
try: s.connect({name!r}); print("connected")
except OSError: print("refused")
"""
        assert shell.py(code).stdout == b"refused\n"


@pytest.mark.parametrize(
    ("family", "kind"),
    [("17", "3"), ("40", "1"), ("38", "5"), ("2", "3"), ("16", "3, 12")],
    ids=["N2-packet", "N3-vsock", "kernel-crypto", "raw", "netfilter"],
)
def test_n2_n3_special_sockets_cannot_be_made(shell: Shell, family: str, kind: str) -> None:
    code = f"""
import socket
try: socket.socket({family}, {kind}); print("made")
except OSError: print("refused")
"""
    assert shell.py(code).stdout == b"refused\n"
