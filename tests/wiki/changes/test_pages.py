"""The pages of change requests, as people use them."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from tests.personas import Persona
from tests.wiki.changes.conftest import TEXT, Desk
from tests.wiki.changes.test_deciding import propose
from wiki.constants import ChangeState, Verdict
from wiki.models import WikiChange, WikiComment, WikiPage, WikiRefusal

pytestmark = pytest.mark.django_db


def address(desk: Desk, name: str = "wiki_change", number: int | None = 1) -> str:
    return reverse(name, args=[desk.base.pk] if number is None else [desk.base.pk, number])


def post(who: Persona, path: str, **data: Any) -> Any:
    return who.client.post(path, data, follow=True)


def test_request_shows_change_signs_and_what_may_be_done(
    desk: Desk, victor: Persona, olivia: Persona
) -> None:
    propose(desk, victor, TEXT.replace("pier 4", "pier 5"))
    page = olivia.client.get(address(desk)).content.decode()
    for words in ("Facts would go", "4 → 5", "Approve and publish", "Ask for changes", "because"):
        assert words in page
    own = victor.client.get(address(desk)).content.decode()
    assert "Take back as a draft" in own
    assert "Approve and publish" not in own


def test_asked_handed_in_again_and_approved(desk: Desk, victor: Persona, olivia: Persona) -> None:
    propose(desk, victor)
    act = address(desk, "wiki_change_act")
    assert (
        "Say what is to be changed" in post(olivia, act, action="ask", edition=1).content.decode()
    )
    post(olivia, act, action="ask", edition=1, note="Sources, please.")
    mend = address(desk, "wiki_change_edit")
    form = victor.client.get(mend)
    assert "Sources, please." in form.content.decode()
    fields = {**form.context["form"].initial, "content": TEXT + "Better.\r\n", "edition": 1}
    assert "Handed in" in post(victor, mend, **fields).content.decode()
    assert (
        "another text meanwhile"
        in post(olivia, act, action="approve_publish", edition=1).content.decode()
    )
    post(olivia, act, action="approve_publish", edition=2)
    assert WikiPage.objects.get(pk=desk.page.pk).content == TEXT + "Better.\n"


def test_conflict_is_decided_place_by_place(desk: Desk, victor: Persona, olivia: Persona) -> None:
    propose(desk, victor, TEXT.replace("pier 4", "pier 6"))
    desk.submit(olivia, TEXT.replace("pier 4", "pier 5"))
    page = olivia.client.get(address(desk)).content.decode()
    assert "Merge both" in page
    assert "Approve and publish" not in page
    merge = address(desk, "wiki_change_merge")
    shown = olivia.client.get(merge).content.decode()
    assert "pier <del>5</del>" in shown
    assert "pier <ins>6</ins>" in shown
    refused = olivia.client.post(merge, {"edition": 1, "onto": 2})
    assert refused.status_code == 409
    post(olivia, merge, edition=1, onto=2, **{"choice-0": "own", "own-0": "At piers 5 and 6."})
    change = WikiChange.objects.get()
    assert (change.edition, change.on_version) == (2, 2)
    assert change.content == TEXT.replace("The gauge stands at pier 4.", "At piers 5 and 6.")


def test_batch_tells_what_was_left(desk: Desk, victor: Persona, olivia: Persona) -> None:
    for n in range(2):
        propose(desk, victor, TEXT + f"{n}\n")
    batch = address(desk, "wiki_changes_batch", None)
    page = post(olivia, batch, verdict="approve", number=[1, 2]).content.decode()
    assert "1 change request was approved." in page
    assert "#2: The page was changed since" in page
    post(olivia, batch, verdict="reject", number=[2], never_again="on")
    assert WikiChange.objects.get(number=2).state == ChangeState.REJECTED
    assert WikiRefusal.objects.count() == 1
    assert "Open again" in olivia.client.get(address(desk, number=2)).content.decode()


def test_comment_stands_at_its_line(desk: Desk, victor: Persona, olivia: Persona) -> None:
    propose(desk, victor)
    say = address(desk, "wiki_change_comment")
    page = post(olivia, say, text="Which gauge?", line=6).content.decode()
    assert page.count("Which gauge?") == 3  # in both kinds of diff, and below
    assert "has no line 99" in post(olivia, say, text="x", line=99).content.decode()
    comment = WikiComment.objects.get()
    assert victor.client.post(say, {"delete": str(comment.pk)}).status_code == 404
    post(olivia, say, delete=str(comment.pk))
    assert not WikiComment.objects.exists()


@pytest.mark.parametrize(
    ("tab", "seen"), [("waiting", True), ("mine", False), ("open", True), ("all", True)]
)
def test_tabs_of_the_list(
    desk: Desk, victor: Persona, olivia: Persona, tab: str, seen: bool
) -> None:
    propose(desk, victor, title="High water")
    listed = olivia.client.get(address(desk, "wiki_changes", None), {"tab": tab})
    assert ("High water" in listed.content.decode()) is seen


def test_inbox_and_banner_lead_to_it(desk: Desk, victor: Persona, olivia: Persona) -> None:
    propose(desk, victor)
    inbox = olivia.client.get(reverse("wiki_inbox")).content.decode()
    page = olivia.client.get(reverse("wiki_page", args=[desk.base.pk, desk.page.slug]))
    assert address(desk) in inbox
    assert "waits for you" in inbox
    assert address(desk) in page.content.decode()


def test_verdict_of_who_may_not_decide_is_no_page(desk: Desk, victor: Persona) -> None:
    propose(desk, victor)
    act = address(desk, "wiki_change_act")
    answer = victor.client.post(act, {"action": Verdict.APPROVE, "edition": 1})
    assert answer.status_code == 403
