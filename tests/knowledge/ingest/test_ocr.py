from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from knowledge.ingest.ocr import ocr_pages
from knowledge.ingest.parse import ParseCancelled, parse_file

pytestmark = pytest.mark.serial


@pytest.fixture
def scan(tmp_path: Path) -> Image.Image:
    picture = Image.new("RGB", (700, 160), "white")
    ImageDraw.Draw(picture).text((40, 50), "Invoice number 4711", "black", font_size=48)
    return picture


@pytest.mark.parametrize("kind", ["png", "jpg", "pdf"])
def test_a_picture_of_text_is_read(scan: Image.Image, tmp_path: Path, kind: str):
    path = tmp_path / f"scan.{kind}"
    scan.save(path)
    document = parse_file(path, path.name)
    assert document.pages_without_text == (1,)
    blocks = ocr_pages(path, document.pages_without_text)[1]
    assert "4711" in blocks[0].markdown
    assert blocks[0].page == 1
    assert blocks[0].box is not None
    assert 0 < blocks[0].box.left < blocks[0].box.right <= 1


def test_a_blank_picture_has_no_blocks(tmp_path: Path):
    path = tmp_path / "blank.png"
    Image.new("L", (300, 300), "white").save(path)
    assert ocr_pages(path, [1]) == {1: ()}


def test_a_damaged_picture_is_left_out(tmp_path: Path):
    path = tmp_path / "cut.png"
    Image.new("L", (300, 300), "white").save(path)
    path.write_bytes(path.read_bytes()[:60])
    assert ocr_pages(path, [1]) == {}


def test_reading_can_be_cancelled(scan: Image.Image, tmp_path: Path):
    path = tmp_path / "scan.png"
    scan.save(path)
    with pytest.raises(ParseCancelled):
        ocr_pages(path, [1], should_cancel=lambda: True)
