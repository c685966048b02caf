"""Mends what can be mended without a model, always as a change request that a person decides about."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.actors import system_actor
from core.errors import Conflict, Invalid
from knowledge.evidence import read_evidence
from wiki.changes.requests import text_of_page
from wiki.changes.submitting import Outcome, submit
from wiki.constants import OPEN_CHANGE_STATES, AuthorKind, IssueKind, IssueState, PageStatus
from wiki.issues.flagging import get_issue
from wiki.issues.mentions import Names
from wiki.models import WikiIssue, WikiPage
from wiki.pages.sources import markers_of_sentences
from wiki.text.links import unlink
from wiki.text.patch import without_sentences
from wiki.text.sentences import split_sentences
from wiki.values import Author, Edit, PageText


def can_fix(issue: WikiIssue) -> bool:
    """Whether a fix can be proposed without a model."""
    if issue.state != IssueState.PENDING:
        return False
    if issue.kind == IssueKind.STALE_REF:
        return bool(issue.detail.get("state") == "deleted")
    return issue.kind in (
        IssueKind.BROKEN_LINK,
        IssueKind.EMPTY_CONTENT,
        IssueKind.MISSING_CROSS_REF,
    )


def propose_fix(actor: Actor, issue_id: UUID) -> Outcome:
    """Open a change request that mends an issue; one that is open already is returned.

    Raises:
        NotFound, AccessDenied: as `require` has it for proposing.
        Invalid: issues of this kind need somebody who reads.
        Conflict: the page does not show the issue any more.
    """
    issue = get_issue(actor, issue_id)
    page = issue.page
    require(actor, "use", page)
    if issue.fix is not None and issue.fix.state in OPEN_CHANGE_STATES:
        note = _("Change request %(n)d would mend it and waits already.")
        return Outcome(change=issue.fix, note=note % {"n": issue.fix.number})
    if not can_fix(issue):
        raise Invalid(_("This needs somebody who reads: edit the page, or let an agent mend it."))
    text = _mended(issue, page)
    if text == text_of_page(page):
        raise Conflict(_("The page does not show this any more. Check the wiki again."))
    edit = Edit(
        text=text,
        author=Author(kind=AuthorKind.PIPELINE, user_id=actor.user_id),
        reason=_reason(issue),
        issue_id=issue.pk,
    )
    with transaction.atomic():
        outcome = submit(actor, issue.base, page, edit, on_version=page.version, review=True)
        if outcome.change is not None:
            WikiIssue.objects.filter(pk=issue.pk).update(fix=outcome.change)
    return outcome


def _mended(issue: WikiIssue, page: WikiPage) -> PageText:
    text = text_of_page(page)
    match issue.kind:
        case IssueKind.BROKEN_LINK:
            slug = str(issue.detail.get("slug", ""))
            return replace(text, content=unlink(text.content, slug, _name_of(slug)))
        case IssueKind.EMPTY_CONTENT:
            return replace(text, status=PageStatus.ARCHIVED)
        case IssueKind.MISSING_CROSS_REF:
            return replace(text, content=_linked(issue, text.content))
        case _:
            return replace(text, content=_without_gone(page))


def _linked(issue: WikiIssue, content: str) -> str:
    """Return the text with a link at the first place that names the other page."""
    rows = WikiPage.objects.filter(base_id=issue.base_id, trashed_at__isnull=True)
    other = rows.filter(pk=issue.detail.get("page_id")).first()
    if other is None:
        return content
    names = Names((name, other.pk) for name in (other.title, *other.aliases))
    for mention in names.find(content):
        word = content[mention.start : mention.end]
        link = f"[[{other.slug}|{word}]]"
        return content[: mention.start] + link + content[mention.end :]
    return content


def _without_gone(page: WikiPage) -> str:
    """Return the text without the sentences of which every source is gone."""
    rests = markers_of_sentences(page)
    reader = system_actor(space_id=page.space_id)
    states = {each.marker: each.source_state for each in read_evidence(reader, origin_id=page.pk)}
    gone = [
        sentence
        for sentence in split_sentences(page.content)
        if (markers := rests.get(sentence.hash, ()))
        and all(states.get(marker) in ("deleted", "hidden") for marker in markers)
    ]
    return without_sentences(page.content, gone)


def _name_of(slug: str) -> str:
    """Return words for a link that has none: the last part of its address."""
    return slug.rpartition("/")[2].replace("-", " ")


def _reason(issue: WikiIssue) -> str:
    match issue.kind:
        case IssueKind.BROKEN_LINK:
            return _("The link to “%(slug)s” leads nowhere: it becomes plain words.") % {
                "slug": issue.detail.get("slug", "")
            }
        case IssueKind.EMPTY_CONTENT:
            return _("The page has hardly any text: it is archived.")
        case IssueKind.MISSING_CROSS_REF:
            return _("“%(name)s” has a page of its own: it becomes a link.") % {
                "name": issue.detail.get("name", "")
            }
        case _:
            return _("The documents behind these sentences are gone.")
