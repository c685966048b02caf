"""Revisions are read, compared, rolled back and blamed."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from core.errors import Conflict, NotFound
from knowledge.models import KnowledgeBase
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.constants import AuthorKind
from wiki.models import WikiPage, WikiRevision
from wiki.pages.writing import publish, text_of
from wiki.services.history import blame, compare, list_revisions, read_revision, roll_back
from wiki.services.pages import edit_page, rename_page
from wiki.values import Author, Edit, VersionConflict

TEXTS = ("A day has tides.\r\n", "A day has tides. They are two.", "They are two. The moon pulls.")


@pytest.fixture
def page(olivia: Persona, wiki: KnowledgeBase) -> WikiPage:
    """A page of three revisions."""
    page = make_page(wiki, slug="concept/tides", title="Tides", content=TEXTS[0])
    for number, content in enumerate(TEXTS[1:], start=1):
        edit_page(olivia.actor, page.pk, on_version=number, content=content)
    page.refresh_from_db()
    return page


def test_revisions_are_listed_without_their_texts(olivia: Persona, page: WikiPage) -> None:
    rows = list(list_revisions(olivia.actor, page.pk))
    assert [row.number for row in rows] == [3, 2, 1]
    assert "content" in rows[0].get_deferred_fields()


def test_any_two_are_compared_in_either_direction(olivia: Persona, page: WikiPage) -> None:
    there = compare(olivia.actor, page.pk, old=1, new=3).comparison
    back = compare(olivia.actor, page.pk, old=3, new=1).comparison
    assert there.rows[0].old is not None
    assert back.rows[0].new is not None
    assert there.rows[0].old.text == back.rows[0].new.text == "A day has tides."
    with pytest.raises(NotFound):
        compare(olivia.actor, page.pk, old=1, new=9)


def test_rolling_back_says_the_same_bytes_as_a_new_revision(
    olivia: Persona, page: WikiPage
) -> None:
    rename_page(olivia.actor, page.pk, new_slug="concept/ebb", on_version=3)
    outcome = roll_back(olivia.actor, page.pk, number=1, on_version=4, reason="vandals")
    revision = outcome.revision
    assert revision is not None
    assert (revision.number, revision.content, revision.restored_from) == (5, TEXTS[0], 1)
    assert revision.author_kind == AuthorKind.REVERT
    assert revision.slug == "concept/ebb"
    assert WikiRevision.objects.get(page=page, number=1).content == TEXTS[0]


def test_rolling_back_to_what_it_says_or_over_others_is_refused(
    olivia: Persona, page: WikiPage
) -> None:
    with pytest.raises(Conflict):
        roll_back(olivia.actor, page.pk, number=3, on_version=3)
    with pytest.raises(VersionConflict):
        roll_back(olivia.actor, page.pk, number=1, on_version=2)


def test_each_sentence_names_the_revision_that_introduced_it(
    olivia: Persona, page: WikiPage
) -> None:
    found = blame(olivia.actor, page.pk)
    assert [(each.text, each.revision.number) for each in found] == [
        ("They are two.", 2),
        ("The moon pulls.", 3),
    ]
    assert found[0].author == olivia.user
    assert page.content[found[1].start : found[1].end] == "The moon pulls."


def test_a_sentence_that_was_away_is_newer(olivia: Persona, page: WikiPage) -> None:
    edit_page(olivia.actor, page.pk, on_version=3, content="Nothing.")
    edit_page(olivia.actor, page.pk, on_version=4, content="They are two.")
    assert [each.revision.number for each in blame(olivia.actor, page.pk)] == [5]


def test_blame_of_a_long_history_asks_little(
    olivia: Persona, wiki: KnowledgeBase, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page = make_page(wiki, content="First.")
    author = Author(kind=AuthorKind.USER, user_id=olivia.user.pk)
    for number in range(1, 60):
        text = text_of(page)
        edit = Edit(
            text=type(text)(**{**vars(text), "content": f"First. Then {number}."}), author=author
        )
        page = publish(wiki, page, edit, expected_version=number).page
    with django_assert_max_num_queries(16):
        found = blame(olivia.actor, page.pk)
    assert [each.revision.number for each in found] == [1, 60]


def test_a_thinned_text_is_told_and_makes_blame_careful(olivia: Persona, page: WikiPage) -> None:
    WikiRevision.objects.filter(page=page, number=1).update(
        content="", thinned_at=page.updated_at, content_hash="x"
    )
    with pytest.raises(Conflict):
        read_revision(olivia.actor, page.pk, 1)
    with pytest.raises(Conflict):
        roll_back(olivia.actor, page.pk, number=1, on_version=3)
    assert [each.is_exact for each in blame(olivia.actor, page.pk)] == [True, True]
