from __future__ import annotations

import pytest

from core.errors import Conflict
from tests.personas import Persona
from tests.wiki.changes.conftest import TEXT, Desk
from tests.wiki.changes.test_deciding import approve, propose
from wiki.changes.rebasing import needs_rebase, plan_rebase, rebase_change
from wiki.constants import ChangeState
from wiki.models import WikiChange, WikiPage
from wiki.values import VersionConflict

pytestmark = pytest.mark.django_db


def moved(desk: Desk, change: WikiChange, by: Persona, content: str, **fields: str) -> WikiChange:
    """Let the page become another one below an open request."""
    desk.submit(by, content, **fields)
    return WikiChange.objects.get(pk=change.pk)


def test_edits_apart_are_merged_and_reviewed_anew(
    desk: Desk, victor: Persona, olivia: Persona
) -> None:
    change = propose(desk, victor, TEXT.replace("two tides", "2 tides"), title="The tides")
    approve(change, olivia, publish=False)
    change = moved(desk, change, olivia, TEXT.replace("pier 4", "pier 5"), summary="Ebb and flow")
    assert needs_rebase(change)
    change = rebase_change(olivia.actor, change, edition=1, onto_version=2)
    assert (change.state, change.edition, change.on_version) == (ChangeState.IN_REVIEW, 2, 2)
    approve(change, olivia)
    page = WikiPage.objects.get(pk=desk.page.pk)
    assert page.content == TEXT.replace("two tides", "2 tides").replace("pier 4", "pier 5")
    assert (page.title, page.summary) == ("The tides", "Ebb and flow")


def test_clash_waits_for_answers(desk: Desk, victor: Persona, olivia: Persona) -> None:
    change = propose(desk, victor, TEXT.replace("pier 4", "pier 6"), title="Tides, new")
    change = moved(desk, change, olivia, TEXT.replace("pier 4", "pier 5"), title="Tides, old")
    plan = plan_rebase(change)
    (clash,) = plan.merge.clashes
    assert (clash.ours, clash.theirs) == (
        "The gauge stands at pier 5.\n",
        "The gauge stands at pier 6.\n",
    )
    assert [each.name for each in plan.field_clashes] == ["title"]
    with pytest.raises(Conflict, match="decide what stays"):
        rebase_change(victor.actor, change, edition=1, onto_version=2)
    change = rebase_change(
        victor.actor,
        change,
        edition=1,
        onto_version=2,
        field_answers={"title": "Tides, new"},
        answers=("The gauge stands between piers 5 and 6.\n",),
    )
    assert "between piers 5 and 6" in change.content
    assert "two tides" in change.content
    assert not needs_rebase(change)


def test_page_that_moves_while_one_decides(desk: Desk, victor: Persona, olivia: Persona) -> None:
    change = moved(desk, propose(desk, victor), olivia, "Second.\n")
    desk.submit(olivia, "Third.\n")
    with pytest.raises(VersionConflict):
        rebase_change(victor.actor, change, edition=1, onto_version=2)


def test_nothing_left_to_change_is_superseded(desk: Desk, victor: Persona, olivia: Persona) -> None:
    change = moved(desk, propose(desk, victor, "New.\n"), olivia, "New.\n")
    assert rebase_change(victor.actor, change, edition=1, onto_version=2).state == "superseded"
