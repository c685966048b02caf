"""OCR of the pictures inside of a document, where nothing else in it is text."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from knowledge.ingest.ocr import ocr_pages
from knowledge.ingest.pictures import FoundPicture, iterate_pictures
from knowledge.parsers.contract import Block, ParsedDocument
from knowledge.text.pictures import references_of, without_references

MOST_PICTURES = 30
"""A file of screenshots is read so far; its other pictures are shown, not read, at first."""


def with_words_of_pictures(
    parsed: ParsedDocument,
    path: Path,
    name: str,
    *,
    password: str = "",
    should_cancel: Callable[[], bool] | None = None,
) -> ParsedDocument:
    """Put what the pictures of a document say behind each of them, if there is no other text.

    Raises:
        ParseRefused, ParseCancelled, HelperUnavailable: as `iterate_pictures` has it.
    """
    if without_references(parsed.text).strip() or not parsed.pictures:
        return parsed
    words = {
        found.key: _words(found, should_cancel)
        for found in iterate_pictures(
            path,
            name,
            engine=parsed.parser.partition("/")[0],
            keys=[picture.key for picture in parsed.pictures[:MOST_PICTURES]],
            password=password,
            should_cancel=should_cancel,
        )
        if found.content
    }
    blocks = tuple(part for block in parsed.blocks for part in _with_words(block, words))
    return replace(parsed, blocks=blocks)


def _words(found: FoundPicture, should_cancel: Callable[[], bool] | None) -> str:
    with tempfile.NamedTemporaryFile(prefix="weknora-picture-") as file:
        file.write(found.content)
        file.flush()
        blocks = ocr_pages(Path(file.name), (1,), should_cancel=should_cancel).get(1, ())
    return "\n\n".join(block.markdown for block in blocks)


def _with_words(block: Block, words: Mapping[str, str]) -> list[Block]:
    said = [words.get(each.key, "") for each in references_of(block.markdown)]
    text = "\n\n".join(each for each in said if each.strip())
    if block.hidden or not text:
        return [block]
    return [block, replace(block, markdown=text)]
