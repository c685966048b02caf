"""Hostile archives are refused; good ones become the same files whatever they came in."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import Invalid, ProjectError, Refused, TooLarge
from sandbox.skills.bundle import BundleLimits, read_directory, read_zip
from tests.sandbox.skills.packing import skill_text, skill_zip, zip_of

SMALL = BundleLimits(total_bytes=4_000_000, file_bytes=3_000_000, files=10)


def _link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = 0o120777 << 16
    return info


def _with(name: str | zipfile.ZipInfo, data: str | bytes = "x") -> io.BytesIO:
    return zip_of(("SKILL.md", skill_text()), (name, data))


def _renamed(old: bytes, new: bytes) -> io.BytesIO:
    return io.BytesIO(_with(old.decode()).getvalue().replace(old, new))


def _encrypted() -> io.BytesIO:
    data = bytearray(_with("secret.txt").getvalue())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.rfind(signature)
        data[at + offset] |= 1
    return io.BytesIO(bytes(data))


def _many_in_the_table() -> io.BytesIO:
    data = bytearray(skill_zip().getvalue())
    struct.pack_into("<I", data, data.rfind(b"PK\x05\x06") + 12, 100_000_000)
    return io.BytesIO(bytes(data))


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: io.BytesIO(b"no zip at all"), Invalid),
        (lambda: io.BytesIO(skill_zip().getvalue()[:-30]), Invalid),
        (lambda: zip_of(("README.md", "x")), Invalid),
        (lambda: _with("../evil.py"), Refused),
        (lambda: _with("a/../../evil.py"), Refused),
        (lambda: _with("/etc/passwd"), Refused),
        (lambda: _renamed(b"xxevil.py", b"..\\\\ev.py"), Refused),
        (lambda: _with("C:/evil.py"), Refused),
        (lambda: _renamed(b"evilx.py", b"evil\x00.py"), Refused),
        (lambda: _with("a\nb.py"), Refused),
        (lambda: _with("\u202egpj.py"), Refused),
        (lambda: _with("a/" * 12 + "x"), Refused),
        (lambda: _with(_link("scripts/link"), "/etc/passwd"), Refused),
        (lambda: zip_of(("SKILL.md", skill_text()), ("a.py", "1"), ("A.py", "2")), Refused),
        (lambda: zip_of(("SKILL.md", skill_text()), ("a", "1"), ("a/b", "2")), Refused),
        (lambda: _with("bomb.bin", b"\0" * 2_500_000), TooLarge),
        (lambda: _with("large.bin", os.urandom(3_100_000)), TooLarge),
        (lambda: zip_of(("SKILL.md", skill_text()), *((f"{n}", "x") for n in range(12))), TooLarge),
        (_many_in_the_table, TooLarge),
        (_encrypted, Invalid),
    ],
)  # fmt: skip
def test_a_hostile_zip_is_refused(
    make: Callable[[], io.BytesIO], error: type[ProjectError]
) -> None:
    with pytest.raises(error):
        read_zip(make(), limits=SMALL)


def test_an_entry_that_lies_about_its_size_is_cut_off() -> None:
    limits = BundleLimits(total_bytes=4_000_000, file_bytes=1000, files=10)
    data = bytearray(_with("lie.txt", b"ab" * 4000).getvalue())
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", data, data.rfind(signature) + offset, 10)
    with pytest.raises((TooLarge, Invalid)):
        read_zip(io.BytesIO(bytes(data)), limits=limits)


def test_files_in_one_directory_are_the_same_skill(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "SKILL.md").write_text(skill_text())
    (tmp_path / "scripts" / "add.py").write_text("print(1)\n")
    inner_zip = zip_of(
        ("__MACOSX/._SKILL.md", "noise"),
        ("top/scripts/add.py", "print(1)\n"),
        ("top/SKILL.md", skill_text()),
    )
    with (
        read_zip(skill_zip()) as plain,
        read_zip(inner_zip) as inner,
        read_directory(tmp_path) as listed,
    ):
        assert plain.content_hash == inner.content_hash == listed.content_hash
        assert plain.archive.read() == inner.archive.read() == listed.archive.read()
        assert inner.left_out == ("__MACOSX/._SKILL.md",)
        assert [each.path for each in listed.files] == ["SKILL.md", "scripts/add.py"]


def test_a_link_in_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(skill_text())
    (tmp_path / "passwords").symlink_to("/etc/passwd")
    with pytest.raises(Refused):
        read_directory(tmp_path)
