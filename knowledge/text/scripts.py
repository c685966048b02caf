"""Which writing systems a text is in. Character classes for regular expressions and one guess."""

from __future__ import annotations

import re
from typing import Literal

Script = Literal["latin", "han", "japanese", "korean", "cyrillic", "other", "none"]

HAN = "々〇〻\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "ぁ-ゖゝゞ"
KATAKANA = "ァ-ヺーヽヾ"
HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e"
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese, Khmer: written without spaces between words."""

_SAMPLE_CHARACTERS = 4_000
_COUNTED: tuple[tuple[Script, re.Pattern[str]], ...] = (
    ("han", re.compile(f"[{HAN}]")),
    ("japanese", re.compile(f"[{HIRAGANA}{KATAKANA}]")),
    ("korean", re.compile(f"[{HANGUL}]")),
    ("latin", re.compile("[A-Za-z\u00c0-\u024f]")),
    ("cyrillic", re.compile("[\u0400-\u04ff]")),
)
_LETTER = re.compile(r"[^\W\d_]")
_CHARACTERS_A_LATIN_WORD = 3
"""Han and kana say with one character about as much as alphabets with three letters."""
_KANA_SHARE = 0.1
"""Of Han and kana together; Japanese prose has about a half, quotations in Chinese far less."""


def script_of(text: str) -> Script:
    """Return the script that says most of `text`; "none" when it has no letters."""
    sample = text[:_SAMPLE_CHARACTERS]
    counts: dict[Script, float] = {
        script: float(len(pattern.findall(sample))) for script, pattern in _COUNTED
    }
    letters = len(_LETTER.findall(sample))
    if not letters:
        return "none"
    cjk = counts["han"] + counts["japanese"]
    weights: dict[Script, float] = {
        "japanese" if counts["japanese"] >= _KANA_SHARE * cjk and cjk else "han": cjk,
        "korean": counts["korean"],
        "latin": counts["latin"] / _CHARACTERS_A_LATIN_WORD,
        "cyrillic": counts["cyrillic"] / _CHARACTERS_A_LATIN_WORD,
        "other": (letters - sum(counts.values())) / _CHARACTERS_A_LATIN_WORD,
    }
    return max(weights, key=lambda script: weights[script])
