"""What runs inside an isolated child: gates, then one parser, then a last look at the result.

Nothing here may touch files, network or Django.
"""

from __future__ import annotations

from dataclasses import replace

from knowledge.ingest.gates import GateLimits, check_content, check_name, check_size
from knowledge.parsers.contract import Block, ParsedDocument, ParseRefused
from knowledge.parsers.encodings import clean_text
from knowledge.parsers.filetypes import FILE_TYPES, detect_type, mismatch_warning
from knowledge.parsers.registry import parsers_by_type


def parse_content(content: bytes, name: str) -> ParsedDocument:
    """Return the document with its type and parser noted.

    Raises:
        ParseRefused: whatever the gates or the parser find, or no_text.
    """
    limits = GateLimits()
    check_name(name)
    check_size(len(content), limits)
    file_type = detect_type(content, name)
    check_content(content, file_type, limits)
    parser = parsers_by_type().get(file_type)
    if parser is None:
        label = FILE_TYPES[file_type].label
        raise ParseRefused("type_unknown", f"{label} files are not read yet. Save it as PDF.")
    document = parser.parse(content, name)
    document = _finished(document, file_type=file_type, parser=f"{parser.name}/{parser.version}")
    warning = mismatch_warning(file_type, name)
    if warning:
        document = replace(document, warnings=(warning, *document.warnings))
    if not document.text.strip() and not document.pages_without_text:
        raise ParseRefused("no_text", _no_text_reason(file_type))
    return document


def _finished(document: ParsedDocument, *, file_type: str, parser: str) -> ParsedDocument:
    """Clean every text of the document; broken files smuggle NUL and surrogates everywhere."""
    blocks = (_clean_block(block) for block in document.blocks)
    metadata = {key: clean_text(value)[:1_000] for key, value in document.metadata.items()}
    return replace(
        document,
        blocks=tuple(block for block in blocks if block.markdown.strip()),
        title=" ".join(clean_text(document.title).split())[:300],
        parser=parser,
        warnings=tuple(clean_text(warning) for warning in document.warnings),
        metadata=metadata | {"type": file_type},
    )


def _clean_block(block: Block) -> Block:
    markdown = clean_text(block.markdown)
    return block if markdown == block.markdown else replace(block, markdown=markdown)


def _no_text_reason(file_type: str) -> str:
    label = FILE_TYPES[file_type].label
    return f"No text was found in this {label} file. Check that it opens and shows text elsewhere."
