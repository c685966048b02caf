"""What a page's text must be like before it may stand anywhere."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from django.utils.translation import gettext as _

from core.errors import Invalid
from wiki.constants import MAX_CONTENT, MAX_SLUG, MAX_TITLE
from wiki.values import PageText

MAX_SUMMARY: Final = 2000
MAX_ALIASES: Final = 100
_SLUG: Final = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)*")


def check_text(text: PageText) -> PageText:
    """Return the text as it is kept: title, summary and aliases in one line, the content untouched.

    Raises:
        Invalid: a blank title, a slug that is none, something too long or not storable.
    """
    checked = replace(
        text,
        title=_one_line(text.title),
        summary=_one_line(text.summary),
        aliases=_aliases(text.aliases),
    )
    _check_slug(checked.slug)
    if not checked.title:
        raise Invalid(_("A page needs a title."))
    _at_most(checked.title, MAX_TITLE, _("The title"))
    _at_most(checked.summary, MAX_SUMMARY, _("The summary"))
    _at_most(checked.content, MAX_CONTENT, _("The text"))
    for each in (checked.title, checked.summary, checked.content, *checked.aliases):
        _storable(each)
    return checked


def _check_slug(slug: str) -> None:
    if len(slug) > MAX_SLUG:
        raise Invalid(_("The address may have %(n)d characters at most.") % {"n": MAX_SLUG})
    if not _SLUG.fullmatch(slug) or slug != slug.lower():
        raise Invalid(
            _(
                "The address “%(slug)s” cannot be used: small letters, digits, dashes and dots, "
                "parts separated by “/”, such as “concept/tide-table”."
            )
            % {"slug": slug[:80]}
        )


def _aliases(aliases: tuple[str, ...]) -> tuple[str, ...]:
    cleaned = tuple(dict.fromkeys(filter(None, map(_one_line, aliases))))
    if len(cleaned) > MAX_ALIASES:
        raise Invalid(_("A page may have %(n)d other names at most.") % {"n": MAX_ALIASES})
    for each in cleaned:
        _at_most(each, MAX_TITLE, _("Another name"))
    return cleaned


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _at_most(text: str, most: int, what: str) -> None:
    if len(text) > most:
        raise Invalid(
            _("%(what)s may have %(most)d characters at most; it has %(n)d.")
            % {"what": what, "most": most, "n": len(text)}
        )


def _storable(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Invalid(_("The text has characters that are none (half of a pair).")) from None
    if "\x00" in text:
        raise Invalid(_("The text has a NUL character, which cannot be kept."))
