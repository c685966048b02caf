"""What runs inside an isolated child: password, gates, one engine after another, a last look.

Nothing here may touch files, network or Django.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from knowledge.ingest.gates import GateLimits, check_content, check_name, check_size
from knowledge.ingest.unlock import unlock
from knowledge.parsers.contract import (
    Block,
    ParsedDocument,
    Parser,
    ParseRefused,
    RefusalCode,
)
from knowledge.parsers.encodings import clean_text
from knowledge.parsers.filetypes import FILE_TYPES, detect_type, mismatch_warning
from knowledge.parsers.pictures import kept_pictures, settle_pictures
from knowledge.parsers.registry import engines_for

_ANOTHER_MAY_READ: frozenset[RefusalCode] = frozenset({"damaged", "no_text", "crashed"})
"""Refusals that are one engine's opinion; every other holds for all of them."""
_MEMBER_BYTES = 100_000_000


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a file is to be read."""

    password: str = ""
    engines: dict[str, str] | None = None
    """By our name of a type, the engine that its base asks first."""
    skipped: int = 0
    """So many engines died over this file already."""


def parse_content(
    content: bytes, name: str, options: ReadOptions = ReadOptions()
) -> ParsedDocument:
    """Return the document with its type and parser noted.

    Raises:
        ParseRefused: whatever the gates or all engines find, or no_text.
    """
    content, file_type = _checked(content, name, options.password)
    preferred = (options.engines or {}).get(file_type, "")
    engines = engines_for(file_type, preferred=preferred)
    document = _first_that_reads(engines, content, name, file_type, options.skipped)
    warning = mismatch_warning(file_type, name)
    if warning:
        document = replace(document, warnings=(warning, *document.warnings))
    return document


def read_members(
    content: bytes, name: str, *, password: str = "", first: int = 0, most_bytes: int
) -> list[bytes]:
    """Return the contents of members from number `first` on: one, and more while they fit.

    Raises:
        ParseRefused: the container is refused, or a member is too large.
    """
    content, file_type = _checked(content, name, password)
    found: list[bytes] = []
    for parser in engines_for(file_type):
        if parser.open_members is None:
            continue
        left = most_bytes
        for member in islice(parser.open_members(content), first, None):
            left -= len(member)
            if found and left < 0:
                break
            found.append(member if len(member) <= _MEMBER_BYTES else b"")
    return found


def read_pictures(
    content: bytes, name: str, *, engine: str, password: str = "", keys: Collection[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the pictures of these keys as the file has them, in its order.

    Raises:
        ParseRefused: whatever the gates find, or the engine that had read the file.
    """
    content, file_type = _checked(content, name, password)
    for parser in engines_for(file_type, preferred=engine)[:1]:
        if parser.open_pictures is not None:
            pictures = parser.open_pictures(content)
        else:
            with kept_pictures() as kept:
                parser.parse(content, name)
            pictures = iter(kept.items())
        yield from ((key, picture) for key, picture in pictures if key in keys)


def _checked(content: bytes, name: str, password: str) -> tuple[bytes, str]:
    limits = GateLimits()
    check_name(name)
    check_size(len(content), limits)
    if password:
        content = unlock(content, password)
        check_size(len(content), limits)
    file_type = detect_type(content, name)
    check_content(content, file_type, limits)
    return content, file_type


def _first_that_reads(
    engines: Sequence[Parser], content: bytes, name: str, file_type: str, skipped: int
) -> ParsedDocument:
    """Ask one engine after another; what the first one said is what the owner is told."""
    refusal: ParseRefused | None = None
    notes = [
        f"{_called(engine)} failed on this file and was given up." for engine in engines[:skipped]
    ]
    for engine in engines[skipped:]:
        try:
            document = _finished(engine, engine.parse(content, name), file_type)
        except ParseRefused as problem:
            if problem.code not in _ANOTHER_MAY_READ:
                raise
            refusal = refusal or problem
            notes.append(f"{_called(engine)} did not read this file: {problem.reason}")
        else:
            if notes:
                notes.append(f"It was read by another engine: {_called(engine)}.")
            return replace(document, warnings=(*notes, *document.warnings))
    raise refusal or ParseRefused("crashed", "No engine can read this file. Save it as PDF.")


def _called(engine: Parser) -> str:
    return f"The engine “{engine.label or engine.name}”"


def _finished(engine: Parser, document: ParsedDocument, file_type: str) -> ParsedDocument:
    """Clean every text of the document; broken files smuggle NUL and surrogates everywhere.

    Raises:
        ParseRefused: no_text.
    """
    document = settle_pictures(replace(document, blocks=tuple(_clean_blocks(document))))
    blocks = tuple(block for block in document.blocks if block.markdown.strip())
    metadata = {key: clean_text(value)[:1_000] for key, value in document.metadata.items()}
    document = replace(
        document,
        blocks=blocks,
        title=" ".join(clean_text(document.title).split())[:300],
        parser=f"{engine.name}/{engine.version}",
        warnings=tuple(clean_text(warning) for warning in document.warnings),
        metadata=metadata | {"type": file_type},
    )
    has_more = (
        document.pages_without_text
        or document.speech_type
        or document.members
        or document.pictures  # what they say is read where nothing else is
    )
    if not has_more and all(block.hidden for block in blocks):
        raise ParseRefused("no_text", _no_text_reason(file_type))
    return document


def _clean_blocks(document: ParsedDocument) -> Iterator[Block]:
    for block in document.blocks:
        markdown = clean_text(block.markdown)
        yield block if markdown == block.markdown else replace(block, markdown=markdown)


def _no_text_reason(file_type: str) -> str:
    label = FILE_TYPES[file_type].label
    return f"No text was found in this {label} file. Check that it opens and shows text elsewhere."
