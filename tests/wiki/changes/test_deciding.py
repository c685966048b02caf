from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import AccessDenied, Conflict, Invalid, NotFound
from tests.personas import Persona
from tests.wiki.changes.conftest import TEXT, Desk
from wiki.changes.batch import decide_many
from wiki.changes.deciding import (
    publish_change,
    reopen_change,
    resubmit_change,
    review_change,
    withdraw_change,
)
from wiki.changes.requests import text_of_change
from wiki.changes.states import WAYS, move
from wiki.changes.talking import ask_reviewers
from wiki.constants import AuthorKind, ChangeAction, ChangeState, ReviewMode, Verdict
from wiki.models import WikiChange, WikiPage, WikiRefusal, WikiRevision
from wiki.values import VersionConflict

pytestmark = pytest.mark.django_db


def propose(
    desk: Desk, by: Persona, content: str = TEXT + "More.\n", **named: object
) -> WikiChange:
    change = desk.submit(by, content, review=True, **named).change
    assert change is not None
    return change


def approve(change: WikiChange, by: Persona, *, publish: bool = True) -> WikiChange:
    return review_change(
        by.actor, change, verdict=Verdict.APPROVE, edition=change.edition, publish=publish
    )


def test_approval_publishes_the_text_with_its_author(
    desk: Desk, victor: Persona, adam: Persona
) -> None:
    change = approve(propose(desk, victor), adam)
    desk.page.refresh_from_db()
    revision = WikiRevision.objects.get(page=desk.page, number=2)
    assert (change.state, change.published_number) == (ChangeState.PUBLISHED, 2)
    assert desk.page.content == TEXT + "More.\n"
    assert (revision.author, revision.change) == (victor.user, change)
    with pytest.raises(Conflict):
        approve(change, adam)


def test_viewer_decides_nothing(desk: Desk, victor: Persona) -> None:
    with pytest.raises(AccessDenied):
        approve(propose(desk, victor), victor)


@pytest.mark.parametrize(
    ("mode", "kind", "may"),
    [
        (ReviewMode.AGENTS, AuthorKind.AGENT, True),
        (ReviewMode.ALL, AuthorKind.AGENT, False),
        (ReviewMode.ALL, AuthorKind.USER, False),
    ],
)
def test_own_proposal_needs_another_person_where_all_are_reviewed(
    desk: Desk, olivia: Persona, adam: Persona, mode: ReviewMode, kind: AuthorKind, may: bool
) -> None:
    type(desk.settings).objects.update(review=mode)
    change = propose(desk, olivia, kind=kind)
    if may:
        assert approve(change, olivia).state == ChangeState.PUBLISHED
        return
    with pytest.raises(AccessDenied, match="somebody else"):
        approve(change, olivia)
    assert approve(change, adam).state == ChangeState.PUBLISHED


def test_as_many_approvals_as_the_wiki_asks_for(
    desk: Desk, victor: Persona, olivia: Persona, adam: Persona
) -> None:
    type(desk.settings).objects.update(required_approvals=2)
    change = propose(desk, victor)
    assert approve(change, adam).state == ChangeState.IN_REVIEW
    assert approve(change, adam).state == ChangeState.IN_REVIEW
    assert approve(change, olivia, publish=False).state == ChangeState.APPROVED
    assert publish_change(adam.actor, change).state == ChangeState.PUBLISHED


def test_only_those_who_are_asked_count(
    desk: Desk, victor: Persona, olivia: Persona, adam: Persona
) -> None:
    change = propose(desk, victor)
    with pytest.raises(Invalid):
        ask_reviewers(victor.actor, change, user_ids=[victor.user.pk])
    ask_reviewers(victor.actor, change, user_ids=[adam.user.pk])
    with pytest.raises(AccessDenied, match="Others were asked"):
        approve(change, olivia)
    assert approve(change, adam).state == ChangeState.PUBLISHED


def test_asked_changes_hold_it_until_the_next_edition(
    desk: Desk, victor: Persona, olivia: Persona, adam: Persona
) -> None:
    change = propose(desk, victor)
    with pytest.raises(Invalid):
        review_change(adam.actor, change, verdict=Verdict.ASK, edition=1)
    change = review_change(adam.actor, change, verdict=Verdict.ASK, edition=1, note="Sources?")
    assert approve(change, olivia).state == ChangeState.CHANGES_ASKED
    text = replace(text_of_change(change), content=TEXT + "Better.\n")
    change = resubmit_change(victor.actor, change, edition=1, text=text)
    assert (change.state, change.edition) == (ChangeState.IN_REVIEW, 2)
    with pytest.raises(Conflict, match="another text"):
        review_change(adam.actor, change, verdict=Verdict.APPROVE, edition=1)
    assert approve(change, olivia).state == ChangeState.PUBLISHED
    assert WikiPage.objects.get(pk=desk.page.pk).content == TEXT + "Better.\n"


def test_rejected_for_good_and_reopened(desk: Desk, olivia: Persona) -> None:
    change = propose(desk, olivia, kind=AuthorKind.AGENT)
    change = review_change(
        olivia.actor, change, verdict=Verdict.REJECT, edition=1, never_again=True
    )
    assert desk.submit(olivia, change.content, kind=AuthorKind.AGENT).change is None
    change = reopen_change(olivia.actor, change)
    assert (change.state, WikiRefusal.objects.count()) == (ChangeState.IN_REVIEW, 0)


def test_only_the_author_takes_it_back(desk: Desk, victor: Persona, olivia: Persona) -> None:
    change = propose(desk, victor)
    with pytest.raises(AccessDenied):
        withdraw_change(olivia.actor, change)
    assert withdraw_change(victor.actor, change).state == ChangeState.DRAFT
    with pytest.raises(Conflict):
        approve(change, olivia)
    again = resubmit_change(
        victor.actor, change, edition=1, text=text_of_change(change), reason="again"
    )
    assert again.state == ChangeState.IN_REVIEW


def test_page_that_moved_on_is_never_overwritten(
    desk: Desk, victor: Persona, olivia: Persona
) -> None:
    change = propose(desk, victor)
    approve(change, olivia, publish=False)
    desk.submit(olivia, "All other.\n")
    with pytest.raises(VersionConflict):
        publish_change(olivia.actor, change)
    assert WikiPage.objects.get(pk=desk.page.pk).content == "All other.\n"


def test_deletion_and_new_page_are_proposed_too(
    desk: Desk, victor: Persona, olivia: Persona
) -> None:
    gone = propose(desk, victor, action=ChangeAction.DELETE)
    assert [risk["sign"] for risk in gone.risks] == ["deletes"]
    approve(gone, olivia)
    desk.page.refresh_from_db()
    assert desk.page.trashed_at is not None


def test_batch_stops_at_none(desk: Desk, victor: Persona, olivia: Persona, adam: Persona) -> None:
    changes = [propose(desk, victor, TEXT + f"{n}\n") for n in range(2)]
    batch = decide_many(adam.actor, changes, verdict=Verdict.APPROVE)
    assert [change.number for change in batch.done] == [1]
    assert "Merge the two first" in batch.failed[0][1]


def test_no_other_way_than_those_written_down(desk: Desk, victor: Persona) -> None:
    change = propose(desk, victor)
    for was in ChangeState:
        for to in set(ChangeState) - WAYS[was] - {was}:
            change.state = was
            with pytest.raises(Conflict):
                move(change, to, by=None)


def test_stranger_sees_no_request(desk: Desk, victor: Persona, mallory: Persona) -> None:
    with pytest.raises(NotFound):
        approve(propose(desk, victor), mallory)
