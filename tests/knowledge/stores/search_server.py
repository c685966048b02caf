"""A server that speaks as much of OpenSearch's or Elasticsearch's HTTP as the adapter uses."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np


class SearchServer(ThreadingHTTPServer):
    """Indexes of vectors in memory; searched exactly."""

    daemon_threads = True

    def __init__(self, distribution: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.distribution = distribution
        self.indexes: dict[str, dict[str, dict[str, Any]]] = {}
        self.plugins = ["opensearch-knn"]
        self.logins: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: SearchServer

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.startswith("/_cat/plugins"):
            return self._answer([{"component": each} for each in self.server.plugins])
        version = {"number": "2.19.0", "distribution": "opensearch"}
        if self.server.distribution != "opensearch":
            version = {"number": "8.17.0"}
        return self._answer({"version": version})

    def do_HEAD(self) -> None:
        self._answer({}, 200 if self._index() is not None else 404)

    def do_PUT(self) -> None:
        fields = json.loads(self._body())["mappings"]["properties"]
        kind = "knn_vector" if self.server.distribution == "opensearch" else "dense_vector"
        assert fields["vector"]["type"] == kind
        self.server.indexes[self._name()] = {}
        self._answer({"acknowledged": True})

    def do_DELETE(self) -> None:
        known = self.server.indexes.pop(self._name(), None)
        self._answer({}, 404 if known is None else 200)

    def do_POST(self) -> None:
        index = self._index()
        if index is None:
            return self._answer({"error": {"reason": "no such index"}}, 404)
        what = self.path.partition("?")[0].split("/")[-1]
        if what == "_bulk":
            lines = [json.loads(line) for line in self._body().splitlines()]
            for head, row in zip(lines[::2], lines[1::2], strict=True):
                index[head["index"]["_id"]] = row
            return self._answer({"errors": False})
        asked = json.loads(self._body())
        if what == "_count":
            return self._answer({"count": len(self._matching(index, asked["query"]))})
        if what == "_delete_by_query":
            for key in self._matching(index, asked["query"]):
                del index[key]
            return self._answer({})
        return self._answer({"hits": {"hits": self._nearest(index, asked)}})

    def _nearest(self, index: dict[str, Any], asked: dict[str, Any]) -> list[dict[str, Any]]:
        if self.server.distribution == "opensearch":
            near = asked["query"]["knn"]["vector"]
            vector = near["vector"]
        else:
            near = asked["knn"]
            vector = near["query_vector"]
            assert near["num_candidates"] >= near["k"]
        found: list[dict[str, Any]] = [
            {"_id": key, "_score": (1 + float(np.dot(index[key]["vector"], vector))) / 2}
            for key in self._matching(index, near["filter"])
        ]
        return sorted(found, key=lambda hit: -hit["_score"])[: near["k"]]

    def _matching(self, index: dict[str, Any], query: dict[str, Any]) -> list[str]:
        keys = list(index)
        for condition in query.get("bool", {}).get("filter", []):
            ((kind, wanted),) = condition.items()
            if kind == "ids":
                keys = [key for key in keys if key in wanted["values"]]
            else:
                ((field, values),) = wanted.items()
                keys = [key for key in keys if index[key][field] in values]
        return keys

    def _name(self) -> str:
        return self.path.split("/")[1].partition("?")[0]

    def _index(self) -> dict[str, Any] | None:
        return self.server.indexes.get(self._name())

    def _body(self) -> str:
        return self.rfile.read(int(self.headers.get("content-length") or 0)).decode()

    def _answer(self, content: Any, status: int = 200) -> None:
        self.server.logins.add(self.headers.get("authorization", ""))
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextmanager
def search_server(distribution: str = "opensearch") -> Iterator[SearchServer]:
    """Run one on a free port of this machine."""
    with SearchServer(distribution) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
