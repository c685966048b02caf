"""A page's text as HTML: its links lead to pages, those to none offer to write one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

from django.core.cache import cache
from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import get_language, gettext as _

from accounts.access import Actor
from core.markdown_wiki import Rendered, Target, mark_of, render_wiki, without_marks
from wiki.models import WikiPage, WikiRedirect
from wiki.queries import pages_of
from wiki.text.links import Link, replace_links, slugs_in

_VERSION: Final = 1
"""Of what is kept; raise it when the same text gives other HTML."""
_KEPT_SECONDS: Final = 24 * 3600


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A source's number, and behind which character of the text it stands."""

    at: int
    number: int


def page_url(base_id: UUID, slug: str) -> str:
    """Return the address of a page for readers."""
    return reverse("wiki_page", args=[base_id, slug])


def render_page(
    actor: Actor,
    base_id: UUID,
    content: str,
    *,
    marks: tuple[Mark, ...] = (),
    origin: str = "",
    changed: frozenset[int] = frozenset(),
    address: Callable[[str], str] | None = None,
    among: QuerySet[WikiPage] | None = None,
) -> Rendered:
    """Return a text of a base's wiki as HTML; as many queries for one link as for a hundred.

    `origin` is what the cards of the sources are named by, `changed` lines are marked. A link to a page that the actor does not
    see is one to no page. `address` gives the address of a page by its slug where it is not the
    usual one; then missing pages are not offered to be written. `among` are the only pages that links
    lead to where given; the others are plain text.
    """
    slugs = slugs_in(content)
    found = _targets(actor, base_id, slugs, address=address, among=among)
    key = _key(content, (marks, origin, sorted(changed)), found)
    kept: Rendered | None = cache.get(key)
    if kept is None:
        text = _with_marks(content, marks)
        text = replace_links(text, _with_escaped_bar)
        kept = render_wiki(text, target=found.__getitem__, origin=origin, changed=changed)
        cache.set(key, kept, _KEPT_SECONDS)
    return kept


class _Found(dict[str, Target]):
    """The targets by slug; one that was not asked for (a text that is no link to us) is missing."""

    def __missing__(self, slug: str) -> Target:
        return Target(url="#", title=slug, is_missing=True)


def _targets(
    actor: Actor,
    base_id: UUID,
    slugs: list[str],
    *,
    address: Callable[[str], str] | None,
    among: QuerySet[WikiPage] | None,
) -> _Found:
    if not slugs:
        return _Found()
    pages = pages_of(actor, base_id) if among is None else among
    rows = pages.filter(slug__in=slugs).values_list("slug", "title")
    known = {slug: (slug, title) for slug, title in rows}
    moved = WikiRedirect.objects.filter(base_id=base_id, slug__in=slugs, page__in=pages)
    for slug, now, title in moved.values_list("slug", "page__slug", "page__title"):
        known.setdefault(slug, (now, title))
    found = _Found()
    for slug in slugs:
        if slug in known:
            now, title = known[slug]
            url = address(now) if address else page_url(base_id, now)
            found[slug] = Target(url=url, title=title)
        elif among is not None:
            found[slug] = Target(url="", title=slug.rpartition("/")[2].replace("-", " "))
        elif address is None:
            found[slug] = _missing(base_id, slug)
    return found


def _missing(base_id: UUID, slug: str) -> Target:
    url = f"{reverse('wiki_new', args=[base_id])}?{urlencode({'slug': slug})}"
    note = _("There is no such page yet: write it")
    return Target(url=url, title=slug, is_missing=True, note=note)


def _with_marks(content: str, marks: tuple[Mark, ...]) -> str:
    pieces: list[str] = []
    at = 0
    for mark in sorted(marks, key=lambda each: (each.at, each.number)):
        pieces += (without_marks(content[at : mark.at]), mark_of(mark.number))
        at = mark.at
    return "".join((*pieces, without_marks(content[at:])))


def _with_escaped_bar(link: Link) -> str | None:
    """Write a link so that it may stand in a cell of a table."""
    if not link.name:
        return None
    return f"[[{link.slug}{'#' + link.part if link.part else ''}\\|{link.name}]]"


def _key(content: str, more: object, found: Mapping[str, Target]) -> str:
    told = hashlib.sha256(content.encode())
    told.update(repr((_VERSION, get_language(), more, sorted(found.items(), key=_slug))).encode())
    return f"wiki-html-{told.hexdigest()}"


def _slug(item: tuple[str, Target]) -> str:
    return item[0]
