"""Word and PowerPoint files of old, as an office suite writes them, and damaged ones."""

from __future__ import annotations

import contextlib
import random
import zipfile
from pathlib import Path

import pytest

from knowledge.parsers.contract import ParsedDocument, ParseRefused
from knowledge.parsers.doc import parse_doc
from knowledge.parsers.ppt import parse_ppt
from tests.knowledge.parsers.ole_writer import ole_container

SAMPLES = Path(__file__).parents[2] / "data" / "old_office" / "samples.zip"


def sample(name: str) -> bytes:
    with zipfile.ZipFile(SAMPLES) as archive:
        return archive.read(name)


@pytest.fixture(scope="module")
def letter() -> ParsedDocument:
    return parse_doc(sample("note.doc"), "note.doc")


@pytest.fixture(scope="module")
def slides() -> ParsedDocument:
    return parse_ppt(sample("plan.ppt"), "plan.ppt")


def test_headings_links_notes_tables_and_lists_of_word_are_kept(letter: ParsedDocument) -> None:
    assert [block.markdown for block in letter.blocks if not block.hidden] == [
        "# Harbour rules",
        "Ships call at the [office](https://harbour.example/office) first[1]. Grüße, 港口 𝄞.",
        "## Fees",
        "| Berth | Summer | Winter |\n| --- | --- | --- |\n| North | 12 | 8 |",
        "After the table.",
        "## Duties",
        "- Moor well\n  - Two lines\n- Keep quiet",
        "Plain again.",
        "[1] Open from nine.",
    ]


def test_text_that_word_hides_is_flagged(letter: ParsedDocument) -> None:
    assert [block.markdown for block in letter.blocks if block.hidden] == ["hidden words"]
    assert letter.warnings == ("Text that Word does not show was left out.",)
    assert letter.title == "Häfen"


def test_slides_have_titles_texts_notes_and_tables_with_merged_cells(
    slides: ParsedDocument,
) -> None:
    assert [(block.page, block.markdown) for block in slides.blocks if not block.hidden] == [
        (1, "## Berths"),
        (1, "North pier\nSouth pier 港口"),
        (1, "Notes: Ask the master."),
        (2, "## Fees"),
        (
            2,
            "| Berth | Summer | Winter |\n| --- | --- | --- |\n| North | 12 | 8 |\n"
            "| South | 10 | 10 |",
        ),
    ]
    assert (slides.title, slides.page_count) == ("Hafen – Plan", 3)
    box = slides.blocks[0].box
    assert box is not None
    assert box.left < box.right <= 1


def test_a_hidden_slide_is_flagged(slides: ParsedDocument) -> None:
    assert [block.markdown for block in slides.blocks if block.hidden] == ["## Secret"]
    assert slides.warnings == ("1 hidden slides were left out.",)


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (b"\xdc\xa5" + bytes(400), "type_unknown"),
        (b"\xec\xa5\xc1\0" + bytes(6) + b"\0\1" + bytes(400), "encrypted"),
        (b"\xec\xa5\xc1\0" + bytes(400), "damaged"),
        (b"something else" + bytes(400), "damaged"),
    ],
)
def test_word_files_that_are_not_read_say_why(head: bytes, code: str) -> None:
    with pytest.raises(ParseRefused) as refusal:
        parse_doc(ole_container({"WordDocument": head, "1Table": b"x"}), "a.doc")
    assert refusal.value.code == code


def test_slides_with_a_password_say_so() -> None:
    user = bytes(12) + b"\xdf\xc4\xd1\xf3" + bytes(8)
    content = ole_container({"PowerPoint Document": bytes(100), "Current User": user})
    with pytest.raises(ParseRefused) as refusal:
        parse_ppt(content, "a.ppt")
    assert refusal.value.code == "encrypted"


@pytest.mark.parametrize("name", ["note.doc", "plan.ppt"])
def test_damaged_bytes_never_break_a_reader(name: str) -> None:
    parse = parse_doc if name.endswith("doc") else parse_ppt
    whole, chance = sample(name)[:40_000], random.Random(7)
    for _ in range(150):
        broken = bytearray(whole)
        for _ in range(20):
            broken[chance.randrange(512, len(broken))] = chance.randrange(256)
        with contextlib.suppress(ParseRefused):
            parse(bytes(broken), name)
