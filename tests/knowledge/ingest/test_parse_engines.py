"""Engines, fall-backs, passwords and members, through the isolated door."""

from __future__ import annotations

import hashlib
import io
import random
from pathlib import Path

import msoffcrypto  # type: ignore[import-untyped]  # ships no types
import pytest
from msoffcrypto.format.ooxml import OOXMLFile  # type: ignore[import-untyped]  # ships no types
from PIL import Image

from knowledge.ingest.parse import ParseRefused, engines, iterate_members, parse_file
from knowledge.ingest.warmup import _PDF
from tests.knowledge.ingest.hostile import container, docx, paragraph

PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def written(tmp_path: Path, name: str, content: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def rc4(key: bytes, data: bytes) -> bytes:
    state, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def locked_pdf(password: str) -> bytes:
    """A PDF under the oldest encryption of the format: 40 bits of RC4."""
    padded = (password.encode() + PAD)[:32]
    owner = rc4(hashlib.md5(padded, usedforsecurity=False).digest()[:5], padded)
    key = hashlib.md5(padded + owner + b"\xfc\xff\xff\xff" + b"id", usedforsecurity=False).digest()
    key = key[:5]
    user = rc4(key, PAD)
    stream_key = hashlib.md5(key + b"\x04\0\0\0\0", usedforsecurity=False).digest()[:10]
    text = b"BT /F1 12 Tf 10 100 Td (Sample text) Tj ET"
    body = rc4(stream_key, text)
    start = _PDF.index(b"4 0 obj")
    lock = b"<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>" % (
        owner.hex().encode(),
        user.hex().encode(),
    )
    return (
        _PDF[:start]
        + b"4 0 obj<</Length %d>>stream\n" % len(body)
        + body
        + b"\nendstream endobj\n5 0 obj"
        + lock
        + b"endobj\ntrailer<</Root 1 0 R/Encrypt 5 0 R/ID[<6964><6964>]>>\n"
    )


def test_a_pdf_opens_with_its_password_only(tmp_path: Path) -> None:
    path = written(tmp_path, "a.pdf", locked_pdf("mole"))
    for password in ("", "wrong"):
        with pytest.raises(ParseRefused, match="password") as refusal:
            parse_file(path, "a.pdf", password=password)
        assert refusal.value.code == "encrypted"
    assert parse_file(path, "a.pdf", password="mole").text == "Sample text"


def test_an_office_file_opens_with_its_password_only(tmp_path: Path) -> None:
    locked = io.BytesIO()
    # The library packs files below 4,096 bytes wrongly.
    noise = random.Random(1).randbytes(9_000)
    content = docx(paragraph("Deep secret"), more={"word/media/x.bin": noise})
    OOXMLFile(io.BytesIO(content)).encrypt("mole", locked)
    path = written(tmp_path, "a.docx", locked.getvalue())
    assert msoffcrypto.OfficeFile(io.BytesIO(locked.getvalue())).is_encrypted()
    for password in ("", "wrong"):
        with pytest.raises(ParseRefused) as refusal:
            parse_file(path, "a.docx", password=password)
        assert refusal.value.code == "encrypted"
    assert parse_file(path, "a.docx", password="mole").text == "Deep secret"


def test_a_password_that_is_not_needed_does_no_harm(tmp_path: Path) -> None:
    for name, content in (("a.pdf", _PDF), ("a.txt", b"Sample text")):
        path = written(tmp_path, name, content)
        assert parse_file(path, name, password="x").text == "Sample text"


def test_another_engine_reads_what_the_first_cannot(tmp_path: Path) -> None:
    cut_off = docx(paragraph("Still here") + "<w:p><w:r><w:t>cut off")
    document = parse_file(written(tmp_path, "a.docx", cut_off), "a.docx")
    assert document.text.startswith("Still here")
    assert document.parser.startswith("office-plain/")
    assert "did not read this file" in document.warnings[0]
    assert "another engine" in document.warnings[1]


def test_a_chosen_engine_comes_first(tmp_path: Path) -> None:
    path = written(tmp_path, "a.pdf", _PDF)
    assert parse_file(path, "a.pdf").parser.startswith("pdf/")
    chosen = parse_file(path, "a.pdf", engines={"pdf": "pdf-plain"})
    assert (chosen.text, chosen.warnings) == ("Sample text", ())
    assert chosen.parser.startswith("pdf-plain/")
    by_ocr = parse_file(path, "a.pdf", engines={"pdf": "pdf-ocr"})
    assert by_ocr.pages_without_text == (1,)
    unknown = parse_file(path, "a.pdf", engines={"pdf": "gone"})
    assert unknown.parser.startswith("pdf/")


def test_a_page_shows_which_engines_there_are() -> None:
    names = {file_type: [card.name for card in cards] for file_type, cards in engines().items()}
    assert names["pdf"] == ["pdf", "pdf-plain", "pdf-ocr"]
    assert names["docx"] == ["docx", "office-plain"]
    assert all(card.label for cards in engines().values() for card in cards)


def test_members_come_in_their_order_whatever_their_size(tmp_path: Path) -> None:
    files = {"a.txt": b"one", "large.bin": bytes(30_000_000), "more.bin": bytes(30_000_000)}
    path = written(tmp_path, "a.zip", container({**files, "b.txt": b"two"}, level=0))
    document = parse_file(path, "a.zip")
    sizes = [len(content) for content in iterate_members(path, "a.zip")]
    assert sizes == [3, 30_000_000, 30_000_000, 3]
    assert sizes == [member.size_bytes for member in document.members]


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "BMP", "TIFF", "PNG"])
def test_pictures_of_all_kinds_wait_for_ocr(kind: str, tmp_path: Path) -> None:
    content = io.BytesIO()
    Image.new("RGB", (40, 20), "white").save(content, kind)
    document = parse_file(written(tmp_path, "scan", content.getvalue()), "scan")
    assert document.pages_without_text == (1,)
    assert document.metadata["type"] == kind.lower()


def test_each_frame_of_a_tiff_is_a_page(tmp_path: Path) -> None:
    content = io.BytesIO()
    frames = [Image.new("1", (40, 20), 1) for _ in range(3)]
    frames[0].save(content, "TIFF", save_all=True, append_images=frames[1:])
    document = parse_file(written(tmp_path, "scan.tif", content.getvalue()), "scan.tif")
    assert document.pages_without_text == (1, 2, 3)


@pytest.mark.parametrize(
    "header",
    [
        b"GIF89a" + b"\xff\xff\xff\xff" + bytes(20),
        b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + b"\xff\xff\xff\xff\xff\xff" + bytes(20),
        b"BM" + bytes(12) + b"\x28\0\0\0" + b"\xff\xff\0\0\xff\xff\0\0\1\0\x18\0" + bytes(24),
    ],
)
def test_a_picture_of_too_many_pixels_is_refused_unread(header: bytes, tmp_path: Path) -> None:
    with pytest.raises(ParseRefused) as refusal:
        parse_file(written(tmp_path, "x", header), "x")
    assert refusal.value.code == "too_large"


def test_a_recording_asks_for_a_speech_model(tmp_path: Path) -> None:
    document = parse_file(written(tmp_path, "memo.mp3", b"ID3\x04" + bytes(40)), "memo.mp3")
    assert document.speech_type == "audio/mpeg"
