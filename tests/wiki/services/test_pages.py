"""Pages are written, renamed, moved, deleted and brought back."""

from __future__ import annotations

import pytest

from core.errors import Conflict, Invalid, NotFound
from knowledge.models import KnowledgeBase
from tests.factories.wiki import make_page
from tests.personas import Persona
from wiki.models import WikiLink, WikiPage, WikiRevision
from wiki.queries import find_page, get_page
from wiki.services.folders import create_folder
from wiki.services.pages import (
    create_page,
    delete_page,
    edit_page,
    move_page,
    rename_page,
    restore_page,
)
from wiki.values import VersionConflict


def text_now(page: WikiPage) -> str:
    return WikiPage.objects.get(pk=page.pk).content


def test_a_new_page_gets_an_address_of_kind_and_title(olivia: Persona, wiki: KnowledgeBase) -> None:
    made = [
        create_page(olivia.actor, base_id=wiki.pk, title="Tide  table", kind="entity")
        for _ in range(2)
    ]
    assert [each.revision and each.revision.slug for each in made] == [
        "entity/tide-table",
        "entity/tide-table-2",
    ]
    assert made[0].revision is not None
    assert made[0].revision.title == "Tide table"


def test_what_an_edit_does_not_name_stays(olivia: Persona, wiki: KnowledgeBase) -> None:
    page = make_page(wiki, title="Tides", content="old")
    outcome = edit_page(olivia.actor, page.pk, on_version=1, content="new", reason="why")
    assert outcome.revision is not None
    assert (outcome.revision.title, outcome.revision.content) == ("Tides", "new")
    with pytest.raises(VersionConflict):
        edit_page(olivia.actor, page.pk, on_version=1, content="lost?")
    with pytest.raises(Invalid, match="'novel'"):
        edit_page(olivia.actor, page.pk, on_version=2, kind="novel")


def test_who_may_not_publish_proposes(victor: Persona, wiki: KnowledgeBase) -> None:
    page = make_page(wiki, content="old")
    outcome = edit_page(victor.actor, page.pk, on_version=1, content="new")
    assert outcome.change is not None
    assert text_now(page) == "old"


def test_links_follow_a_page_to_its_new_address(olivia: Persona, wiki: KnowledgeBase) -> None:
    page = make_page(wiki, slug="concept/tide", content="See [[concept/tide#now|me]].")
    other = make_page(
        wiki, content="[[concept/tide]], [[concept/tide#at|high]], `[[concept/tide]]`"
    )
    rename_page(olivia.actor, page.pk, new_slug="concept/tides", on_version=1)
    assert text_now(page) == "See [[concept/tides#now|me]]."
    assert text_now(other) == "[[concept/tides]], [[concept/tides#at|high]], `[[concept/tide]]`"
    written = WikiRevision.objects.get(page=other, number=2)
    assert written.author_id == olivia.user.pk
    assert "new address" in written.reason
    assert WikiLink.objects.get(source=other).target_id == page.pk
    found = find_page(olivia.actor, wiki.pk, "concept/tide")
    assert (found.page.pk, found.is_redirect) == (page.pk, True)


def test_an_old_address_gives_way_to_a_new_page(olivia: Persona, wiki: KnowledgeBase) -> None:
    page = make_page(wiki, slug="concept/tide")
    rename_page(olivia.actor, page.pk, new_slug="concept/tides", on_version=1)
    new = make_page(wiki, slug="concept/tide")
    assert find_page(olivia.actor, wiki.pk, "concept/tide").page == new
    with pytest.raises(Conflict):
        rename_page(olivia.actor, page.pk, new_slug="concept/tide", on_version=2)


def test_a_deleted_page_leaves_words_and_comes_back_with_its_links(
    olivia: Persona, victor: Persona, wiki: KnowledgeBase
) -> None:
    page = make_page(wiki, slug="concept/moon", title="Moon")
    kept = make_page(wiki, content="By the [[concept/moon]].")
    edited = make_page(wiki, content="By the [[concept/moon|full moon]].")
    delete_page(olivia.actor, page.pk, on_version=1)
    assert (text_now(kept), text_now(edited)) == ("By the Moon.", "By the full moon.")
    with pytest.raises(NotFound):
        get_page(olivia.actor, page.pk)
    edit_page(olivia.actor, edited.pk, on_version=2, content="By the moon of May.")
    with pytest.raises(NotFound):
        restore_page(victor.actor, page.pk)
    restore_page(olivia.actor, page.pk)
    assert text_now(kept) == "By the [[concept/moon]]."
    assert text_now(edited) == "By the moon of May."
    assert WikiLink.objects.get(source=kept).target_id == page.pk


def test_a_page_moves_between_folders_without_a_revision(
    olivia: Persona, wiki: KnowledgeBase
) -> None:
    page = make_page(wiki)
    folder = create_folder(olivia.actor, base_id=wiki.pk, name="Sea")
    move_page(olivia.actor, page.pk, folder_id=folder.pk)
    assert get_page(olivia.actor, page.pk).folder == folder
    assert get_page(olivia.actor, page.pk).version == 1


def test_drafts_are_for_those_who_may_publish_them(
    olivia: Persona, victor: Persona, wiki: KnowledgeBase
) -> None:
    page = make_page(wiki, status="draft")
    assert get_page(olivia.actor, page.pk) == page
    with pytest.raises(NotFound):
        get_page(victor.actor, page.pk)


def test_a_stranger_finds_nothing(mallory: Persona, wiki: KnowledgeBase) -> None:
    page = make_page(wiki)
    with pytest.raises(NotFound):
        get_page(mallory.actor, page.pk)
    with pytest.raises(NotFound):
        create_page(mallory.actor, base_id=wiki.pk, title="Mine", kind="concept")
