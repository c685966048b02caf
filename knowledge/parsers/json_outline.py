"""JSON: an outline whose headings are the path, so that each value keeps its context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from knowledge.parsers.contract import Block, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.markdown_writer import drop_empty_edges, fence, heading, table
from knowledge.parsers.plain_text import decoding_warnings

_HEADING_DEPTH = 4
_MIN_RECORDS = 2


def parse_json(content: bytes, _name: str) -> ParsedDocument:
    """Return the values under headings; lists of flat records become tables.

    Raises:
        ParseRefused: hostile, when it nests deeper than the parser can follow.
    """
    decoded = decode_text(content)
    try:
        value, problem = _load(decoded.text)
    except RecursionError as error:
        raise ParseRefused("hostile", "The JSON is nested too deeply to be read.") from error
    warnings = list(decoding_warnings(decoded))
    if problem:
        warnings.append(problem)
        lines = [fence(decoded.text)] if decoded.text.strip() else []
    else:
        lines = list(_outline(value, ()))
    title = value.get("title") if isinstance(value, dict) else None
    return ParsedDocument(
        blocks=tuple(Block(markdown=line) for line in lines if line.strip()),
        title=title if isinstance(title, str) else "",
        warnings=tuple(warnings),
        metadata={"encoding": decoded.encoding},
    )


def _load(text: str) -> tuple[Any, str]:
    """Return the value, or None and a sentence; knows JSON Lines as well."""
    try:
        return json.loads(text), ""
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            if len(lines) > 1:
                return [json.loads(line) for line in lines], ""
        except json.JSONDecodeError:
            pass
        return (
            None,
            f"This is no valid JSON (line {error.lineno}: {error.msg}); it was read as text.",
        )


def _outline(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    """Yield Markdown paragraphs of `value`, scalars of one object together in one list."""
    if isinstance(value, dict):
        yield from _object(value, path)
    elif isinstance(value, list):
        yield from _list(value, path)
    else:
        yield _scalar(value)


def _object(value: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    scalars = [f"- {key}: {_scalar(item)}" for key, item in value.items() if _is_scalar(item)]
    if scalars:
        yield "\n".join(scalars)
    for key, item in value.items():
        if not _is_scalar(item) and item:
            yield _path_heading((*path, str(key)))
            yield from _outline(item, (*path, str(key)))


def _list(value: list[Any], path: tuple[str, ...]) -> Iterator[str]:
    if all(_is_scalar(item) for item in value):
        yield "\n".join(f"- {_scalar(item)}" for item in value)
    elif _are_records(value):
        columns = list(dict.fromkeys(key for record in value for key in record))
        rows = [columns, *([_scalar(record.get(key)) for key in columns] for record in value)]
        yield table(drop_empty_edges(rows))
    else:
        for number, item in enumerate(value, start=1):
            here = (*path, f"{path[-1]} {number}" if path else str(number))
            yield _path_heading(here)
            yield from _outline(item, here)


def _are_records(value: list[Any]) -> bool:
    return len(value) >= _MIN_RECORDS and all(
        isinstance(item, dict) and all(_is_scalar(cell) for cell in item.values()) for item in value
    )


def _path_heading(path: tuple[str, ...]) -> str:
    """Below the fourth level the heading names the whole path instead of going deeper."""
    text = path[-1] if len(path) <= _HEADING_DEPTH else " › ".join(path[_HEADING_DEPTH - 1 :])
    return heading(text, min(len(path), _HEADING_DEPTH))


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value)


PARSER = Parser(
    name="json",
    version="1",
    file_types=frozenset({"json"}),
    parse=parse_json,
    label="As an outline",
)
