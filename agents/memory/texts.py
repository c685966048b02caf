"""Words of memories: made one line, compared, hashed. No database."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection

from knowledge.text.analyze import analyze

ITEM_CHARACTERS = 300
TOPIC_CHARACTERS = 80


def one_line(text: str, *, limit: int = ITEM_CHARACTERS) -> str:
    """Return the text without line breaks and control characters, cut at `limit` with a mark."""
    kept = "".join(" " if unicodedata.category(each)[0] == "C" else each for each in text)
    line = " ".join(kept.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def key_of(topic: str) -> str:
    """Return the topic as it is compared: one form, no case, words in their order."""
    folded = unicodedata.normalize("NFKC", topic).casefold()
    words = "".join(each if each.isalnum() else " " for each in folded).split()
    return " ".join(words)[:TOPIC_CHARACTERS]


def terms_of(text: str) -> frozenset[str]:
    """Return the text's terms as searches know them."""
    return frozenset(analyze(text))


_NEGATION = re.compile(
    r"(?i)\b(?:not|no|never|neither|without|cannot)\b|n['\u2019]t\b|[不没沒无無别別勿]|ない|ません|않|안 |못|없"
)


def is_negated(text: str) -> bool:
    """Say whether the text denies something; searches leave such words out, memories must not."""
    return _NEGATION.search(text) is not None


def hash_of(text: str) -> str:
    """Return what a tombstone keeps: another order or another case of the words gives the same."""
    terms = sorted(terms_of(text)) or [key_of(text)]
    terms.append("not" if is_negated(text) else "")
    return hashlib.sha256("\x00".join(terms).encode()).hexdigest()


def overlap(first: Collection[str], second: Collection[str]) -> float:
    """Return the share of common terms in all terms of both: 0..1."""
    one, other = set(first), set(second)
    union = one | other
    return len(one & other) / len(union) if union else 0.0


def contains(whole: Collection[str], part: Collection[str]) -> bool:
    """Say whether every term of `part`, of which there is at least one, is in `whole`."""
    return bool(part) and set(part) <= set(whole)


def share_within(part: Collection[str], whole: Collection[str]) -> float:
    """Return the share of the terms of `part` that `whole` has: 0..1."""
    wanted = set(part)
    return len(wanted & set(whole)) / len(wanted) if wanted else 0.0
