"""Prints as JSON the structure of a text and the facts that can be found by their form."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

WORDS_A_MINUTE, CHARACTERS_A_MINUTE = 220, 400
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
WORD = re.compile(r"[A-Za-zÀ-ɏЀ-ӿ][\w'-]*")
HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
SENTENCE_END = re.compile(r"[.!?。！？]+")
NAME = re.compile(
    r"\b([A-Z][a-zà-ɏ]+(?:\s+(?:[A-Z][a-zà-ɏ]+|[A-Z]{2,}|of|de|von|van))*\s+[A-Z][A-Za-zà-ɏ]+)\b"
)
FACTS = {
    "dates": re.compile(
        r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{4}\b|\d{4}年\d{1,2}月(?:\d{1,2}日)?"
        r"|\b\d{1,2}\s+(?:January|February|March|April|May|June|July|August|September|October"
        r"|November|December)\s+\d{4}\b"
    ),
    "amounts": re.compile(
        r"(?:[€$£¥]|\b(?:EUR|USD|GBP|CNY|JPY|KRW|RMB)\b)\s?\d[\d.,]*(?:\s?(?:million|billion))?"
        r"|\d[\d.,]*\s?(?:€|£|¥|元|円|원|\b(?:EUR|USD|GBP|CNY|JPY|KRW|RMB)\b)"
    ),
    "percentages": re.compile(r"\d+(?:[.,]\d+)?\s?%"),
    "addresses": re.compile(r"https?://[^\s)>\]\"']+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"),
}
COMMON = frozenset(
    [
        "the",
        "and",
        "for",
        "that",
        "with",
        "this",
        "from",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "not",
        "but",
        "you",
        "your",
        "our",
        "their",
        "its",
        "his",
        "her",
        "they",
        "them",
        "will",
        "shall",
        "may",
        "can",
        "must",
        "which",
        "who",
        "when",
        "what",
        "where",
        "how",
        "all",
        "any",
        "each",
        "other",
        "more",
        "than",
        "then",
        "also",
        "into",
        "such",
        "only",
        "over",
        "under",
        "between",
        "been",
        "being",
        "does",
        "did",
        "would",
        "should",
        "could",
        "there",
        "here",
        "these",
        "those",
        "about",
        "after",
        "before",
        "because",
        "while",
        "upon",
        "within",
    ]
)
MOST = 60


def main() -> None:
    """Read the file and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True)
    arguments = parser.parse_args()
    lines = read_lines(Path(arguments.input))
    print(json.dumps(analyse(lines), ensure_ascii=False, indent=1))


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file; ends with what to do when it is none."""
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        sys.stderr.write(f"error: there is no file {path}\n")
    except UnicodeDecodeError:
        sys.stderr.write(f"error: {path.name} is not UTF-8 text; save its text first\n")
    raise SystemExit(2)


def analyse(lines: list[str]) -> dict[str, Any]:
    """Return everything that was found."""
    text = "\n".join(lines)
    words, wide = WORD.findall(text), len(WIDE.findall(text))
    sentences = len(SENTENCE_END.findall(text)) or 1
    minutes = len(words) / WORDS_A_MINUTE + wide / CHARACTERS_A_MINUTE
    return {
        "lines": len(lines),
        "words": len(words),
        "east_asian_characters": wide,
        "sentences": sentences,
        "words_a_sentence": round(len(words) / sentences, 1),
        "reading_minutes": max(1, round(minutes)),
        "headings": headings(lines),
        "frequent_terms": frequent(words),
        "names": repeated_names(text),
        **{kind: places(lines, pattern) for kind, pattern in FACTS.items()},
    }


def headings(lines: list[str]) -> list[dict[str, Any]]:
    """Return the headings with the words of their own section; code is passed over."""
    found: list[dict[str, Any]] = []
    in_code = False
    for number, line in enumerate(lines, start=1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        heading = None if in_code else HEADING.match(line)
        if heading is not None:
            found.append(
                {"line": number, "level": len(heading[1]), "title": heading[2], "words": 0}
            )
        elif found:
            found[-1]["words"] += len(WORD.findall(line)) + len(WIDE.findall(line))
    return found


def frequent(words: list[str]) -> dict[str, int]:
    """Return the words that stand there most often, without the common ones."""
    counted = Counter(w.lower() for w in words if len(w) > 2 and w.lower() not in COMMON)
    return {word: count for word, count in counted.most_common(20) if count > 1}


def repeated_names(text: str) -> dict[str, int]:
    """Return what looks like names, where it stands more than once."""
    counted = Counter(" ".join(name.split()) for name in NAME.findall(text))
    return {name: count for name, count in counted.most_common(20) if count > 1}


def places(lines: list[str], pattern: re.Pattern[str]) -> list[dict[str, Any]]:
    """Return each place that fits, at most 60."""
    found = [
        {"line": number, "text": match[0].rstrip(".,")}
        for number, line in enumerate(lines, start=1)
        for match in pattern.finditer(line)
    ]
    return found[:MOST]


if __name__ == "__main__":
    main()
