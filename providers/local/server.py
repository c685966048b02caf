"""The local models' process: `python -m providers.local.server --port 8088 --data-dir var`.

Loopback only; the key comes from the environment, so that it shows in no list of processes. The
port is bound first (a taken one is told at once), models are loaded while /health says "loading".
"""

from __future__ import annotations

import argparse
import ipaddress
import logging
import os
import signal
import sys
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from providers.local.catalogue import Catalogue, CatalogueLoader
from providers.local.convert import ConversionFailed
from providers.local.e5 import load_e5
from providers.local.handler import Handler
from providers.local.process import die_with_parent
from providers.local.weights import WeightsUnusable

logger = logging.getLogger("providers.local")

KEY_VARIABLE = "WEKNORA_LOCAL_MODELS_KEY"
MAXIMUM_CONNECTIONS = 64
EXIT_GIVE_UP = 3
"""Tells the supervisor that starting again would not help."""
_DRAIN_SECONDS = 3.0


class LocalServer(ThreadingHTTPServer):
    """A thread a connection, a bounded number of them."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], handler: type[Handler]) -> None:
        super().__init__(address, handler)
        self._places = threading.BoundedSemaphore(MAXIMUM_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve the connection in a thread, or say that there are too many."""
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        request.sendall(_busy_answer())
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve the connection and free its place."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Note that a connection broke outside of a request: nobody is left to be told."""
        del request
        logger.debug("connection from %s broke: %s", client_address, sys.exc_info()[1])

    def drain(self, *, seconds: float) -> None:
        """Stop accepting and wait a little for answers that are under way."""
        self.shutdown()
        self.server_close()
        deadline = time.monotonic() + seconds
        for _ in range(MAXIMUM_CONNECTIONS):
            if not self._places.acquire(timeout=max(0.0, deadline - time.monotonic())):
                return


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGTERM; return the exit code."""
    options = _options(arguments)
    logging.basicConfig(level=options.log_level, format="%(levelname)s %(name)s: %(message)s")
    key = os.environ.get(KEY_VARIABLE, "")
    if not key:
        return _fail(f"set {KEY_VARIABLE}: the server is never open to everybody")
    if options.die_with_parent:
        die_with_parent()
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    loader = CatalogueLoader()
    try:
        server = LocalServer((options.host, options.port), Handler.bound(loader, key=key))
    except OSError as error:
        return _fail(f"cannot listen on {options.host}:{options.port}: {error.strerror}")
    return _serve(server, loader, options)


def _serve(server: LocalServer, loader: CatalogueLoader, options: argparse.Namespace) -> int:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    started = time.monotonic()
    try:
        loader.put(Catalogue(load_e5(options.data_dir, threads=options.threads)))
        took = time.monotonic() - started
        logger.info("serving on port %d, loaded in %.1f s", server.server_port, took)
        threading.Event().wait()
    except WeightsUnusable as error:
        _fail(str(error))
        return EXIT_GIVE_UP
    except (ConversionFailed, OSError) as error:
        return _fail(str(error))
    finally:
        server.drain(seconds=_DRAIN_SECONDS)
    return 0


def _busy_answer() -> bytes:
    body = b'{"error": {"message": "too many connections at once", "type": "server_error"}}'
    head = (
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m providers.local.server")
    parser.add_argument("--host", default="127.0.0.1", type=_loopback)
    parser.add_argument("--port", default=8088, type=int)
    parser.add_argument("--data-dir", required=True, type=Path)
    parser.add_argument("--threads", default=2, type=int)
    parser.add_argument("--log-level", default="INFO")
    parser.add_argument("--die-with-parent", action="store_true")
    return parser.parse_args(arguments)


def _loopback(host: str) -> str:
    try:
        fits = ipaddress.ip_address(host).is_loopback
    except ValueError:
        fits = False
    if not fits:
        raise argparse.ArgumentTypeError(f"{host!r} is not a loopback address such as 127.0.0.1")
    return host


def _stop(_number: int, _frame: Any) -> None:
    raise SystemExit(0)


def _fail(reason: str) -> int:
    logger.error("%s", reason)
    return 1


if __name__ == "__main__":
    sys.exit(main())
