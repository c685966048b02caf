"""Recordings: nothing is read here, a speech model writes their words down (`knowledge.speech`)."""

from __future__ import annotations

from knowledge.parsers.contract import ParsedDocument, Parser
from knowledge.parsers.filetypes import FILE_TYPES, detect_type

RECORDINGS = frozenset({"mp3", "wav", "m4a", "ogg", "flac", "webm"})


def parse_recording(content: bytes, name: str) -> ParsedDocument:
    """Return a document that asks for a speech model."""
    file_type = detect_type(content, name)
    return ParsedDocument(blocks=(), speech_type=FILE_TYPES[file_type].media_type)


PARSER = Parser(
    name="recording",
    version="1",
    file_types=RECORDINGS,
    parse=parse_recording,
    label="Speech to text",
)
