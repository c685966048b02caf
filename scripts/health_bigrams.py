"""Write the pairs of letters that are usual in a language, for `knowledge.health.language`.

Run: `python scripts/health_bigrams.py`. They are counted in the lists of frequent words that come
with justext (BSD licence), so the table only changes when a language is added here.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from pathlib import Path

from justext import get_stoplist

LANGUAGES = [
    "Arabic",
    "Bulgarian",
    "Catalan",
    "Croatian",
    "Czech",
    "Danish",
    "Dutch",
    "English",
    "Estonian",
    "Finnish",
    "French",
    "German",
    "Greek",
    "Hebrew",
    "Hindi",
    "Hungarian",
    "Indonesian",
    "Italian",
    "Latvian",
    "Lithuanian",
    "Norwegian_Bokmal",
    "Persian",
    "Polish",
    "Portuguese",
    "Romanian",
    "Russian",
    "Serbian",
    "Slovak",
    "Slovenian",
    "Spanish",
    "Swedish",
    "Turkish",
    "Ukrainian",
    "Vietnamese",
]
KEPT_SHARE = 0.93
"""Of a language's pairs; the rest is foreign words and rarities."""
TABLE = Path(__file__).resolve().parent.parent / "knowledge" / "health" / "bigrams.json"


def usual_pairs(language: str) -> list[str]:
    """Return the most frequent pairs of letters, those at the edge of words with a blank."""
    counted: Counter[str] = Counter()
    for word in get_stoplist(language):
        padded = f" {unicodedata.normalize('NFC', word).casefold()} "
        counted.update(map("".join, zip(padded, padded[1:], strict=False)))
    pairs, wanted = [], KEPT_SHARE * counted.total()
    for pair, count in counted.most_common():
        pairs.append(pair)
        wanted -= count
        if wanted <= 0:
            break
    return sorted(pairs)


def main() -> None:
    """Write the table: by language, its pairs glued together."""
    table = {language: "".join(usual_pairs(language)) for language in LANGUAGES}
    lines = json.dumps(table, ensure_ascii=False, indent=0)
    TABLE.write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
