"""What the page of issues shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor
from knowledge.stored_reasons import told
from wiki.constants import OPEN_CHANGE_STATES, OPEN_LINT_STATES, AuthorKind, IssueState, LintState
from wiki.issues.fixes import can_fix
from wiki.issues.health import Health
from wiki.issues.lint import health_now
from wiki.issues.mending import mender_for
from wiki.issues.words import describe_issues
from wiki.models import WikiIssue, WikiLint
from wiki.rendering import page_url

_ICONS = {
    "broken_link": "circle-x",
    "orphan_page": "unplug",
    "stale_ref": "history",
    "missing_cross_ref": "link-2",
    "empty_content": "file-text",
    "duplicate": "copy",
    "contradictory_facts": "git-compare",
}


@dataclass(frozen=True, kw_only=True)
class IssueRow:
    """An issue in the list."""

    id: str
    icon: str
    kind: str
    state: str
    state_word: str
    title: str
    url: str
    words: str
    other_title: str
    other_url: str
    documents: list[tuple[str, str]]
    """Name and address of documents that may be why."""
    reporter: str
    at: Any
    may_fix: bool
    may_settle: bool
    fix_number: int | None
    """Of the open change request that would mend it."""
    fix_url: str
    mend_url: str


def issue_rows(actor: Actor, issues: Sequence[WikiIssue], *, may_edit: bool) -> list[IssueRow]:
    """Return issues as the list shows them."""
    mend = mender_for(actor)
    return [
        IssueRow(
            id=str(each.issue.pk),
            icon=_ICONS.get(each.issue.kind, "triangle-alert"),
            kind=each.issue.get_kind_display(),
            state=each.issue.state,
            state_word=each.issue.get_state_display(),
            title=each.issue.page.title,
            url=page_url(each.issue.base_id, each.issue.page.slug),
            words=each.words,
            other_title=each.other.title if each.other else "",
            other_url=page_url(each.issue.base_id, each.other.slug) if each.other else "",
            documents=[
                (name, reverse("document", args=[key]))
                for key, name in zip(each.document_ids, each.document_names, strict=True)
            ],
            reporter=_reporter(each.issue),
            at=each.issue.created_at,
            may_fix=can_fix(each.issue) and _open_fix(each.issue) is None,
            may_settle=may_edit,
            fix_number=each.issue.fix.number if _open_fix(each.issue) else None,  # type: ignore[union-attr]  # an open fix is one
            fix_url=_change_url(each.issue),
            mend_url=mend(each.issue.pk)
            if mend is not None and each.issue.state == IssueState.PENDING
            else "",
        )
        for each in describe_issues(actor, issues)
    ]


def lint_context(lint: WikiLint | None) -> dict[str, Any]:
    """Return what `_issues_check.html` takes."""
    health = health_now(lint)
    return {
        "lint": lint,
        "is_checking": lint is not None and lint.state in OPEN_LINT_STATES,
        "has_failed": lint is not None and lint.state == LintState.FAILED,
        "was_stopped": lint is not None and lint.state == LintState.STOPPED,
        "lint_error": told(lint.error) if lint is not None and lint.error else "",
        "percent": round(100 * lint.done / lint.total) if lint is not None and lint.total else 0,
        "health": health,
        "health_tone": _tone(health),
        "reasons": _reasons(health),
    }


def _tone(health: Health | None) -> str:
    if health is None:
        return ""
    return "good" if health.score >= 80 else "fair" if health.score >= 50 else "weak"


def _reasons(health: Health | None) -> list[str]:
    """Return why points are missing, each with how many."""
    found = []
    for reason, number, points in health.lost if health is not None else ():
        match reason:
            case "orphans":
                words = ngettext(
                    "%(n)d page that no page links to",
                    "%(n)d pages that no page links to",
                    number,
                )
            case "broken":
                words = ngettext("%(n)d broken link", "%(n)d broken links", number)
            case "empty":
                words = ngettext(
                    "%(n)d page with hardly any text", "%(n)d pages with hardly any text", number
                )
            case _:
                words = _("no page links to another")
        found.append(f"−{points}: {words % {'n': number}}")
    return found


def _open_fix(issue: WikiIssue) -> UUID | None:
    fix = issue.fix
    return fix.pk if fix is not None and fix.state in OPEN_CHANGE_STATES else None


def _change_url(issue: WikiIssue) -> str:
    fix = issue.fix
    return "" if fix is None else reverse("wiki_change", args=[issue.base_id, fix.number])


def _reporter(issue: WikiIssue) -> str:
    if issue.reporter_kind == AuthorKind.PIPELINE:
        return _("Found by checking")
    name = str(issue.reported_by) if issue.reported_by else _("Somebody")
    if issue.reporter_kind == AuthorKind.AGENT:
        return _("Reported by an agent for %(name)s") % {"name": name}
    return _("Reported by %(name)s") % {"name": name}
