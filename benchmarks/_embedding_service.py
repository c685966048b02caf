"""An embedding model behind HTTP for benchmarks: vectors by chance, one passage at a time.

`python benchmarks/_embedding_service.py MILLISECONDS` prints its address and serves until it is
ended. The pause a passage and the lock make it as slow, and as much in demand, as a real one.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

DIMENSIONS = 64


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pause_seconds = 0.0
    turn = threading.Lock()

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        given = request["input"]
        texts = [given] if isinstance(given, str) else given
        with self.turn:
            time.sleep(self.pause_seconds * len(texts))
        data = [
            {"object": "embedding", "index": index, "embedding": _vector(request["model"], text)}
            for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        answer = {"object": "list", "data": data, "model": request["model"], "usage": usage}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing: there are thousands of requests."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: workers are killed in the middle of requests."""


def _vector(model: str, text: str) -> list[float]:
    """Return the same vector for the same words, another one for each model."""
    chance = random.Random(f"{model} {' '.join(text.split())}")  # noqa: S311  no secret
    return [chance.uniform(-1, 1) for _ in range(DIMENSIONS)]


def start_embedding_service(milliseconds: float) -> tuple[subprocess.Popen[str], str]:
    """Start the service in a process of its own; return it and its base address."""
    process = subprocess.Popen(  # noqa: S603  our own program
        [sys.executable, str(Path(__file__).resolve()), str(milliseconds)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def main() -> None:
    """Serve."""
    _Handler.pause_seconds = float(sys.argv[1]) / 1000
    server = _Server(("127.0.0.1", 0), _Handler)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
