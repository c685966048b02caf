from __future__ import annotations

import io
import zipfile

import pytest

from knowledge.parsers.containers import OLE_MAGIC
from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.filetypes import (
    BY_EXTENSION,
    FILE_TYPES,
    detect_type,
    extension_of,
    mismatch_warning,
)
from knowledge.parsers.registry import engines_by_type
from tests.knowledge.ingest.hostile import container, docx, odf, xlsx


def ole(*names: str) -> bytes:
    return OLE_MAGIC + b"\0" * 504 + b"".join(name.encode("utf-16-le") for name in names)


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (b"%PDF-1.7\n", "a.pdf", "pdf"),
        (b"<html>proxy page</html>%PDF-1.4\n", "a.pdf", "pdf"),
        (docx(), "a.docx", "docx"),
        (docx(), "renamed.txt", "docx"),
        (xlsx(""), "a.bin", "xlsx"),
        (odf("<x/>"), "a.odt", "odt"),
        (odf("<x/>", "spreadsheet"), "a", "ods"),
        (ole("Workbook"), "a.xls", "xls"),
        (ole("WordDocument", "Workbook"), "a.xls", "doc"),
        (ole("PowerPoint Document"), "a", "ppt"),
        (ole("__properties_version1.0"), "a.doc", "msg"),
        (container({"a.txt": "x"}), "a.docx", "zip"),
        (container({"content.json": "[]", "metadata.json": "{}"}), "map", "xmind"),
        (b"GIF89a" + bytes(20), "a.png", "gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 " + bytes(20), "a", "webp"),
        (b"RIFF\x10\0\0\0WAVEfmt " + bytes(20), "a.mp3", "wav"),
        (b"II*\0" + bytes(20), "scan.pdf", "tiff"),
        (b"BM" + bytes(4) + bytes(4) + bytes(4) + b"\x28\0\0\0" + bytes(20), "a", "bmp"),
        (b"ID3\x04" + bytes(20), "song", "mp3"),
        (b"\0\0\0\x20ftypM4A " + bytes(20), "memo", "m4a"),
        (b"{\\rtf1 x}", "a.doc", "rtf"),
        (b"\x89PNG\r\n\x1a\nrest", "a.png", "png"),
        (b"\xff\xd8\xff\xe0", "photo", "jpg"),
        (b"a,b\n1,2\n", "a.csv", "csv"),
        (b"# Title\n", "a.md", "md"),
        (b"just words", "a.unknown", "txt"),
        (b"just words", "README", "txt"),
        (b"<!DOCTYPE html><p>x", "page", "html"),
        (b"<html><p>x</html>", "export.xls", "html"),
        (b'{"a": 1}', "data", "json"),
        (b"From: a@b\nTo: c@d\nSubject: x\n\nbody", "mail", "eml"),
        ("Привет".encode("utf-16"), "a.txt", "txt"),
    ],
)
def test_the_type_is_told_by_content_and_between_texts_by_name(content, name, expected):
    assert detect_type(content, name) == expected


@pytest.mark.parametrize(
    ("content", "name", "code"),
    [
        (ole("EncryptedPackage"), "a.docx", "encrypted"),
        (ole(), "a.xlsx", "encrypted"),
        (ole("SomethingElse"), "a.doc", "type_unknown"),
        (b"PK\x03\x04 broken", "a.docx", "damaged"),
        (b"these are only words", "a.pdf", "type_mismatch"),
        (b"MZ\x90\x00\x03\x00\x00\x00", "setup.txt", "binary"),
        (bytes(range(256)) * 20, "noise.csv", "binary"),
        (b"\x1f\x8b\x08\x00\x00\x01\x02", "a.gz", "binary"),
    ],
)
def test_what_is_not_read_is_refused_with_a_reason(content, name, code):
    with pytest.raises(ParseRefused) as refusal:
        detect_type(content, name)
    assert refusal.value.code == code
    assert refusal.value.reason.endswith(".")


def test_words_that_begin_like_a_program_are_words():
    assert detect_type(b"BMW and MZ are makers of vehicles.", "a.txt") == "txt"


def test_a_wrong_name_gives_a_warning():
    assert "is Word" in (mismatch_warning("docx", "a.pdf") or "")
    assert mismatch_warning("docx", "a.docm") is None
    assert mismatch_warning("txt", "a.unknown") is None


def test_an_extension_is_that_of_the_last_part():
    assert extension_of("C:\\x.y\\Report.PDF") == "pdf"
    assert extension_of("noextension") == ""


def test_every_type_that_has_a_parser_has_a_name_and_an_extension():
    parsers = engines_by_type()
    assert set(parsers) <= set(FILE_TYPES)
    assert {BY_EXTENSION[extension].name for extension in ("pdf", "docm", "tsv", "htm")} == {
        "pdf",
        "docx",
        "csv",
        "html",
    }


def test_every_named_type_has_a_parser():
    assert set(FILE_TYPES) == set(engines_by_type())


def test_a_container_with_a_broken_directory_is_damaged():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("[Content_Types].xml", "x")
    with pytest.raises(ParseRefused) as refusal:
        detect_type(content.getvalue()[:40], "a.docx")
    assert refusal.value.code == "damaged"
