from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from knowledge.parsers.encodings import clean_text, decode_text

JAPANESE = "東京は日本の首都です。今日は天気がいい。" * 3
KOREAN = "한국어 문서입니다. 오늘 날씨가 좋습니다. " * 3
GERMAN = "Ärger über Öl und süße Grüße – „schön“ für 15,50 €. " * 3
RUSSIAN = "Привет, мир. Это обычный текст на русском языке. " * 3
CHINESE = "中文文档，用于测试编码的识别，内容很短。" * 3
TRADITIONAL = "繁體中文的文件內容，測試用的文字。" * 3


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"),
        (JAPANESE, "utf-16"),
        (KOREAN, "cp949"),
        (GERMAN, "cp1252"),
        (GERMAN, "utf-8-sig"),
        (GERMAN, "utf-16-le"),
        (GERMAN, "utf-16-be"),
        (GERMAN, "utf-32-le"),
        (GERMAN, "utf-32-be"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (CHINESE, "gb18030"),
        (TRADITIONAL, "big5"),
    ],
)
def test_text_is_read_in_the_encoding_it_was_written_in(text, encoding):
    decoded = decode_text(text.encode(encoding))
    assert decoded.text == text
    assert not decoded.damaged


def test_a_declared_encoding_is_believed_when_it_fits():
    assert decode_text("15,50 €".encode("cp1252"), declared="iso-8859-1").text == "15,50 €"


def test_a_declared_encoding_that_does_not_fit_is_not_believed():
    assert decode_text("Grüße".encode(), declared="ascii").text == "Grüße"


@pytest.mark.parametrize("label", ["rot13", "zip", "no-such-encoding", "undefined", ""])
def test_a_declared_codec_that_is_no_encoding_of_text_is_ignored(label):
    assert decode_text(b"plain", declared=label).text == "plain"


def test_damaged_text_is_read_and_told():
    decoded = decode_text("\ufeffab".encode("utf-16-le") + b"\x00\xd8")
    assert decoded.damaged
    assert decoded.text.startswith("ab")


@given(st.binary(max_size=300))
def test_any_bytes_become_clean_text(content):
    text = decode_text(content).text
    text.encode("utf-8")
    assert "\x00" not in text
    assert "\r" not in text


@given(st.text(max_size=200))
def test_cleaning_twice_changes_nothing(text):
    assert clean_text(clean_text(text)) == clean_text(text)


def test_all_line_ends_become_line_feeds():
    assert clean_text("a\r\nb\rc\nd") == "a\nb\nc\nd"
