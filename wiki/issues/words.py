"""What issues say, in words for one reader: nothing of what they may not read of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor, visible
from knowledge.access.queries import closed_documents
from knowledge.models import Document
from wiki.constants import IssueKind
from wiki.models import WikiIssue, WikiPage
from wiki.pages.sources import VisibleText, visible_texts


@dataclass(frozen=True, kw_only=True)
class Described:
    """An issue with what is told of it."""

    issue: WikiIssue
    words: str
    other: WikiPage | None
    """The other page that it is about."""
    document_ids: list[UUID]
    """Documents that may be why, as far as the reader sees them."""
    document_names: list[str]


def describe_issues(actor: Actor, issues: Sequence[WikiIssue]) -> list[Described]:
    """Return the issues with words, without those of pages of which the actor reads nothing."""
    others = {UUID(str(each.detail["page_id"])) for each in issues if each.detail.get("page_id")}
    rows = WikiPage.objects.filter(pk__in=others, trashed_at__isnull=True)
    pages = {page.pk: page for page in visible(actor, "view", rows)}
    own = visible(actor, "view", WikiPage.objects.filter(pk__in=[i.page_id for i in issues]))
    everything = {page.pk: page for page in (*own, *pages.values())}
    texts = visible_texts(actor, list(everything.values()))
    documents = _documents(actor, issues)
    found = []
    for issue in issues:
        if _is_closed(texts, issue.page_id):
            continue
        other_id = issue.detail.get("page_id")
        other = pages.get(UUID(str(other_id))) if other_id else None
        if other is not None and _is_closed(texts, other.pk):
            other = None
        told = [documents[each] for each in _ids(issue) if each in documents]
        found.append(
            Described(
                issue=issue,
                words=_words(actor, issue, other, texts),
                other=other,
                document_ids=[each.pk for each in told],
                document_names=[each.name for each in told],
            )
        )
    return found


def _words(
    actor: Actor, issue: WikiIssue, other: WikiPage | None, texts: Mapping[UUID, VisibleText]
) -> str:
    detail = issue.detail
    is_whole = not texts[issue.page_id].hidden
    name = other.title if other is not None else _("another page")
    match issue.kind:
        case IssueKind.BROKEN_LINK:
            return _("A link leads to “%(slug)s”, where there is no page.") % {
                "slug": detail.get("slug", "")
            }
        case IssueKind.ORPHAN_PAGE:
            return _("No other page links here, so readers only meet it by search.")
        case IssueKind.EMPTY_CONTENT:
            size = int(detail.get("bytes", 0))
            return ngettext(
                "The page has hardly any text: %(n)d byte.",
                "The page has hardly any text: %(n)d bytes.",
                size,
            ) % {"n": size}
        case IssueKind.STALE_REF:
            return _stale(actor, issue)
        case IssueKind.MISSING_CROSS_REF:
            return _("It names “%(page)s” without a link.") % {"page": name}
        case IssueKind.DUPLICATE:
            if detail.get("why") == "text":
                return _("Its text is nearly that of “%(page)s”.") % {"page": name}
            return _("“%(page)s” has the same name.") % {"page": name}
        case IssueKind.CONTRADICTORY_FACTS if "says" in detail:
            if other is None or not is_whole or texts[other.pk].hidden:
                return _("It gives another figure than “%(page)s”.") % {"page": name}
            return _("It says “%(here)s” – “%(page)s” says “%(there)s”.") % {
                "here": detail["says"],
                "page": name,
                "there": detail.get("other_says", ""),
            }
        case _:
            return issue.description


def _stale(actor: Actor, issue: WikiIssue) -> str:
    count = int(issue.detail.get("sentences", 0))
    is_closed = bool(closed_documents(actor, _ids(issue)))
    name = "" if is_closed else str(issue.detail.get("document", ""))
    values = {"n": count, "document": name or _("a document")}
    if issue.detail.get("state") == "changed":
        return (
            ngettext(
                "%(n)d sentence rests on “%(document)s”, which was changed since.",
                "%(n)d sentences rest on “%(document)s”, which was changed since.",
                count,
            )
            % values
        )
    return (
        ngettext(
            "%(n)d sentence rests on “%(document)s”, which is gone.",
            "%(n)d sentences rest on “%(document)s”, which is gone.",
            count,
        )
        % values
    )


def _documents(actor: Actor, issues: Sequence[WikiIssue]) -> dict[UUID, Document]:
    ids = {each for issue in issues for each in _ids(issue)}
    return {row.pk: row for row in visible(actor, "view", Document.objects.filter(pk__in=ids))}


def _ids(issue: WikiIssue) -> list[UUID]:
    return [UUID(str(each)) for each in issue.suspected_document_ids]


def _is_closed(texts: Mapping[UUID, VisibleText], page_id: UUID) -> bool:
    """Whether the reader gets nothing of a page: a draft of others, or all of it is hidden."""
    if page_id not in texts:
        return True
    return bool(texts[page_id].hidden) and not texts[page_id].content.strip()
