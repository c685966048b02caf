"""Pages of wikis for tests. Each function opens the space of what it makes itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from accounts.access import Actor
from accounts.models import User
from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from wiki.changes.submitting import submit
from wiki.constants import AuthorKind
from wiki.models import WikiChange, WikiPage, WikiSettings
from wiki.pages.writing import publish, text_of
from wiki.values import Author, Edit, PageText

_numbers = count(1)


def make_wiki(base: KnowledgeBase, **fields: Any) -> WikiSettings:
    """Give a base a wiki."""
    with space_scope(base.space_id):
        return WikiSettings.objects.create(space_id=base.space_id, base=base, **fields)


def make_page(
    base: KnowledgeBase,
    *,
    slug: str = "",
    title: str = "",
    content: str = "",
    by: User | None = None,
    **fields: Any,
) -> WikiPage:
    """Publish a page's first revision."""
    number = next(_numbers)
    text = PageText(
        slug=slug or f"concept/page-{number}", title=title or f"Page {number}", content=content
    )
    author = Author(kind=AuthorKind.USER, user_id=by.pk if by else None)
    with space_scope(base.space_id):
        revision = publish(base, None, Edit(text=text, author=author), expected_version=0)
        if fields:
            WikiPage.objects.filter(pk=revision.page_id).update(**fields)
            revision.page.refresh_from_db()
        return revision.page


def propose(actor: Actor, page: WikiPage, *, content: str, reason: str = "") -> WikiChange:
    """Hand in an edit of a page for review."""
    with space_scope(page.space_id):
        text = replace(text_of(page), content=content)
        author = Author(kind=AuthorKind.USER, user_id=actor.user_id)
        edit = Edit(text=text, author=author, reason=reason)
        outcome = submit(actor, page.base, page, edit, on_version=page.version, review=True)
    if outcome.change is None:
        raise AssertionError(outcome.note)
    return outcome.change
