"""RTF as tokens: groups, control words, bytes of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

TokenKind = Literal["open", "close", "word", "symbol", "byte", "text"]

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?"
    r"|\\'([0-9a-fA-F]{2})"
    r"|\\([^a-zA-Z])"
    r"|([{}])"
    r"|[\r\n]+"
    r"|([^\\{}\r\n]+)"
    r"|.",
    re.S,
)
CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030",
    136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256",
    186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
SYMBOLS = {
    "tab": " ", "line": "\n", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘",
    "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emspace": " ", "enspace": " ",
    "qmspace": " ", "~": " ", "_": "-", "\\": "\\", "{": "{", "}": "}",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` is the word, symbol or text, `number` a word's parameter or a byte."""

    kind: TokenKind
    text: str = ""
    number: int | None = None


def read_tokens(content: bytes) -> Iterator[Token]:
    r"""Yield the tokens; binary data after `\bin` is passed over."""
    source = content.decode("latin-1")
    place = 0
    while (found := _TOKEN.match(source, place)) is not None:
        place = found.end()
        word, number, byte, symbol, brace, text = found.groups()
        if text is not None:
            yield Token("text", text)
        elif word is not None:
            parameter = int(number) if number is not None else None
            if word == "bin":
                place += max(parameter or 0, 0)
            else:
                yield Token("word", word, parameter)
        elif byte is not None:
            yield Token("byte", number=int(byte, 16))
        elif brace is not None:
            yield Token("open" if brace == "{" else "close")
        elif symbol is not None:
            # A backslash before a line end is an old way to write \par.
            yield Token("word", "par") if symbol in "\r\n" else Token("symbol", symbol)
