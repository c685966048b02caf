"""A file whose only words are in its pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from knowledge.ingest import ocr_pictures
from knowledge.ingest.ocr_pictures import with_words_of_pictures
from knowledge.ingest.parse import parse_file
from knowledge.parsers.contract import Block
from tests.knowledge.pictures import files


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The beginnings of the pictures that OCR was asked for; it reads the same in each."""
    found: list[bytes] = []

    def read(path: Path, pages: tuple[int, ...], **_: Any) -> dict[int, tuple[Block, ...]]:
        found.append(path.read_bytes()[:4])
        return {pages[0]: (Block(markdown="Words of the picture"),)}

    monkeypatch.setattr(ocr_pictures, "ocr_pages", read)
    return found


def test_words_of_the_picture_stand_behind_it(tmp_path: Path, asked: list[bytes]) -> None:
    text = read_words(tmp_path, files.docx_file(files.drawing("Lamp"), text=""))
    reference, words = text.split("\n\n")
    assert reference.startswith("![](picture:")
    assert words == "Words of the picture"
    assert asked == [b"RIFF"]


def test_pictures_beside_text_are_not_read_here(tmp_path: Path, asked: list[bytes]) -> None:
    """They wait for the enrichment: the text is to be found first."""
    text = read_words(tmp_path, files.docx_file(files.drawing("Lamp")))
    assert "Before the picture." in text
    assert asked == []


def read_words(folder: Path, content: bytes) -> str:
    path = folder / "content"
    path.write_bytes(content)
    return with_words_of_pictures(parse_file(path, "a.docx"), path, "a.docx").text
