"""The issues of a wiki, their check and the report of one, wide and narrow, light and dark."""

from __future__ import annotations

from typing import Literal

import pytest
from django.urls import reverse
from playwright.sync_api import Page

from core.tenancy import space_scope
from knowledge.models import KnowledgeBase
from tests.browser.conftest import OpenPage, problems_of_pages
from tests.factories.agents import make_agent
from tests.factories.knowledge import make_base
from tests.factories.wiki import make_page, make_wiki
from tests.personas import Persona
from wiki.constants import AuthorKind, IssueKind, IssueState, LintState
from wiki.issues.flagging import flag_issue
from wiki.models import WikiIssue, WikiLint

pytestmark = pytest.mark.browser


@pytest.fixture
def base(olivia: Persona) -> KnowledgeBase:
    made = make_base(olivia.space, name="Hangar handbook", created_by=olivia.user)
    make_wiki(made)
    make_agent(olivia.space, name="Wiki repair", builtin_key="wiki-fixer")
    with space_scope(olivia.space.pk):
        wheel = make_page(made, slug="concept/trim-wheel", title="Trim wheel", content="Turns.")
        strip = make_page(made, slug="concept/strip", title="Grass strip", content="Long.")
        flag_issue(
            olivia.actor,
            wheel,
            kind="out_of_date",
            description="The page says 900 m; the survey of May says that it is 1,050 m long.",
        )
        found = {
            IssueKind.BROKEN_LINK: {"slug": "concept/a-page-with-a-rather-long-address-of-its-own"},
            IssueKind.DUPLICATE: {"page_id": str(strip.pk), "why": "text"},
            IssueKind.STALE_REF: {"state": "changed", "sentences": 3, "document": "survey.pdf"},
            IssueKind.ORPHAN_PAGE: {},
            IssueKind.CONTRADICTORY_FACTS: {
                "page_id": str(strip.pk),
                "says": "The strip is 900 m long.",
                "other_says": "The strip is 1,050 m long.",
            },
        }
        for number, (kind, detail) in enumerate(found.items()):
            WikiIssue.objects.create(
                space_id=made.space_id,
                base=made,
                page=wheel,
                kind=kind,
                detail=detail,
                reporter_kind=AuthorKind.PIPELINE,
                fingerprint=str(number) * 64,
            )
    return made


@pytest.fixture
def pages(olivia: Persona, base: KnowledgeBase) -> dict[str, str]:
    """The pages' HTML."""

    def html(address: str) -> str:
        return olivia.client.get(address).content.decode()

    issues = reverse("wiki_issues", args=[base.pk])
    with space_scope(olivia.space.pk):
        lint = WikiLint.objects.create(
            space_id=base.space_id, base=base, state=LintState.RUNNING, done=400, total=1200
        )
        found = {"wiki-issues-checking": html(issues)}
        lint.state, lint.found, lint.new, lint.resolved = LintState.DONE, 5, 2, 1
        lint.ended_at = lint.started_at
        lint.figures = {"pages": 12, "orphans": 4, "broken": 3, "empty": 1, "links": 40}
        lint.save()
        issue = WikiIssue.objects.filter(kind=IssueKind.ORPHAN_PAGE).get()
    act = reverse("wiki_issue_act", args=[base.pk, issue.pk])
    olivia.client.post(act, {"action": IssueState.IGNORED})
    found["wiki-issues"] = html(issues)
    found["wiki-issues-none"] = html(f"{issues}?kind=mixed_entities")
    found["wiki-flag"] = html(reverse("wiki_flag", args=[base.pk, issue.page_id]))
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_pages_are_sound(
    pages: dict[str, str],
    open_page: OpenPage,
    page: Page,
    width: int,
    theme: Literal["light", "dark"],
) -> None:
    assert problems_of_pages(pages, open_page, page, width=width, theme=theme) == []
