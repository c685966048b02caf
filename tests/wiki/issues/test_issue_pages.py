"""The page of issues: the check, what can be done, taking back, what a reader is not told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from celery import current_app
from django.urls import reverse

from core.jobs.work import work
from knowledge.access.restrict import Place, restrict
from knowledge.models import Chunk, KnowledgeBase
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.constants import IssueState
from wiki.models import WikiChange, WikiIssue, WikiPage
from wiki.pages.sources import store_sources
from wiki.text.sentences import sentence_hash

FILLER = "Gliders land on the grass strip beside the old hangar in the afternoon."
SECRET = "The main strip is 900 m long."


@pytest.fixture
def page(
    transactional_db: None, olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WikiPage]:
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    with olivia.scope():
        base = make_base(olivia.space, name="Airfield", created_by=olivia.user)
        make_wiki(base)
        yield make_page(
            base, slug="concept/strip", title="Strip", content=f"{FILLER} [[concept/gone]]"
        )


def check(olivia: Persona, base: KnowledgeBase) -> None:
    olivia.client.post(reverse("wiki_lint", args=[base.pk]), {"action": "start"})
    while work("default"):
        pass


def listed(person: Persona, base: KnowledgeBase, **query: str) -> str:
    return person.client.get(reverse("wiki_issues", args=[base.pk]), query).content.decode()


def test_an_issue_is_found_mended_settled_and_taken_back(olivia: Persona, page: WikiPage) -> None:
    base = page.base
    assert "never checked" in listed(olivia, base)
    check(olivia, base)
    body = listed(olivia, base)
    assert "A link leads to “concept/gone”" in body
    assert "−5: 1 broken link" in body
    address = reverse("wiki_issue_act", args=[base.pk, WikiIssue.objects.get().pk])
    olivia.client.post(address, {"action": "fix"})
    assert WikiChange.objects.get().content == f"{FILLER} gone"
    assert "Change request 1 would mend it" in listed(olivia, base)
    olivia.client.post(address, {"action": "ignored"})
    body = listed(olivia, base)
    assert "An issue of “Strip” is now: Ignored." in body
    olivia.client.post(address, {"action": "pending"})
    assert WikiIssue.objects.get().state == IssueState.PENDING


def test_who_only_reads_may_report_but_not_settle(
    olivia: Persona, victor: Persona, page: WikiPage
) -> None:
    base = page.base
    flag = reverse("wiki_flag", args=[base.pk, page.pk])
    assert victor.client.post(flag, {"kind": "other", "description": " "}).status_code == 422
    sent = {"kind": "other", "description": "It is asphalt <b>now</b>."}
    assert victor.client.post(flag, sent).status_code == 302
    issue = WikiIssue.objects.get()
    assert issue.reported_by == victor.user
    body = listed(victor, base)
    assert "It is asphalt &lt;b&gt;now&lt;/b&gt;." in body
    assert 'name="action" value="resolved"' not in body
    address = reverse("wiki_issue_act", args=[base.pk, issue.pk])
    assert victor.client.post(address, {"action": "resolved"}).status_code == 403
    assert victor.client.post(reverse("wiki_lint", args=[base.pk])).status_code == 403


def test_an_issue_quotes_nothing_that_is_closed_to_the_reader(
    olivia: Persona, victor: Persona, page: WikiPage
) -> None:
    base = page.base
    make_page(base, slug="concept/a", title="A", content=f"The main strip is 800 m long. {FILLER}")
    other = make_page(base, slug="concept/b", title="B", content=f"{SECRET} Wide, too.")
    document = make_document(base, name="secret.txt", texts=["900 m"])
    chunk = Chunk.objects.get(document=document)
    store_sources(other, {sentence_hash(SECRET): [chunk.pk]})
    place = Place(base_id=base.pk, document_id=document.pk)
    restrict(olivia.actor, place, user_ids=[], group_ids=[])
    check(olivia, base)
    assert "900 m" in listed(olivia, base, kind="contradictory_facts")
    body = listed(victor, base, kind="contradictory_facts")
    assert "It gives another figure than “A”." in body
    assert "900 m" not in body


def test_an_agent_is_asked_to_mend_an_issue(olivia: Persona, page: WikiPage) -> None:
    base = page.base
    check(olivia, base)
    assert "Let an agent mend it" not in listed(olivia, base)
    fixer = make_agent(olivia.space, name="Wiki repair", builtin_key="wiki-fixer")
    issue = WikiIssue.objects.get()
    link = f"{reverse('chat_new')}?issue={issue.pk}"
    assert link in listed(olivia, base)
    body = olivia.client.get(link).content.decode()
    assert f'<option value="{fixer.pk}" selected' in body
    assert f"Mend the wiki page “Strip” (concept/strip), issue {issue.pk}: A link leads" in body
    assert f'value="{base.pk}" data-name="Airfield" checked' in body
