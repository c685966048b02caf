"""Which pictures of a file get a reference, and where it stands."""

from __future__ import annotations

import base64
import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from knowledge.ingest.isolated import parse_content
from knowledge.ingest.parse import parse_file
from knowledge.ingest.pictures import FoundPicture, iterate_pictures
from knowledge.ingest.reencode import encode
from knowledge.ingest.wire import document_from_json, document_to_json
from knowledge.parsers.contract import ParseRefused
from knowledge.text.pictures import references_of, without_references
from tests.knowledge.pictures import files

LAMP = files.drawing("Lamp")
KINDS = {
    "a.md": files.markdown_file(("A lamp", LAMP)),
    "a.docx": files.docx_file(LAMP, words="A lamp"),
    "a.pptx": files.pptx_file(LAMP),
    "a.xlsx": files.xlsx_file(LAMP),
    "a.odt": files.odt_file(LAMP, "A lamp"),
    "a.epub": files.epub_file(LAMP),
    "a.eml": files.mail_file(LAMP),
    "a.html": f"<p>See the lamp.</p><img src='{files.data_address(LAMP)}' alt='A lamp'>".encode(),
    "a.pdf": files.pdf_file(files.drawing("Lamp", kind="JPEG")),
}


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_file_shows_its_picture(name: str) -> None:
    """One picture, referred to once, known to the text and to the list."""
    document = parse_content(KINDS[name], name)
    assert [each.key for each in references_of(document.text)] == [
        picture.key for picture in document.pictures
    ]
    assert [(picture.width, picture.height) for picture in document.pictures] == [(300, 160)]


@pytest.mark.parametrize("name", KINDS)
def test_its_bytes_come_written_anew(name: str, tmp_path: Path) -> None:
    """Fetched by another child, as WebP of the same size."""
    (found,) = _fetched(KINDS[name], name, tmp_path)
    picture = Image.open(io.BytesIO(found.content))
    assert (picture.format, picture.size) == ("WEBP", (found.width, found.height))
    assert abs(found.width - 300) <= 1


def test_words_of_the_file_stand_for_the_picture() -> None:
    """What a model reads is the description, not the reference."""
    text = parse_content(KINDS["a.docx"], "a.docx").text
    assert without_references(text) == "Before the picture.\n\nA lamp\n\nBehind it."


def test_a_picture_of_a_pdf_stands_between_the_lines_around_it() -> None:
    """By its place on the page."""
    document = parse_content(KINDS["a.pdf"], "a.pdf")
    kinds = ["picture" if "](picture:" in block.markdown else "text" for block in document.blocks]
    assert kinds == ["text", "picture", "text"]
    assert document.pictures[0].page == 1
    assert document.pictures[0].box is not None


def test_nothing_of_another_host_is_a_picture() -> None:
    """Its words stay; nothing is fetched."""
    document = parse_content(KINDS["a.eml"], "a.eml")
    assert len(document.pictures) == 1
    assert "elsewhere" in document.text
    assert "spy.example" not in document.text


def test_icons_are_left_out() -> None:
    """Below 64 pixels on a side."""
    icon = files.drawing("x", size=(60, 400))
    document = parse_content(files.markdown_file(("An icon", icon)), "a.md")
    assert document.pictures == ()
    assert "An icon" in document.text
    assert "](picture:" not in document.text


def test_a_logo_on_every_slide_is_left_out() -> None:
    """What stands on half of the pages or more tells nothing."""
    logo = files.drawing("Logo")
    document = parse_content(files.pptx_file(logo, logo, logo, files.drawing("Chart")), "a.pptx")
    assert [picture.page for picture in document.pictures] == [4]
    assert len(references_of(document.text)) == 1


def test_the_same_picture_twice_is_one() -> None:
    """By its bytes."""
    content = files.markdown_file(("One", LAMP), ("Two", LAMP))
    document = parse_content(content, "a.md")
    assert len(document.pictures) == 1
    assert document.text.count("](picture:") == 2


def test_svg_is_no_picture() -> None:
    """It may hold a program."""
    svg = (
        b"<svg xmlns='http://www.w3.org/2000/svg'>" + b"<script>alert(1)</script>" * 40 + b"</svg>"
    )
    page = f"<p>Words.</p><img alt='Drawn' src='{files.data_address(svg, 'image/svg+xml')}'>"
    document = parse_content(page.encode(), "a.html")
    assert document.pictures == ()
    assert "Drawn" in document.text


def test_a_pixel_bomb_is_left_out_by_its_header() -> None:
    """Nothing is decoded for it."""

    def part(kind: bytes, body: bytes) -> bytes:
        check = struct.pack(">I", zlib.crc32(kind + body))
        return struct.pack(">I", len(body)) + kind + body + check

    head = part(b"IHDR", struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0))
    bomb = b"\x89PNG\r\n\x1a\n" + head + part(b"IDAT", bytes(2_000))
    document = parse_content(files.markdown_file(("Bomb", bomb)), "a.md")
    assert document.pictures == ()
    assert encode("k", bomb).content == b""


def test_where_a_photograph_was_taken_is_gone() -> None:
    """Only its pixels are written."""
    target = io.BytesIO()
    photograph = Image.open(io.BytesIO(LAMP)).convert("RGB")
    about = Image.Exif()
    about[0x010E] = "secret place"
    photograph.save(target, "JPEG", exif=about, comment=b"secret comment")
    made = encode("k", target.getvalue()).content
    assert b"secret" not in made
    assert not Image.open(io.BytesIO(made)).getexif()


def test_a_picture_of_one_color_is_dropped() -> None:
    """Masks and spacers show nothing."""
    target = io.BytesIO()
    Image.new("RGB", (400, 400), "navy").save(target, "BMP")
    assert encode("k", target.getvalue()).content == b""


def test_pictures_cross_the_process_boundary() -> None:
    """With all that is known of them."""
    document = document_from_json(document_to_json(parse_content(KINDS["a.pdf"], "a.pdf")))
    assert document.pictures[0].box is not None
    assert document_from_json(document_to_json(document)).pictures == document.pictures


def test_broken_data_is_no_picture() -> None:
    """Its words stay."""
    page = b"<p>Words.</p><img alt='Broken' src='data:image/png;base64,%%%'>"
    assert "Broken" in parse_content(page, "a.html").text


def test_a_file_without_words_is_refused_by_its_parser_only_without_pictures() -> None:
    """What the pictures say is tried first."""
    assert parse_content(files.docx_file(LAMP, text=""), "a.docx").pictures
    with pytest.raises(ParseRefused, match="No text"):
        parse_content(files.docx_file(b"no picture", text=""), "a.docx")


def _fetched(content: bytes, name: str, folder: Path) -> list[FoundPicture]:
    path = folder / "content"
    path.write_bytes(content)
    document = parse_file(path, name)
    return list(
        iterate_pictures(
            path,
            name,
            engine=document.parser.partition("/")[0],
            keys=[picture.key for picture in document.pictures],
        )
    )


def test_a_data_address_may_be_percent_encoded() -> None:
    """As some programs write it."""
    coded = base64.b64encode(LAMP).decode().replace("+", "%2B").replace("=", "%3D")
    page = f"<p>Words.</p><img src='data:image/png;base64,{coded}'>"
    assert len(parse_content(page.encode(), "a.html").pictures) == 1
