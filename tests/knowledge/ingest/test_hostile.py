from __future__ import annotations

from pathlib import Path

import pytest

from core.isolation import Limits
from knowledge.ingest.parse import ParseRefused, parse_file
from knowledge.ingest.split import SplitSettings, split
from tests.knowledge.ingest.hostile import HOSTILE

LIMITS = Limits(cpu_seconds=6, wall_seconds=12)
REFUSED_UNREAD = {
    "bomb.docx": "hostile",
    "laughs.docx": "hostile",
    "xxe.docx": "hostile",
    "late-doctype.docx": "hostile",
    "climbing.docx": "hostile",
    "members.docx": "hostile",
    "laughs.odt": "hostile",
    "xxe.odt": "hostile",
    "repeats.ods": "too_large",
    "corner.xlsx": "too_large",
    "wide-rows.xlsx": "too_large",
    "merged.xlsx": "too_large",
    "pages.pdf": "too_large",
    "huge.png": "too_large",
    "sheets.xlsx": "too_large",
    "bomb.zip": "hostile",
    "climbing.zip": "hostile",
    "members.zip": "hostile",
    "link.zip": "no_text",
    "pixels.gif": "too_large",
    "pixels.webp": "too_large",
    "laughs.xmind": "hostile",
    "deep.xmind": "damaged",
    "deep.html": "hostile",
    "tables.html": "hostile",
    "deep.json": "hostile",
    "deep.rtf": "hostile",
}


def outcome_of(path: Path) -> str:
    """Read and split the file; return "read" or the code of its refusal."""
    try:
        document = parse_file(path, path.name, limits=LIMITS)
    except ParseRefused as refusal:
        return refusal.code
    split(document, SplitSettings())
    return "leaked" if "root:x:0" in document.text else "read"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_ends_refused_or_read_and_harms_nobody(name: str, tmp_path: Path):
    path = tmp_path / name
    path.write_bytes(HOSTILE[name]())
    outcome = outcome_of(path)
    assert outcome != "leaked"
    assert outcome == REFUSED_UNREAD.get(name, outcome)
    plain = tmp_path / "plain.txt"
    plain.write_text("still alive", encoding="utf-8")
    assert parse_file(plain, "plain.txt").text == "still alive"
