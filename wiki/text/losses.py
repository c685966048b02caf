"""What a new text of a page lacks that the old one had: facts, links, pictures, length.

It judges nothing: `wiki.build.guards` and `wiki.changes.risks` do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from wiki.text.links import slugs_in
from wiki.text.sentences import plain_sentence, split_sentences

_MONTHS: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
    r"|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\.?"
)
_DATE: Final = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{4}"
    r"|\d{4}\s?年(?:\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?日)?)?"
    rf"|\b\d{{1,2}}\.?(?:st|nd|rd|th)?\s+{_MONTHS}(?:,?\s+\d{{4}})?"
    rf"|\b{_MONTHS}\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?|\b{_MONTHS}\s+\d{{4}}"
)
_FIGURE: Final = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,'’\u00a0\u202f]\d+)*(?:\s?[%‰€$£¥°])?")
_CURRENCY: Final = re.compile(r"[€$£¥]\s?(?=\d)")
_CJK_QUOTED: Final = re.compile(r"[“「『《]([^“”「」『』《》\n]{2,40})[”」』》]")
_NAME: Final = re.compile(
    r"(?<![\w'’])(?:[A-Z][\w'’&-]*[A-Za-z0-9])(?:[ ](?:(?:of|de|von|van|der|the|and|&)[ ])?"
    r"[A-Z][\w'’&-]*)*"
)
_BOLD: Final = re.compile(r"\*\*([^*\n]{2,80})\*\*|__([^_\n]{2,80})__")
_PICTURE: Final = re.compile(r"!\[[^\[\]\n]*\]\([^()\n]*\)")
_IMAGE: Final = re.compile(r"!\[[^\[\]\n]*\]\(([^()\s]+)[^()\n]*\)")
_ADDRESS: Final = re.compile(
    r"(?<!!)\[[^\[\]\n]*\]\(([^()\s]+)[^()\n]*\)|(?<![(<\w])(https?://[^\s)>\]]+)"
)


@dataclass(frozen=True, kw_only=True)
class Losses:
    """What is lost; each kind once, in the order of the old text."""

    figures: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    """Sentences with sources that are gone or worded anew."""
    links: tuple[str, ...] = ()
    """Slugs of pages, and addresses, that the new text does not lead to."""
    images: tuple[str, ...] = ()
    characters_before: int = 0
    characters_after: int = 0

    @property
    def facts(self) -> tuple[str, ...]:
        """What a reader could have looked up and cannot any more."""
        return (*self.figures, *self.dates, *self.names, *self.sentences)

    @property
    def shrink(self) -> float:
        """Share of its characters that the page gets shorter by, 0 to 1; growing counts as 0."""
        if not self.characters_before:
            return 0.0
        return max(0.0, 1 - self.characters_after / self.characters_before)

    @property
    def is_emptied(self) -> bool:
        """Whether nothing is left of a page that said something."""
        return self.characters_before > 0 and self.characters_after == 0

    @property
    def is_any(self) -> bool:
        """Whether anything is lost besides length."""
        return bool(self.facts or self.links or self.images or self.is_emptied)


def losses(old: str, new: str, *, sourced: Collection[str] = ()) -> Losses:
    """Return what `new` lacks of `old`.

    `sourced` has the hashes of sentences that rest on passages: such a one is a fact as a whole.
    """
    left = {sentence.hash for sentence in split_sentences(new)}
    gone = [
        plain_sentence(sentence.text)
        for sentence in split_sentences(old)
        if sentence.hash in sourced and sentence.hash not in left
    ]
    plain_new = _plain(new)
    return Losses(
        figures=_missing(figures_of(old), figures_of(new)),
        dates=_missing(dates_of(old), dates_of(new)),
        names=tuple(name for name in names_of(old) if _plain(name) not in plain_new),
        sentences=tuple(dict.fromkeys(gone)),
        links=_missing(links_of(old), links_of(new)),
        images=_missing(images_of(old), images_of(new)),
        characters_before=len("".join(old.split())),
        characters_after=len("".join(new.split())),
    )


def figures_of(text: str) -> list[str]:
    """Return the numbers of a text that belong to no date, in one spelling, each once."""
    rest = _CURRENCY.sub(
        "", _DATE.sub(" ", _without_addresses(unicodedata.normalize("NFKC", text)))
    )
    found = (re.sub(r"[\s,'’]", "", each).strip("+") for each in _FIGURE.findall(rest))
    return list(dict.fromkeys(each for each in found if each))


def dates_of(text: str) -> list[str]:
    """Return the dates of a text, without spaces, each once."""
    plain = _without_addresses(unicodedata.normalize("NFKC", text))
    return list(dict.fromkeys("".join(each.split()) for each in _DATE.findall(plain)))


def names_of(text: str) -> list[str]:
    """Return what looks like a name: bold, quoted as names are, or capitals within a sentence.

    The first word of a sentence is none: its capital means nothing.
    """
    found: dict[str, None] = {}
    for sentence in split_sentences(_PICTURE.sub(" ", text)):
        words = plain_sentence(_DATE.sub(",", _without_addresses(sentence.text)))
        for bold in _BOLD.finditer(sentence.text):
            found[plain_sentence(bold[1] or bold[2]).rstrip("：:")] = None
        for quoted in _CJK_QUOTED.finditer(words):
            found[quoted[1]] = None
        for name in _NAME.finditer(words):
            told = name.group() if name.start() else name.group().partition(" ")[2]
            found[told] = None
    return [name for name in found if name]


def links_of(text: str) -> list[str]:
    """Return the slugs and addresses that a text leads to, each once."""
    addresses = [first or second for first, second in _ADDRESS.findall(text)]
    return list(dict.fromkeys([*slugs_in(text), *addresses]))


def images_of(text: str) -> list[str]:
    """Return the addresses of the pictures that a text shows, each once."""
    return list(dict.fromkeys(_IMAGE.findall(text)))


def _missing(had: list[str], has: list[str]) -> tuple[str, ...]:
    kept = set(has)
    return tuple(each for each in had if each not in kept)


def _without_addresses(text: str) -> str:
    return re.sub(r"\]\([^()\n]*\)|https?://\S+|\[\[[^\[\]|\n]*\|", " ", text)


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", plain_sentence(text)).split()).casefold()
