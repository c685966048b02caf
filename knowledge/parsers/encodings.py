"""Bytes to text: the ladder from the certain signs of an encoding to the likely ones.

Byte order mark, ISO-2022 escapes, strict UTF-8, the pattern of NUL bytes (UTF-16/32 without a
mark), then statistics (chardet). What comes out holds no NUL and no lone surrogate.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import chardet

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Vendors' supersets: files labelled with the left name are written in the right one.
_SUPERSETS = {
    "ascii": "utf-8",
    "shift-jis": "cp932",
    "shift_jis": "cp932",
    "sjis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "hz-gb-2312": "hz",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
}
_ISO_2022 = (
    (re.compile(rb"\x1b\$(?:@|B|\(D)|\x1b\([JI]"), "iso2022_jp_2"),
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
)
_NO_ENCODINGS = frozenset({"undefined", "idna", "punycode", "unicode-escape", "raw-unicode-escape"})
_NEARLY_AS_LIKELY = 0.6
_SAMPLE_BYTES = 64_000
_UNWANTED = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, kw_only=True)
class DecodedText:
    """Text and how it was read."""

    text: str
    encoding: str
    damaged: bool = False
    """Some bytes did not fit the encoding and became U+FFFD."""


def decode_text(content: bytes, *, declared: str | None = None) -> DecodedText:
    """Decode `content`; `declared` is an encoding that the file itself names (HTML, mail)."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _decode(content[len(mark) :], encoding)
    if declared and (known := _codec_name(declared)) and known != "utf-8":
        decoded = _decode(content, known)
        if not decoded.damaged:
            return decoded
    if escaped := _escaped(content):
        return _decode(content, escaped)
    try:
        # A NUL is legal UTF-8, but text with many of them is UTF-16.
        if content.count(0) <= len(content) // 100:
            return DecodedText(text=clean_text(content.decode("utf-8")), encoding="utf-8")
    except UnicodeDecodeError:
        pass
    return _decode(content, _wide_encoding(content) or _likely(content))


def clean_text(text: str) -> str:
    r"""Return `text` without NUL, lone surrogates and other controls, with `\n` as line end."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNWANTED.sub("", text)


def _decode(content: bytes, encoding: str) -> DecodedText:
    text = content.decode(encoding, "replace")
    damaged = "\ufffd" in text and "\ufffd".encode() not in content
    return DecodedText(text=clean_text(text), encoding=encoding, damaged=damaged)


def _codec_name(label: str) -> str | None:
    label = label.strip().strip("\"'").lower()
    label = _SUPERSETS.get(label, label)
    try:
        found = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    # Python also calls rot13, hex and zip codecs; those are not encodings of text.
    if found.name in _NO_ENCODINGS or not getattr(found, "_is_text_encoding", True):
        return None
    return found.name


def _wide_encoding(content: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: Latin text has its NULs at one place of each unit."""
    sample = content[:_SAMPLE_BYTES]
    if sample.count(0) * 50 <= len(sample):
        return None
    by_place = [sample[place::4].count(0) / max(1, len(sample[place::4])) for place in range(4)]
    for high, encoding in (((0, 1, 2), "utf-32-be"), ((1, 2, 3), "utf-32-le")):
        if all(by_place[place] > 0.9 for place in high):
            return encoding
    even, odd = by_place[0] + by_place[2], by_place[1] + by_place[3]
    return "utf-16-be" if even > odd else "utf-16-le"


def _escaped(content: bytes) -> str | None:
    if b"\x1b" not in content or not content.isascii():
        return None
    return next((name for pattern, name in _ISO_2022 if pattern.search(content)), None)


def _likely(content: bytes) -> str:
    """Ask the statistics; among the near likely, the encodings of our time come first."""
    sample = _telling_sample(content)
    found = chardet.detect(sample)
    present = chardet.detect(sample, encoding_era=chardet.EncodingEra.MODERN_WEB)
    if present["encoding"] and present["confidence"] > _NEARLY_AS_LIKELY * found["confidence"]:
        found = present
    return _codec_name(found["encoding"] or "") or "cp1252"


def _telling_sample(content: bytes) -> bytes:
    """The part that says something: from shortly before the first byte that is not ASCII."""
    if len(content) <= _SAMPLE_BYTES:
        return content
    first = re.search(rb"[\x80-\xff]", content)
    start = max(0, first.start() - 1_000) if first else 0
    start = content.rfind(b"\n", 0, start) + 1
    return content[start : start + _SAMPLE_BYTES]
