"""A check of a whole wiki: what it finds, that it stays one issue, what is resolved by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from celery import current_app

from core.jobs.work import work
from knowledge.models import Chunk, KnowledgeBase
from tests.factories.knowledge import make_base, make_document
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.changes.requests import text_of_page
from wiki.constants import AuthorKind, IssueKind, IssueState, LintState
from wiki.issues.fixes import propose_fix
from wiki.issues.flagging import list_issues, set_issue_state
from wiki.issues.lint import health_now, start_lint
from wiki.models import WikiIssue, WikiLint, WikiPage
from wiki.pages.sources import store_sources
from wiki.pages.writing import publish
from wiki.text.sentences import sentence_hash
from wiki.values import Author, Edit

FILLER = "Gliders land on the grass strip beside the old hangar in the afternoon."


@pytest.fixture
def base(
    transactional_db: None, olivia: Persona, monkeypatch: pytest.MonkeyPatch
) -> Iterator[KnowledgeBase]:
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    with olivia.scope():
        made = make_base(olivia.space, name="Airfield", created_by=olivia.user)
        make_wiki(made)
        yield made


def lint(olivia: Persona, base: KnowledgeBase) -> WikiLint:
    row = start_lint(olivia.actor, base)
    for _ in range(30):
        row.refresh_from_db()
        if row.state not in (LintState.WAITING, LintState.RUNNING) or not work("default"):
            break
    row.refresh_from_db()
    return row


def found(olivia: Persona, base: KnowledgeBase, state: str = IssueState.PENDING) -> set[str]:
    rows = list_issues(olivia.actor, [base.pk], state=state)
    return {f"{row.page.slug} {row.kind}" for row in rows}


def rewrite(olivia: Persona, page: WikiPage, content: str) -> None:
    page.refresh_from_db()
    edit = Edit(
        text=replace(text_of_page(page), content=content),
        author=Author(kind=AuthorKind.USER, user_id=olivia.user.pk),
    )
    publish(page.base, page, edit, expected_version=page.version)


def test_each_kind_is_found_once_and_resolved_when_it_is_mended(
    olivia: Persona, base: KnowledgeBase
) -> None:
    wing = make_page(
        base,
        slug="concept/wing",
        title="Wing",
        content=f"The wing carries. {FILLER} See [[concept/strut|the strut]] and [[concept/nose]]."
        " The Tail Boom steers.",
    )
    make_page(base, slug="concept/tail-boom", title="Tail Boom", content=f"It steers. {FILLER}")
    make_page(base, slug="concept/stub", title="Stub", content="Soon.")
    make_page(base, slug="entity/tail-boom", title="tail boom", content=f"Again. {FILLER}")
    first = lint(olivia, base)
    assert first.state == LintState.DONE
    assert found(olivia, base) == {
        "concept/wing broken_link",
        "concept/wing orphan_page",
        "concept/tail-boom orphan_page",
        "concept/stub orphan_page",
        "concept/stub empty_content",
        "entity/tail-boom orphan_page",
        "entity/tail-boom duplicate",
    }
    assert WikiIssue.objects.filter(kind=IssueKind.BROKEN_LINK).count() == 2
    again = lint(olivia, base)
    assert (again.found, again.new, again.resolved) == (first.found, 0, 0)
    rewrite(olivia, wing, f"The wing carries. {FILLER} See [[concept/stub]].")
    assert lint(olivia, base).resolved == 3
    assert "concept/wing broken_link" in found(olivia, base, IssueState.RESOLVED)
    health = health_now(WikiLint.objects.get(base=base))
    assert health is not None
    assert health.score == 100 - 25 - 3


def test_ignored_stays_ignored_and_what_comes_back_is_open_again(
    olivia: Persona, base: KnowledgeBase
) -> None:
    page = make_page(base, slug="concept/wing", title="Wing", content=f"{FILLER} [[concept/gone]]")
    lint(olivia, base)
    issue = list_issues(olivia.actor, [base.pk]).get()
    set_issue_state(olivia.actor, issue.pk, state=IssueState.IGNORED)
    lint(olivia, base)
    assert found(olivia, base) == set()
    set_issue_state(olivia.actor, issue.pk, state=IssueState.PENDING)
    rewrite(olivia, page, FILLER)
    lint(olivia, base)
    assert found(olivia, base) == set()
    rewrite(olivia, page, f"{FILLER} [[concept/gone|Gone]]")
    lint(olivia, base)
    assert WikiIssue.objects.get().state == IssueState.PENDING


def test_a_missing_link_and_both_forms_of_broken_ones_are_mended_as_change_requests(
    olivia: Persona, base: KnowledgeBase
) -> None:
    page = make_page(
        base,
        slug="concept/wing",
        title="Wing",
        content=f"# The rudder pedal\n\nThe rudder pedal moves. `rudder pedal` {FILLER}"
        " [[concept/gone]] [[concept/gone|left]]",
    )
    make_page(base, slug="concept/pedal", title="Rudder Pedal", content=FILLER)
    lint(olivia, base)
    issues = {row.kind: row for row in WikiIssue.objects.filter(page=page)}
    link = propose_fix(olivia.actor, issues[IssueKind.MISSING_CROSS_REF].pk).change
    plain = propose_fix(olivia.actor, issues[IssueKind.BROKEN_LINK].pk).change
    twice = propose_fix(olivia.actor, issues[IssueKind.BROKEN_LINK].pk).change
    page.refresh_from_db()
    assert page.version == 1
    assert link is not None
    assert plain is not None
    assert twice == plain
    assert "# The rudder pedal\n\nThe [[concept/pedal|rudder pedal]] moves. `rudder pedal`" in (
        link.content
    )
    assert plain.content.endswith(f"{FILLER} gone left")


def test_a_source_that_changed_or_went_is_told_with_its_document(
    olivia: Persona, base: KnowledgeBase
) -> None:
    document = make_document(base, name="manual.txt", texts=["Span 9 m.", "Mass 300 kg."])
    content = f"The span is nine metres. The mass is 300 kg. {FILLER}"
    page = make_page(base, slug="concept/wing", title="Wing", content=content)
    chunks = list(Chunk.objects.filter(document=document).order_by("position"))
    store_sources(
        page,
        {
            sentence_hash("The span is nine metres."): [chunks[0].pk],
            sentence_hash("The mass is 300 kg."): [chunks[1].pk],
        },
    )
    Chunk.objects.filter(pk=chunks[0].pk).update(content_hash="0" * 64)
    lint(olivia, base)
    issue = WikiIssue.objects.get(kind=IssueKind.STALE_REF)
    assert (issue.detail["state"], issue.detail["document"]) == ("changed", "manual.txt")
    document.delete()
    lint(olivia, base)
    issue = WikiIssue.objects.get(kind=IssueKind.STALE_REF, state=IssueState.PENDING)
    assert (issue.detail["state"], issue.detail["sentences"]) == ("deleted", 2)
    change = propose_fix(olivia.actor, issue.pk).change
    assert change is not None
    assert change.content == FILLER


def test_pages_that_give_different_figures_are_told(olivia: Persona, base: KnowledgeBase) -> None:
    make_page(
        base, slug="concept/a", title="A", content=f"The main strip is 1,200 m long. {FILLER}"
    )
    make_page(base, slug="concept/b", title="B", content="The main strip is 1.250 m long. Really.")
    make_page(base, slug="concept/c", title="C", content="The main strip is 1200 m long, said he.")
    lint(olivia, base)
    issue = WikiIssue.objects.get(kind=IssueKind.CONTRADICTORY_FACTS)
    assert (issue.page.slug, issue.detail["says"]) == (
        "concept/b",
        "The main strip is 1.250 m long.",
    )
