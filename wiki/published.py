"""A wiki as everybody reads it: who they are, which pages they get, what of a page.

Readers without a name are viewers of this one base who pass no restriction. They get published pages
only, no names of people, and of documents the numbers; their titles where the base says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from accounts.access import Actor
from accounts.constants import Role
from core.errors import NotFound
from core.tenancy import space_scope, unscoped
from knowledge.ingest.pictures import MEDIA_TYPE
from knowledge.models import KnowledgeBase
from knowledge.storage import open_file
from wiki.models import WikiPage, WikiRedirect, WikiSettings
from wiki.pages.sources import hidden_page_ids, visible_texts
from wiki.queries import published_pages, require_wiki
from wiki.services.pictures import picture_folder

_IMAGE: Final = re.compile(r'<img src="([^"]*)" alt="([^"]*)"[^>]*>')


@dataclass(frozen=True, kw_only=True)
class Published:
    """A wiki that is published, with who reads it."""

    row: WikiSettings
    base: KnowledgeBase
    actor: Actor

    def page_url(self, slug: str) -> str:
        """Return the public address of a page."""
        return reverse("public_wiki_page", args=[self.row.public_name, slug])

    def pages(self) -> QuerySet[WikiPage]:
        """Return the pages that everybody may read."""
        return published_pages(self.actor, self.base.pk)


def anybody(row: WikiSettings) -> Actor:
    """Return who reads a wiki without a name: a viewer of its base who passes no restriction."""
    return Actor(
        kind="embed",
        id=f"wiki:{row.pk}",
        space_id=row.space_id,
        role=Role.VIEWER,
        base_ids=frozenset({row.base_id}),
    )


@contextmanager
def open_published(name: str) -> Iterator[Published]:
    """Find a published wiki and run the block in its space, whoever asks.

    Raises:
        NotFound: none is published by that name.
    """
    with unscoped(reason="whose the name in a public address is"):
        row = WikiSettings.objects.filter(
            public_name=name.lower(), is_public=True, is_enabled=True
        ).first()
    if row is None:
        raise NotFound(_nothing())
    actor = anybody(row)
    with space_scope(row.space_id):
        try:
            base = require_wiki(actor, row.base_id)
        except NotFound:
            raise NotFound(_nothing()) from None
        yield Published(row=row, base=base, actor=actor)


def find_published_page(wiki: Published, slug: str) -> tuple[WikiPage, bool]:
    """Return the page of an address, and whether that is one it had before.

    Raises:
        NotFound: nobody is to read a page there.
    """
    pages = wiki.pages().select_related("folder")
    page = pages.filter(slug=slug).first()
    is_old = page is None
    if page is None:
        old = WikiRedirect.objects.filter(base=wiki.base, slug=slug).first()
        page = pages.filter(pk=old.page_id).first() if old else None
    if page is None or hidden_page_ids(wiki.actor, [page]):
        raise NotFound(_nothing())
    return page, is_old


def search_titles(wiki: Published, query: str) -> QuerySet[WikiPage]:
    """Return the pages whose title holds every word, by title."""
    where = Q()
    for word in query.split()[:10]:
        where &= Q(title__icontains=word)
    return wiki.pages().filter(where).defer("content").order_by("title", "pk")


def read_published_picture(wiki: Published, content_hash: str) -> tuple[bytes, str]:
    """Return a picture and its media type.

    Raises:
        NotFound: no text that everybody reads shows it.
    """
    address = _picture_path(wiki, content_hash)
    pages = list(wiki.pages().filter(content__contains=address))
    texts = visible_texts(wiki.actor, pages)
    if not any(address in text.content for text in texts.values()):
        raise NotFound(_nothing())
    try:
        with open_file(
            wiki.row.space_id, content_hash, folder=picture_folder(wiki.base.pk)
        ) as stored:
            return stored.read(), MEDIA_TYPE
    except FileNotFoundError:
        raise NotFound(_nothing()) from None


def with_public_pictures(wiki: Published, html: SafeString) -> SafeString:
    """Let pictures of the wiki come from its public address; of others only their words stay."""
    start = re.escape(_picture_path(wiki, ""))
    ours = re.compile(rf".*{start}([0-9a-f]{{64}})")

    def shown(found: re.Match[str]) -> str:
        known = ours.fullmatch(found[1])
        if known is None:
            return f'<span class="muted">{found[2]}</span>'
        address = reverse("public_wiki_picture", args=[wiki.row.public_name, known[1]])
        return f'<img src="{escape(address)}" alt="{found[2]}" loading="lazy">'

    return mark_safe(_IMAGE.sub(shown, html))  # noqa: S308  # of the sanitiser's output


def _picture_path(wiki: Published, content_hash: str) -> str:
    return f"/wiki/{wiki.base.pk}/pictures/{content_hash}"


def _nothing() -> str:
    return _("There is no public page at this address.")
