from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.errors import Conflict, Invalid, NotFound
from tests.factories.wiki import make_page
from tests.personas import Persona
from tests.wiki.changes.conftest import TEXT, Desk
from wiki.changes.submitting import submit
from wiki.constants import AuthorKind, ChangeAction, ChangeState, ReviewMode
from wiki.models import WikiChange, WikiPage, WikiRefusal
from wiki.values import VersionConflict

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("mode", "kind", "waits"),
    [
        (ReviewMode.OPEN, AuthorKind.PIPELINE, False),
        (ReviewMode.AGENTS, AuthorKind.USER, False),
        (ReviewMode.AGENTS, AuthorKind.AGENT, True),
        (ReviewMode.ALL, AuthorKind.USER, True),
    ],
)
def test_review_mode_says_whose_edits_wait(
    desk: Desk, olivia: Persona, mode: ReviewMode, kind: AuthorKind, waits: bool
) -> None:
    type(desk.settings).objects.update(review=mode)
    outcome = desk.submit(olivia, TEXT + "More.\n", kind=kind)
    desk.page.refresh_from_db()
    assert (outcome.change is not None, outcome.revision is None) == (waits, waits)
    assert desk.page.version == (1 if waits else 2)


def test_page_rules_over_base(desk: Desk, olivia: Persona) -> None:
    WikiPage.objects.update(review=ReviewMode.ALL)
    assert desk.submit(olivia, "Other.").change is not None


def test_who_may_not_publish_proposes(desk: Desk, victor: Persona) -> None:
    type(desk.settings).objects.update(review=ReviewMode.OPEN)
    change = desk.submit(victor, TEXT + "More.\n", review=False).change
    assert change is not None
    assert (change.state, change.number, change.on_version) == (ChangeState.IN_REVIEW, 1, 1)
    assert WikiPage.objects.get(pk=desk.page.pk).content == TEXT


def test_stranger_sees_no_base(desk: Desk, mallory: Persona) -> None:
    with pytest.raises(NotFound):
        desk.submit(mallory, "Mine.")


def test_same_text_and_same_proposal_are_nothing_new(
    desk: Desk, olivia: Persona, victor: Persona
) -> None:
    same = desk.submit(olivia)
    assert (same.revision, same.change) == (None, None)
    first, second = desk.submit(victor, "New."), desk.submit(victor, "New.")
    assert first.change == second.change
    assert "waits already" in second.note


def test_refused_proposal_is_not_made_again(desk: Desk, olivia: Persona) -> None:
    first = desk.submit(olivia, "Bad.", kind=AuthorKind.AGENT).change
    assert first is not None
    WikiChange.objects.update(state=ChangeState.REJECTED)
    WikiRefusal.objects.create(
        space_id=desk.base.space_id, base=desk.base, fingerprint=first.fingerprint
    )
    again = desk.submit(olivia, "Bad.", kind=AuthorKind.AGENT)
    assert (again.revision, again.change) == (None, None)
    assert "refused" in again.note
    assert desk.submit(olivia, "Bad.").revision is not None  # the person themselves may


def test_edit_of_an_old_version_is_no_silent_overwrite(
    desk: Desk, olivia: Persona, victor: Persona
) -> None:
    desk.submit(olivia, "Second.")
    with pytest.raises(VersionConflict):
        desk.submit(olivia, "Third.", on_version=1)
    assert desk.submit(victor, "Third.", on_version=1).change is not None


@pytest.mark.parametrize(
    "fields",
    [
        {"title": " \n"},
        {"title": "x" * 513},
        {"content": "a\x00b"},
        {"content": "\ud800"},
        {"slug": "Concept/Tides"},
        {"slug": "../tides"},
        {"slug": "a//b"},
        {"slug": "a b"},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_what_is_no_page_is_refused(desk: Desk, olivia: Persona, fields: dict[str, Any]) -> None:
    edit = desk.edit(olivia)
    edit = replace(edit, text=replace(edit.text, **fields))
    with pytest.raises(Invalid):
        submit(olivia.actor, desk.base, desk.page, edit, on_version=1)


def test_new_page_and_taken_address(desk: Desk, olivia: Persona) -> None:
    edit = desk.edit(olivia)
    with pytest.raises(Conflict):
        submit(olivia.actor, desk.base, None, edit, on_version=0)
    edit = replace(edit, text=replace(edit.text, slug="entity/潮位表"))
    made = submit(olivia.actor, desk.base, None, edit, on_version=0).revision
    assert made is not None
    assert (made.number, made.page.slug) == (1, "entity/潮位表")


def test_deletion_and_rename(desk: Desk, olivia: Persona) -> None:
    renamed = desk.submit(olivia, slug="concept/ebb").revision
    assert renamed is not None
    assert renamed.slug == "concept/ebb"
    desk.submit(olivia, action=ChangeAction.DELETE)
    desk.page.refresh_from_db()
    assert desk.page.trashed_at is not None
    with pytest.raises(NotFound):
        desk.submit(olivia, "Back.")


def test_numbers_count_per_base(desk: Desk, olivia: Persona, victor: Persona) -> None:
    make_page(desk.base)
    changes = [desk.submit(victor, f"Text {n}.").change for n in range(3)]
    assert [change.number for change in changes if change] == [1, 2, 3]
