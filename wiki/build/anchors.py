"""Where a changed document still says what a sentence rests on, told without a model.

The sentences of the old passage that a page's sentence was made of are found by their words. When all
of them stand in the document as they did, the sentence rests on where they stand now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from knowledge.text.analyze import analyze
from knowledge.text.pictures import without_references
from wiki.build.values import Passage
from wiki.text.losses import dates_of, figures_of
from wiki.text.sentences import plain_sentence, split_sentences

_LEAST_COVERED: Final = 0.3
"""Share of a sentence's terms that its source must have for anything to be told."""
_LEAST_SHARE: Final = 0.12
"""Share of the terms that a further source sentence must add to count as one."""
_STILL_TOLD: Final = 0.85


@dataclass(frozen=True)
class Ground:
    """The passages of a document as they are now."""

    passages: tuple[Passage, ...]

    @cached_property
    def by_sentence(self) -> dict[str, Passage]:
        """Return where each sentence of the document stands."""
        found: dict[str, Passage] = {}
        for passage in self.passages:
            for sentence in split_sentences(passage.text):
                found.setdefault(sentence.hash, passage)
        return found


def anchored(text: str, old_passages: Sequence[str], ground: Ground) -> tuple[Passage, ...]:
    """Return the passages that a sentence rests on now; none when what it was made of changed."""
    terms = Counter(analyze(plain_sentence(text)))
    if not terms:
        return ()
    sources = _made_of(terms, old_passages)
    found = [ground.by_sentence.get(text_hash) for text_hash in sources]
    if not found or any(each is None for each in found):
        return ()
    return tuple(dict.fromkeys(each for each in found if each is not None))


def is_still_told(text: str, passages: Sequence[Passage]) -> bool:
    """Whether one passage has nearly all words of a sentence, and all of its figures and dates."""
    plain = plain_sentence(text)
    terms = Counter(analyze(plain))
    total = sum(terms.values())
    return total > 0 and any(
        sum((terms & Counter(analyze(each.text))).values()) >= _STILL_TOLD * total
        and not missing_figures(plain, [each.text])
        for each in passages
    )


def missing_figures(text: str, grounds: Sequence[str]) -> list[str]:
    """Return the figures and dates of a text that stand in none of its grounds."""
    plain = plain_sentence(text)
    together = "\n".join(grounds)
    bare = "".join(together.split()).replace(",", "")
    known = {*figures_of(together), *dates_of(together)}
    return [
        each
        for each in (*figures_of(plain), *dates_of(plain))
        if each not in known and each.rstrip("%年") not in bare
    ]


def _made_of(terms: Counter[str], old_passages: Sequence[str]) -> list[str]:
    """Return the hashes of the source sentences that give a sentence its words, the most first."""
    sources = {
        sentence.hash: Counter(analyze(plain_sentence(sentence.text)))
        for passage in old_passages
        for sentence in split_sentences(without_references(passage))
    }
    total, left = sum(terms.values()), terms
    chosen: list[str] = []
    while sources:
        gains = {each: sum((left & words).values()) for each, words in sources.items()}
        best = max(gains, key=lambda each: gains[each])
        if gains[best] < (_LEAST_SHARE if chosen else _LEAST_COVERED) * total:
            break
        left = left - sources.pop(best)
        chosen.append(best)
    return chosen
