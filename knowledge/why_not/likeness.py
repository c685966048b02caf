"""How much of a text stands in another, in any script: by runs of letters, whatever is between them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

RUN = 5
"""Letters of a run: shorter ones are in every text, longer ones break at each typing error."""


def squeezed(text: str) -> str:
    """Return only the letters and digits, all small: line breaks and marks differ between copies."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def runs(letters: str) -> frozenset[str]:
    """Return all runs of a squeezed text; of a short one itself."""
    if len(letters) <= RUN:
        return frozenset({letters} if letters else ())
    return frozenset(letters[at : at + RUN] for at in range(len(letters) - RUN + 1))


def share(wanted: str, held: Iterable[str]) -> float:
    """Return how much of a squeezed text stands in others together: 0..1."""
    asked = runs(wanted)
    if not asked:
        return 0.0
    have: set[str] = set()
    for letters in held:
        have |= runs(letters)
    return len(asked & have) / len(asked)
