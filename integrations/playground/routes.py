"""The routes of the API as the playground offers them, read from its own description."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from drf_spectacular.generators import SchemaGenerator

METHODS = ("get", "post", "put", "patch", "delete")
_SAMPLES: dict[str, Any] = {"boolean": False, "integer": 1, "number": 1, "array": [], "object": {}}
_REQUIRED_ONLY = ("query", "name", "title", "message_id", "agent_id", "knowledge_base_ids")
"""Fields that an example body shows; the others are in the description."""


@dataclass(frozen=True, kw_only=True)
class TryRoute:
    """One route."""

    method: str
    path: str
    summary: str
    tag: str
    parameters: str
    """Names in path and query, by commas; those of the path in braces."""
    body: str
    """An example body as JSON; empty where none is sent."""
    is_form: bool
    """Sends a file."""


def try_routes() -> list[TryRoute]:
    """Return every described route, by its path."""
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]  # untyped there
    schema = generator.get_schema(request=None, public=True)
    return [
        _route(path, method, operation, schema)
        for path, operations in sorted(schema["paths"].items())
        for method, operation in operations.items()
        if method in METHODS
    ]


def _route(path: str, method: str, operation: Any, schema: Any) -> TryRoute:
    content = operation.get("requestBody", {}).get("content", {})
    body = content.get("application/json", {}).get("schema", {})
    names = [
        f"{{{one['name']}}}" if one["in"] == "path" else one["name"]
        for one in operation.get("parameters", ())
    ]
    return TryRoute(
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        tag=operation.get("tags", [""])[0],
        parameters=",".join(names),
        body=_example(body, schema) if body else "",
        is_form="multipart/form-data" in content,
    )


def _example(body: Any, schema: Any) -> str:
    if "$ref" in body:
        body = schema["components"]["schemas"][body["$ref"].rpartition("/")[2]]
    fields = body.get("properties", {})
    shown = {
        name: _SAMPLES.get(described.get("type", ""), "")
        for name, described in fields.items()
        if name in _REQUIRED_ONLY
    }
    return json.dumps(shown, indent=2, ensure_ascii=False)
