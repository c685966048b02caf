"""Loopback ports of the embedded services: chosen free once, then remembered."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Literal

from core.embedded.files import locked, read_json, write_json

LOOPBACK = "127.0.0.1"
PortName = Literal["postgres", "valkey", "models"]


def is_free(port: int, *, host: str = LOOPBACK) -> bool:
    """Say whether a server could listen there now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def free_port(*, host: str = LOOPBACK) -> int:
    """Return a port that nobody listens on."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def remembered_port(ports_file: Path, name: PortName) -> int | None:
    """Return the port this service had last, None when it never started."""
    port = read_json(ports_file).get(name)
    return port if isinstance(port, int) else None


def settle_port(ports_file: Path, name: PortName) -> int:
    """Return the remembered port when it is free, else choose and remember another."""
    with locked(ports_file.with_name(f".{ports_file.name}.lock")):
        port = remembered_port(ports_file, name)
        if port is not None and is_free(port):
            return port
        port = free_port()
        write_json(ports_file, {**read_json(ports_file), name: port})
        return port
