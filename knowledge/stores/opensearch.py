"""OpenSearch with its k-NN plugin, and Elasticsearch from version 8, over HTTP by our own client.

Half a dozen requests need no client library, and our client keeps to the address policy. Both servers
score nearness by cosine as (1 + cosine) / 2 with the engine and similarity chosen here, which is the
contract's own scale.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import httpx
from django.utils.translation import gettext as _

from core.http import sync_client
from knowledge.stores.connection import Connection
from knowledge.stores.contract import Collection, Near, Point, StoreFailed, StoreProbe, Vector, unit
from knowledge.stores.failures import named_failures

_PLUGIN = "opensearch-knn"
_OLDEST_ELASTICSEARCH = 8
_MOST_CANDIDATES = 10_000


class OpenSearchStore:
    """A server of either kind; it says which when it is first asked."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._http = sync_client(connection.options.write_seconds)

    def probe(self) -> StoreProbe:
        """Ask for the version, and for the k-NN plugin where it is one."""
        with self._failures():
            version = self._version
            number = str(version.get("number", ""))
            if self._is_opensearch:
                plugins = self._ask("GET", "/_cat/plugins?format=json").json()
                if _PLUGIN not in {each.get("component") for each in plugins}:
                    raise StoreFailed(
                        _("The server has no k-NN plugin (%(plugin)s); install it there first.")
                        % {"plugin": _PLUGIN}
                    )
                return StoreProbe(server=f"OpenSearch {number}")
            if int(number.partition(".")[0] or 0) < _OLDEST_ELASTICSEARCH:
                raise StoreFailed(
                    _("Elasticsearch %(number)s cannot find near vectors; 8 or newer is needed.")
                    % {"number": number}
                )
            return StoreProbe(server=f"Elasticsearch {number}")

    def ensure(self, collection: Collection) -> None:
        """Make the index."""
        with self._failures():
            if self._ask("HEAD", f"/{collection.name}", may_lack=True).status_code != 404:
                return
            self._ask("PUT", f"/{collection.name}", self._index_of(collection.dimensions))

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        """Write points in one request; they can be found when it ends."""
        lines = []
        for point in points:
            lines.append(json.dumps({"index": {"_id": str(point.chunk_id)}}))
            row = {
                "base_id": str(point.base_id),
                "document_id": str(point.document_id),
                "vector": unit(point.vector),
            }
            lines.append(json.dumps(row))
        if not lines:
            return
        with self._failures():
            path = f"/{collection.name}/_bulk?refresh=true"
            answer = self._ask("POST", path, "\n".join([*lines, ""])).json()
            if answer.get("errors"):
                raise StoreFailed(_("The server did not take all vectors."), retry=True)

    def delete(
        self,
        collection: Collection,
        *,
        base_id: UUID,
        chunk_ids: Sequence[UUID] | None = None,
        document_id: UUID | None = None,
    ) -> None:
        """Remove points by a filter that names the base in any case."""
        if chunk_ids is not None and not chunk_ids:
            return
        documents = None if document_id is None else [document_id]
        wanted = _filter([base_id], documents)
        if chunk_ids is not None:
            wanted.append({"ids": {"values": [str(each) for each in chunk_ids]}})
        query = urlencode({"refresh": "true", "conflicts": "proceed"})
        with self._failures():
            self._ask(
                "POST",
                f"/{collection.name}/_delete_by_query?{query}",
                {"query": {"bool": {"filter": wanted}}},
                may_lack=True,
            )

    def search(
        self,
        collection: Collection,
        vector: Vector,
        *,
        limit: int,
        base_ids: Sequence[UUID],
        document_ids: Sequence[UUID] | None = None,
    ) -> list[Near]:
        """Ask for the nearest points."""
        wanted = {"bool": {"filter": _filter(base_ids, document_ids)}}
        with self._failures():
            answer = self._ask(
                "POST",
                f"/{collection.name}/_search",
                {"size": limit, "_source": False, **self._nearest(unit(vector), limit, wanted)},
                seconds=self._connection.options.search_seconds,
                may_lack=True,
            )
            if answer.status_code == 404:
                return []
            return [
                Near(chunk_id=UUID(hit["_id"]), score=min(1.0, max(0.0, float(hit["_score"]))))
                for hit in answer.json()["hits"]["hits"]
            ]

    def count(self, collection: Collection, *, base_id: UUID | None = None) -> int:
        """Count exactly."""
        query = {"bool": {"filter": _filter([base_id], None)}} if base_id else {"match_all": {}}
        with self._failures():
            path = f"/{collection.name}/_count"
            answer = self._ask("POST", path, {"query": query}, may_lack=True)
            return 0 if answer.status_code == 404 else int(answer.json()["count"])

    def drop(self, collection: Collection) -> None:
        """Remove the index."""
        with self._failures():
            self._ask("DELETE", f"/{collection.name}", may_lack=True)

    def close(self) -> None:
        """Close connections."""
        self._http.close()

    @cached_property
    def _version(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._ask(
            "GET", "/", seconds=self._connection.options.search_seconds
        ).json()["version"]
        return found

    @property
    def _is_opensearch(self) -> bool:
        return self._version.get("distribution") == "opensearch"

    def _index_of(self, dimensions: int) -> dict[str, Any]:
        names: dict[str, Any] = {each: {"type": "keyword"} for each in ("base_id", "document_id")}
        if self._is_opensearch:
            method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
            vector = {"type": "knn_vector", "dimension": dimensions, "method": method}
            return {
                "settings": {"index": {"knn": True}},
                "mappings": {"dynamic": False, "properties": {**names, "vector": vector}},
            }
        vector = {
            "type": "dense_vector",
            "dims": dimensions,
            "index": True,
            "similarity": "cosine",
        }
        return {"mappings": {"dynamic": False, "properties": {**names, "vector": vector}}}

    def _nearest(self, vector: list[float], limit: int, wanted: dict[str, Any]) -> dict[str, Any]:
        if self._is_opensearch:
            near = {"vector": vector, "k": limit, "filter": wanted}
            return {"query": {"knn": {"vector": near}}}
        return {
            "knn": {
                "field": "vector",
                "query_vector": vector,
                "k": limit,
                "num_candidates": min(_MOST_CANDIDATES, 2 * limit),
                "filter": wanted,
            }
        }

    def _ask(
        self,
        method: str,
        path: str,
        content: Mapping[str, Any] | str | None = None,
        *,
        seconds: float | None = None,
        may_lack: bool = False,
    ) -> httpx.Response:
        to = self._connection
        body = content if isinstance(content, str) or content is None else json.dumps(content)
        kind = "application/x-ndjson" if isinstance(content, str) else "application/json"
        headers = {"Content-Type": kind} if body is not None else {}
        login = httpx.BasicAuth(to.user_name, to.api_key) if to.user_name else None
        if to.api_key and login is None:
            headers["Authorization"] = f"ApiKey {to.api_key}"
        answer = self._http.request(
            method,
            to.address.rstrip("/") + path,
            content=body,
            headers=headers,
            auth=login,
            timeout=seconds or to.options.write_seconds,
        )
        if answer.is_success or (may_lack and answer.status_code == 404):
            return answer
        raise StoreFailed(
            _("The vector store “%(name)s” answers with status %(status)s.")
            % {"name": to.name, "status": answer.status_code},
            retry=answer.status_code in (408, 429) or answer.status_code >= 500,
            provider_message=_reason(answer),
        )

    def _failures(self) -> Any:
        return named_failures(self._connection.name, secret=self._connection.api_key)


def _filter(base_ids: Sequence[UUID], document_ids: Sequence[UUID] | None) -> list[dict[str, Any]]:
    wanted: list[dict[str, Any]] = [{"terms": {"base_id": [str(each) for each in base_ids]}}]
    if document_ids is not None:
        wanted.append({"terms": {"document_id": [str(each) for each in document_ids]}})
    return wanted


def _reason(answer: httpx.Response) -> str:
    """Return the server's own reason, which quotes no header."""
    try:
        error = answer.json().get("error", "")
    except (ValueError, AttributeError):
        return ""
    found = error.get("reason", "") if isinstance(error, dict) else error
    return str(found)[:300]
