"""Old texts of building go by a policy; people's never."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.models import AuditEvent
from knowledge.models import KnowledgeBase
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.constants import AuthorKind
from wiki.models import WikiDraft, WikiPage, WikiRevision, WikiSettings
from wiki.pages.thinning import thin_revisions
from wiki.pages.writing import publish, text_of
from wiki.values import Author, Edit


def write(base: KnowledgeBase, page: WikiPage, *kinds: AuthorKind) -> WikiPage:
    for kind in kinds:
        text = replace(text_of(page), content=f"Text {page.version + 1}.")
        edit = Edit(text=text, author=Author(kind=kind))
        page = publish(base, page, edit, expected_version=page.version).page
    return page


def thinned(page: WikiPage) -> list[int]:
    rows = WikiRevision.objects.filter(page=page, thinned_at__isnull=False)
    return sorted(rows.values_list("number", flat=True))


@pytest.fixture
def settings_row(wiki: KnowledgeBase) -> WikiSettings:
    """Settings that keep little."""
    WikiSettings.objects.update(keep_pipeline_revisions=2, keep_revisions=3)
    return WikiSettings.objects.get()


def test_only_texts_of_machines_beyond_the_limits_go(
    wiki: KnowledgeBase, settings_row: WikiSettings
) -> None:
    page = make_page(wiki, content="By a person.")
    built, agent = AuthorKind.PIPELINE, AuthorKind.AGENT
    page = write(wiki, page, agent, built, built, AuthorKind.USER, built, agent)
    assert thin_revisions(settings_row) == 2
    assert thinned(page) == [2, 3]
    gone = WikiRevision.objects.get(page=page, number=3)
    assert (gone.content, len(gone.content_hash), gone.characters_added) == ("", 64, 7)
    assert WikiPage.objects.get(pk=page.pk).content == "Text 7."
    assert AuditEvent.objects.get(action="wiki.thin").details["revisions"] == 2
    assert thin_revisions(settings_row) == 0


def test_what_somebody_began_on_stays(
    olivia: Persona, wiki: KnowledgeBase, settings_row: WikiSettings
) -> None:
    page = write(wiki, make_page(wiki), *[AuthorKind.PIPELINE] * 5)
    WikiDraft.objects.create(
        space=olivia.space, base=wiki, page=page, author=olivia.user, on_version=2
    )
    thin_revisions(settings_row)
    assert thinned(page) == [3, 4]
