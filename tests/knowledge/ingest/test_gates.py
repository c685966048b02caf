from __future__ import annotations

import struct

import pytest
from PIL import Image

from knowledge.ingest.gates import GateLimits, check_content, check_name, check_size
from knowledge.ingest.gates_media import image_size
from knowledge.parsers.contract import ParseRefused
from tests.knowledge.ingest.hostile import (
    LAUGHS,
    ODT_BODY,
    XXE,
    container,
    docx,
    odf,
    paragraph,
    png,
    xlsx,
)

LIMITS = GateLimits()


def refused(content: bytes, file_type: str, limits: GateLimits = LIMITS) -> ParseRefused:
    with pytest.raises(ParseRefused) as refusal:
        check_content(content, file_type, limits)
    assert refusal.value.reason.endswith(".")
    return refusal.value


@pytest.mark.parametrize("name", ["../x.txt", "a\\..\\b", "x\0.txt", "", "/etc/passwd", "\\x"])
def test_names_that_lead_elsewhere_are_refused(name):
    with pytest.raises(ParseRefused) as refusal:
        check_name(name)
    assert refusal.value.code == "hostile"


@pytest.mark.parametrize("name", ["a.txt", "a..b.txt", "folder/a.txt", "日本語.pdf", "...txt"])
def test_ordinary_names_pass(name):
    check_name(name)


def test_sizes_are_gated():
    check_size(1, LIMITS)
    for size, code in ((0, "empty"), (LIMITS.file_bytes + 1, "too_large")):
        with pytest.raises(ParseRefused) as refusal:
            check_size(size, LIMITS)
        assert refusal.value.code == code


def test_honest_containers_pass():
    check_content(docx(paragraph("x")), "docx", LIMITS)
    check_content(xlsx('<row r="1"><c r="A1"><v>1</v></c></row>'), "xlsx", LIMITS)
    check_content(odf(ODT_BODY.format("x")), "odt", LIMITS)
    page = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd"><html/>'
    check_content(container({"OEBPS/a.xhtml": page}), "epub", LIMITS)


def test_a_container_of_too_many_members_is_refused():
    content = container({f"{number}": "" for number in range(12)})
    assert refused(content, "docx", GateLimits(zip_members=10)).code == "hostile"


def test_a_container_that_unpacks_to_too_much_is_refused():
    content = container({"a": b"x" * 2_000_000})
    assert refused(content, "docx", GateLimits(zip_bytes=1_000_000)).code == "hostile"
    assert refused(content, "docx", GateLimits(zip_ratio=1)).code == "hostile"


def test_a_directory_that_lies_about_sizes_is_found_out():
    content = container({"a": b"x" * 1_000_000})
    true_size, false_size = struct.pack("<I", 1_000_000), struct.pack("<I", 10)
    assert refused(content.replace(true_size, false_size), "docx").code in {"damaged", "hostile"}


def test_encrypted_members_are_refused():
    content = bytearray(container({"a": "text"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1
    assert refused(bytes(content), "docx").code == "encrypted"


def test_members_that_climb_out_are_refused():
    assert refused(container({"../x": "x"}), "epub").code == "hostile"


@pytest.mark.parametrize("prolog", [LAUGHS, XXE, f"<!--{' ' * 1_100_000}-->{XXE}"])
def test_entity_definitions_are_refused_wherever_they_stand(prolog):
    assert refused(docx(paragraph("x"), prolog=prolog), "docx").code == "hostile"


def test_entity_definitions_in_utf_16_are_refused():
    content = container({"word/document.xml": XXE.encode("utf-16")})
    assert refused(content, "docx").code == "hostile"


def test_a_doctype_with_entities_is_refused_even_when_it_says_html():
    page = "<!DOCTYPE html [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><html/>"
    assert refused(container({"a.xhtml": page}), "epub").code == "hostile"


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="1"><c r="A1"/></row><row r="1048576"><c r="XFD1048576"/></row>',
        '<row r="5"><c s="1" r="A5" t="n"/><c r="XFD1500"/></row>',
    ],
)
def test_sheets_of_too_large_an_area_are_refused(rows):
    assert refused(xlsx(rows), "xlsx").code == "too_large"


def test_a_lone_cell_far_away_is_no_large_area():
    check_content(xlsx('<row r="1048576"><c r="XFD1048576"><v>9</v></c></row>'), "xlsx", LIMITS)


@pytest.mark.parametrize(
    ("content", "size"),
    [(png(640, 480), (640, 480)), (png(1, 1)[:20], None), (b"\xff\xd8\xff", None)],
)
def test_the_size_of_a_picture_is_in_its_header(content, size):
    assert image_size(content) == size


def test_the_size_of_a_jpeg_is_found_behind_its_other_parts(tmp_path):
    path = tmp_path / "x.jpg"
    Image.new("RGB", (320, 200)).save(path, exif=b"Exif\0\0" + b"x" * 500, dpi=(72, 72))
    assert image_size(path.read_bytes()) == (320, 200)


def test_pictures_of_too_many_pixels_are_refused():
    assert refused(png(60_000, 60_000), "png").code == "too_large"
    check_content(png(5_000, 5_000), "png", LIMITS)


@pytest.mark.parametrize(
    ("content", "file_type"),
    [
        (b"<div>" * 1_001, "html"),
        (b"[" * 201, "json"),
        (("[" * 201).encode("utf-16-le"), "json"),
        (b"{\\rtf" + b"{" * 201, "rtf"),
    ],
    ids=["html", "json", "wide json", "rtf"],
)
def test_deep_nesting_is_refused(content, file_type):
    assert refused(content, file_type).code == "hostile"


@pytest.mark.parametrize(
    ("content", "file_type"),
    [
        (b"<p>" * 5_000 + b"<br>" * 5_000 + b"<img />" * 5_000, "html"),
        (b"<div></div>" * 5_000, "html"),
        (b'["' + b"[" * 500 + b'"]', "json"),
        (b'["\\"' + b"[" * 500 + b'"]', "json"),
        (b'["\\\\", ' + b"[]," * 500 + b"1]", "json"),
        (b"{\\rtf " + b"\\{" * 500 + b"}", "rtf"),
        (b"{\\rtf " + b"{x}" * 500 + b"}", "rtf"),
    ],
)
def test_flat_files_pass_however_many_marks_they_hold(content, file_type):
    check_content(content, file_type, LIMITS)
