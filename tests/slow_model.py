"""A chat model behind HTTP whose answers take as long as a test wants, word by word."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class SlowModel:
    """An OpenAI-compatible server that says the given words with pauses, and counts its calls."""

    def __init__(self, words: list[str], *, pause_seconds: float) -> None:
        self.words = words
        self.pause_seconds = pause_seconds
        self.calls = 0
        model = self

        class Handler(BaseHTTPRequestHandler):
            """Answers every POST with the stream."""

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                model.calls += 1
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                try:
                    model._stream(self)
                except OSError:
                    return  # the reader was killed, which is what some tests are about

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The base address for `LLM_BASE_URL`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()

    def _stream(self, handler: BaseHTTPRequestHandler) -> None:
        for word in self.words:
            self._send(handler, {"delta": {"content": word}, "finish_reason": None})
            time.sleep(self.pause_seconds)
        self._send(handler, {"delta": {}, "finish_reason": "stop"})
        handler.wfile.write(b"data: [DONE]\n\n")

    def _send(self, handler: BaseHTTPRequestHandler, choice: dict[str, Any]) -> None:
        chunk = {
            "id": "x",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "slow",
            "choices": [{"index": 0, **choice}],
        }
        handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        handler.wfile.flush()
