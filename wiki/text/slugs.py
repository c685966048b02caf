"""Addresses of pages: `<type>/<name>`, the name in lower case with dashes, unique within a base.

Letters of scripts without case stay letters: a transcription would be wrong for some language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _

from core.errors import Invalid
from wiki.constants import MAX_SLUG, PageKind

_GAPS: Final = re.compile(r"-{2,}")
_LONGEST_NAME: Final = 120
"""Characters of a name made from a title; people may write longer ones."""


def name_in_slug(title: str) -> str:
    """Return the second half of a slug for a title; blank when it has neither letter nor digit."""
    return _cleaned(title)[:_LONGEST_NAME].rstrip("-")


def slug_for(kind: str, title: str) -> str:
    """Return the slug that a page of this kind and title would have.

    Raises:
        Invalid: no letter or digit is in the title.
    """
    name = name_in_slug(title)
    if not name:
        raise Invalid(_("The title needs a letter or a digit, to make the page's address of it."))
    return f"{kind}/{name}"


def summary_slug(document_id: UUID) -> str:
    """Return the slug of the page that sums up a document."""
    return f"{PageKind.SUMMARY}/{document_id}"


def free_slug(slug: str, is_taken: Callable[[str], bool]) -> str:
    """Return the slug, with the first number at its end that makes it free."""
    if not is_taken(slug):
        return slug
    number = 2
    while is_taken(f"{slug}-{number}"):
        number += 1
    return f"{slug}-{number}"


def is_slug(slug: str) -> bool:
    """Whether a page can have this address."""
    kind, _slash, name = slug.partition("/")
    return (
        len(slug) <= MAX_SLUG and kind in PageKind.values and bool(name) and name == _cleaned(name)
    )


def clean_slug(slug: str, *, kind: str = PageKind.CONCEPT) -> str:
    """Return an address that a person wrote as pages have theirs; without a type, it gets `kind`.

    Raises:
        Invalid: no name is left, or it is too long.
    """
    first, slash, rest = slug.strip().strip("/").partition("/")
    has_kind = bool(slash) and first.casefold() in PageKind.values
    name = _cleaned(rest if has_kind else slug)
    cleaned = f"{first.casefold() if has_kind else kind}/{name}"
    if not name:
        raise Invalid(_("An address needs a letter or a digit after the “/”."))
    if len(cleaned) > MAX_SLUG:
        raise Invalid(
            _("The address has %(n)s characters; it may have at most %(most)s.")
            % {"n": len(cleaned), "most": MAX_SLUG}
        )
    return cleaned


def _cleaned(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _GAPS.sub("-", "".join(map(_kept, folded))).strip("-")


def _kept(character: str) -> str:
    """Return what stands for a character: itself, a Latin letter without its marks, or a dash."""
    if character.isascii():
        return character if character.isalnum() else "-"
    if unicodedata.category(character)[0] not in "LMN":
        return "-"
    if "LATIN" in unicodedata.name(character, ""):
        plain = unicodedata.normalize("NFKD", character)
        return "".join(each for each in plain if not unicodedata.combining(each))
    return character
