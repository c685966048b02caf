"""Documents as JSON bytes, for the way from the parser process to ours."""

from __future__ import annotations

import json
from typing import Any

from knowledge.parsers.contract import Block, Box, ParsedDocument


def document_to_json(document: ParsedDocument) -> dict[str, Any]:
    """Return plain JSON values; blocks become short lists, they are many."""
    return {
        "blocks": [
            [block.markdown, block.page, _box_to_json(block.box), block.hidden]
            for block in document.blocks
        ],
        "title": document.title,
        "page_count": document.page_count,
        "parser": document.parser,
        "warnings": list(document.warnings),
        "pages_without_text": list(document.pages_without_text),
        "metadata": document.metadata,
    }


def document_from_json(value: dict[str, Any]) -> ParsedDocument:
    """Return the document that `document_to_json` wrote."""
    return ParsedDocument(
        blocks=tuple(
            Block(markdown=markdown, page=page, box=_box_from_json(box), hidden=hidden)
            for markdown, page, box, hidden in value["blocks"]
        ),
        title=value["title"],
        page_count=value["page_count"],
        parser=value["parser"],
        warnings=tuple(value["warnings"]),
        pages_without_text=tuple(value["pages_without_text"]),
        metadata=dict(value["metadata"]),
    )


def dump(value: dict[str, Any]) -> bytes:
    """Return compact JSON on one line; a lone surrogate becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _box_to_json(box: Box | None) -> list[float] | None:
    if box is None:
        return None
    return [round(edge, 4) for edge in (box.left, box.top, box.right, box.bottom)]


def _box_from_json(value: list[float] | None) -> Box | None:
    if value is None:
        return None
    left, top, right, bottom = value
    return Box(left=left, top=top, right=right, bottom=bottom)
