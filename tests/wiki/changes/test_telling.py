from __future__ import annotations

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.personas import Persona
from tests.wiki.changes.conftest import TEXT, Desk
from wiki.changes.deciding import review_change
from wiki.changes.queries import count_unread, count_waiting, get_change, readable
from wiki.changes.reading import mark_read
from wiki.changes.talking import ask_reviewers, comment_change
from wiki.constants import ChangeAction, ChangeState, NoticeKind, Verdict
from wiki.models import WikiChange, WikiNotice, WikiWatch
from wiki.services.watching import has_mails, set_mails, set_watch
from wiki.text.sentences import sentence_hash

pytestmark = pytest.mark.django_db(transaction=True)


def told(who: Persona) -> list[str]:
    rows = WikiNotice.objects.filter(user=who.user).order_by("at", "pk")
    return [row.kind for row in rows]


def propose(desk: Desk, by: Persona, content: str = TEXT + "More.\n") -> WikiChange:
    change = desk.submit(by, content, review=True).change
    assert change is not None
    return change


def test_reviewer_and_author_are_told_and_nobody_of_their_own_doing(
    desk: Desk, victor: Persona, adam: Persona, olivia: Persona
) -> None:
    change = propose(desk, victor)
    ask_reviewers(victor.actor, change, user_ids=[adam.user.pk])
    comment_change(adam.actor, change, text="Why?", line=3)
    review_change(adam.actor, change, verdict=Verdict.ASK, edition=1, note="Sources?")
    assert told(adam) == [NoticeKind.REVIEW_ASKED]
    assert told(victor) == [NoticeKind.COMMENTED, NoticeKind.CHANGES_ASKED]
    assert told(olivia) == []
    assert {message.to[0] for message in mail.outbox} == {adam.user.email, victor.user.email}
    assert mark_read(victor.actor) == 2
    assert count_unread(victor.actor) == 0


def test_watcher_gets_one_unread_notice_of_a_page_that_changes_often(
    desk: Desk, victor: Persona, olivia: Persona
) -> None:
    set_watch(victor.actor, base_id=desk.base.pk, page_id=desk.page.pk, is_on=True, by_mail=True)
    desk.submit(olivia, "Second.\n")
    desk.submit(olivia, "Third.\n")
    assert told(victor) == [NoticeKind.PAGE_CHANGED]
    assert len(mail.outbox) == 1
    assert "Tides" in mail.outbox[0].body
    set_watch(victor.actor, base_id=desk.base.pk, page_id=desk.page.pk, is_on=False)
    desk.submit(olivia, action=ChangeAction.DELETE)
    assert told(victor) == [NoticeKind.PAGE_CHANGED]


def test_mail_has_full_addresses_and_ends_mails_without_signing_in(
    desk: Desk, victor: Persona, olivia: Persona, settings: Settings
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.example.org", "https://wiki.example.org"]
    set_watch(victor.actor, base_id=desk.base.pk, page_id=desk.page.pk, is_on=True)
    set_mails(victor.actor, is_on=True)
    set_watch(victor.actor, base_id=desk.base.pk, page_id=None, is_on=True)
    assert WikiWatch.objects.filter(user=victor.user, by_mail=True).count() == 2
    desk.submit(olivia, "Second.\n")
    body = mail.outbox[0].body
    assert f"https://wiki.example.org/wiki/{desk.base.pk}/pages/{desk.page.pk}/\n" in body
    (stop,) = re.findall(r"https://wiki.example.org(/w/-/mails/\S+)", str(body))
    stranger = Client()
    assert stranger.get(stop).status_code == 200
    assert has_mails(victor.actor)  # opening it is not enough
    assert stranger.post(stop).status_code == 200
    assert not has_mails(victor.actor)
    assert stranger.post(stop.replace("/mails/", "/mails/x")).status_code == 404
    assert victor.client.post(reverse("wiki_inbox"), {"mails": "on"}).status_code == 302
    assert has_mails(victor.actor)
    assert "By mail, too: on" in victor.client.get(reverse("wiki_inbox")).content.decode()


def test_what_waits_is_what_one_may_decide(
    desk: Desk, victor: Persona, adam: Persona, olivia: Persona
) -> None:
    change = propose(desk, victor)
    assert [count_waiting(who.actor) for who in (olivia, adam, victor)] == [1, 1, 0]
    ask_reviewers(victor.actor, change, user_ids=[adam.user.pk])
    assert [count_waiting(who.actor) for who in (olivia, adam, victor)] == [0, 1, 0]
    review_change(adam.actor, change, verdict=Verdict.ASK, edition=1, note="Sources?")
    assert [count_waiting(who.actor) for who in (olivia, adam, victor)] == [0, 0, 1]


def test_requests_of_a_page_follow_the_page(desk: Desk, victor: Persona, olivia: Persona) -> None:
    same, other = propose(desk, victor, "New.\n"), propose(desk, victor, "Other.\n")
    desk.submit(olivia, "New.\n")
    states = [WikiChange.objects.get(pk=each.pk).state for each in (same, other)]
    assert states == [ChangeState.SUPERSEDED, ChangeState.IN_REVIEW]
    desk.submit(olivia, action=ChangeAction.DELETE)
    other.refresh_from_db()
    assert other.state == ChangeState.SUPERSEDED


def test_request_that_rests_on_a_closed_passage_is_not_seen(
    desk: Desk, victor: Persona, adam: Persona, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.factories.knowledge import make_document

    chunk = make_document(desk.base, texts=["Secret."], is_draft=True).chunks.get()
    change = propose(desk, victor)
    change.sources = {sentence_hash("More."): [str(chunk.pk)]}
    change.save()
    assert readable(victor.actor, [change]) == []  # a draft of others, for him
    assert get_change(adam.actor, desk.base.pk, 1) == change
