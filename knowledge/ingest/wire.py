"""Documents as JSON bytes, for the way from the parser process to ours."""

from __future__ import annotations

import json
from typing import Any

from knowledge.parsers.contract import Block, Box, Member, ParsedDocument, Picture


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
        "members": [[member.path, member.size_bytes] for member in document.members],
        "speech_type": document.speech_type,
        "page_ink": list(document.page_ink.items()),
        "ocr_scores": list(document.ocr_scores.items()),
        "pictures": [
            [
                *(picture.key, picture.width, picture.height, picture.size_bytes),
                *(picture.words, picture.page, _box_to_json(picture.box)),
            ]
            for picture in document.pictures
        ],
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
        members=tuple(
            Member(path=path, size_bytes=size) for path, size in value.get("members", ())
        ),
        speech_type=value.get("speech_type", ""),
        page_ink=dict(value.get("page_ink", ())),
        ocr_scores=dict(value.get("ocr_scores", ())),
        pictures=tuple(_picture(row) for row in value.get("pictures", ())),
    )


def dump(value: dict[str, Any]) -> bytes:
    """Return compact JSON on one line; a lone surrogate becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _picture(row: list[Any]) -> Picture:
    key, width, height, size_bytes, words, page, box = row
    return Picture(
        key=key,
        width=width,
        height=height,
        size_bytes=size_bytes,
        words=words,
        page=page,
        box=_box_from_json(box),
    )


def _box_to_json(box: Box | None) -> list[float] | None:
    if box is None:
        return None
    return [round(edge, 4) for edge in (box.left, box.top, box.right, box.bottom)]


def _box_from_json(value: list[float] | None) -> Box | None:
    if value is None:
        return None
    left, top, right, bottom = value
    return Box(left=left, top=top, right=right, bottom=bottom)
