"""A base with a page, and people with and without the right to publish."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from knowledge.models import KnowledgeBase
from tests.factories.knowledge import make_base
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.changes.requests import text_of_page
from wiki.changes.submitting import Outcome, submit
from wiki.constants import AuthorKind
from wiki.models import WikiPage, WikiSettings
from wiki.values import Author, Edit

TEXT = "# Tides\n\nThe harbour has two tides a day.\n\nThe gauge stands at pier 4.\n"


class Desk:
    """What tests do with one page."""

    def __init__(self, base: KnowledgeBase, page: WikiPage, settings: WikiSettings) -> None:
        self.base, self.page, self.settings = base, page, settings

    def edit(
        self,
        by: Persona,
        content: str = "",
        *,
        kind: AuthorKind = AuthorKind.USER,
        reason: str = "because",
        **fields: Any,
    ) -> Edit:
        """An edit of the page by somebody."""
        self.page.refresh_from_db()
        text = replace(
            text_of_page(self.page), **{"content": content or self.page.content, **fields}
        )
        return Edit(text=text, author=Author(kind=kind, user_id=by.user.pk), reason=reason)

    def submit(self, by: Persona, content: str = "", **named: Any) -> Outcome:
        """Hand in an edit of the page as it is."""
        options = {k: named.pop(k) for k in ("action", "review", "on_version") if k in named}
        edit = self.edit(by, content, **named)
        options.setdefault("on_version", self.page.version)
        return submit(by.actor, self.base, self.page, edit, **options)


@pytest.fixture
def desk(olivia: Persona) -> Iterator[Desk]:
    """A page of a wiki in which agents' edits wait, inside of the space's scope."""
    with olivia.scope():
        base = make_base(olivia.space, name="Harbour")
        settings = make_wiki(base)
        page = make_page(base, slug="concept/tides", title="Tides", content=TEXT)
        yield Desk(base, page, settings)
