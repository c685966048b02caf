"""What the pages of change requests show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.access import Actor, may, visible
from accounts.models import User
from core.textdiff import InlineRow, Row
from knowledge.models import Chunk
from wiki.changes.deciding import approvals_of
from wiki.changes.rebasing import needs_rebase
from wiki.changes.requests import text_of_change
from wiki.changes.rights import approval_counts, is_own, settings_of
from wiki.changes.risks import Risk, read_risks
from wiki.changes.rules import RULES
from wiki.changes.states import can_move
from wiki.changes.talking import possible_reviewers
from wiki.constants import (
    OPEN_CHANGE_STATES,
    AuthorKind,
    ChangeAction,
    ChangeState,
)
from wiki.models import WikiChange, WikiComment, WikiPage, WikiRevision
from wiki.pages.writing import text_of
from wiki.rendering import page_url
from wiki.shown.comparing import others_of, parts_of
from wiki.text.comparing import CONTEXT_LINES, compare_texts
from wiki.text.sentences import plain_sentence, split_sentences
from wiki.values import PageText

TONES: Mapping[str, str] = {
    ChangeState.DRAFT: "",
    ChangeState.IN_REVIEW: "info",
    ChangeState.APPROVED: "ok",
    ChangeState.CHANGES_ASKED: "warn",
    ChangeState.REJECTED: "bad",
    ChangeState.PUBLISHED: "ok",
    ChangeState.SUPERSEDED: "",
}
_EXCERPT = 400


@dataclass(frozen=True, kw_only=True)
class ChangeLine:
    """A change request in a list."""

    id: str
    number: int
    title: str
    url: str
    base_name: str
    state: str
    tone: str
    action: str
    """Blank for an ordinary edit."""
    author: str
    made_by: str
    """What kind of author it was, when it was no person."""
    reason: str
    risks: tuple[Risk, ...]
    is_behind: bool
    at: datetime
    may_decide: bool


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    """A row of the diff with what was said about its new line."""

    row: Row | InlineRow
    comments: tuple[WikiComment, ...]


@dataclass(frozen=True, kw_only=True)
class ShownPart:
    """A stretch of the diff, or a fold."""

    number: int
    skipped: int
    heading: str
    rows: tuple[ShownRow, ...]
    inline: tuple[ShownRow, ...]


@dataclass(frozen=True, kw_only=True)
class SourceLine:
    """A passage behind new sentences."""

    document: str
    url: str
    text: str


@dataclass(frozen=True, kw_only=True)
class SourcedLine:
    """A new sentence and what it rests on; nothing is known of a source that is gone."""

    sentence: str
    sources: tuple[SourceLine, ...]


def change_lines(actor: Actor, changes: Sequence[WikiChange]) -> list[ChangeLine]:
    """Return change requests as lists show them."""
    ids = [change.pk for change in changes]
    decides = set(
        visible(actor, "change", WikiChange.objects.filter(pk__in=ids)).values_list("pk", flat=True)
    )
    return [_line(change, may_decide=change.pk in decides) for change in changes]


def change_context(actor: Actor, change: WikiChange) -> dict[str, Any]:
    """Return what `wiki/change.html` takes but the head."""
    settings = settings_of(change.base)
    old, new = old_text(change), new_text(change)
    found = compare_texts(old, new, context=CONTEXT_LINES)
    comments = list(change.comments.select_related("author"))
    given, needed = approvals_of(change, settings)
    is_open = change.state in OPEN_CHANGE_STATES
    decides = may(actor, "change", change)
    is_behind = needs_rebase(change)
    parts = list(_parts(found.rows, [each for each in comments if each.line is not None]))
    reviewers = [row.user for row in change.reviewers.select_related("user")]
    rule = RULES.get(change.approved_by_rule)
    return {
        "change": change,
        "line": _line(change, may_decide=decides),
        "page_url": page_url(change.base_id, change.page.slug) if change.page else "",
        "comparison": found,
        "others": list(others_of(found)),
        "parts": parts,
        "hunk_total": sum(1 for part in parts if part.number),
        "risks": read_risks(change.risks),
        "sourced": sourced_lines(actor, change, old),
        "comments": comments,
        "reviews": list(change.reviews.select_related("reviewer")),
        "reviewers": reviewers,
        "given": given,
        "needed": needed,
        "is_open": is_open,
        "is_behind": is_behind,
        "is_taken": _is_taken(change),
        "is_own": is_own(actor, change),
        "may_decide": decides and change.state in _DECIDABLE,
        "may_approve": not is_behind and approval_counts(actor, change, settings),
        "may_publish": decides and change.state == ChangeState.APPROVED and not is_behind,
        "may_mend": is_open and (decides or is_own(actor, change)),
        "may_withdraw": is_own(actor, change) and can_move(change, ChangeState.DRAFT),
        "may_give_up": is_own(actor, change) and change.state == ChangeState.DRAFT,
        "may_reopen": decides and change.state == ChangeState.REJECTED,
        "may_comment": actor.user_id is not None,
        "people": _people(change, reviewers) if is_open else [],
        "rule": rule.label if rule else "",
    }


_DECIDABLE = (ChangeState.IN_REVIEW, ChangeState.APPROVED, ChangeState.CHANGES_ASKED)


def old_text(change: WikiChange) -> PageText:
    """Return what the proposal was made on; nothing for a new page."""
    if change.page_id is None or change.on_version == 0:
        return PageText(slug=change.slug, title=change.title)
    row = WikiRevision.objects.filter(page_id=change.page_id, number=change.on_version).first()
    if row is None:
        return PageText(slug=change.slug, title=change.title)
    return text_of(row)


def new_text(change: WikiChange) -> PageText:
    """Return what would stand afterwards; nothing where the page would be deleted."""
    text = text_of_change(change)
    if change.action == ChangeAction.DELETE:
        return PageText(
            slug=text.slug, title=text.title, kind=text.kind, status=text.status, content=""
        )
    return text


def sourced_lines(actor: Actor, change: WikiChange, old: PageText) -> list[SourcedLine]:
    """Return the new sentences that name passages, with the passages that the actor may read."""
    had = {sentence.hash for sentence in split_sentences(old.content)}
    new = [
        sentence
        for sentence in split_sentences(change.content)
        if sentence.hash not in had and change.sources.get(sentence.hash)
    ]
    wanted = {UUID(str(each)) for one in new for each in change.sources[one.hash]}
    rows = visible(actor, "view", Chunk.objects.filter(pk__in=wanted)).select_related("document")
    chunks = {str(chunk.pk): chunk for chunk in rows}
    return [
        SourcedLine(
            sentence=plain_sentence(each.text),
            sources=tuple(
                _source(chunks[chunk]) for chunk in change.sources[each.hash] if chunk in chunks
            ),
        )
        for each in new
    ]


def _source(chunk: Chunk) -> SourceLine:
    url = reverse("document_chunks", args=[chunk.document_id])
    return SourceLine(
        document=chunk.document.name,
        url=f"{url}?chunk={chunk.pk}#chunk-{chunk.pk}",
        text=chunk.text[:_EXCERPT] + ("…" if len(chunk.text) > _EXCERPT else ""),
    )


def _line(change: WikiChange, *, may_decide: bool) -> ChangeLine:
    is_person = change.author_kind in (AuthorKind.USER, AuthorKind.REVERT, AuthorKind.IMPORT)
    kind = AuthorKind(change.author_kind)
    return ChangeLine(
        id=str(change.pk),
        number=change.number,
        title=change.title,
        url=reverse("wiki_change", args=[change.base_id, change.number]),
        base_name=change.base.name,
        state=str(ChangeState(change.state).label),
        tone=TONES[change.state],
        action="" if change.action == ChangeAction.EDIT else str(change.get_action_display()),
        author=str(change.author) if change.author else "",
        made_by="" if is_person and kind == AuthorKind.USER else str(kind.label),
        reason=change.reason,
        risks=tuple(read_risks(change.risks)),
        is_behind=needs_rebase(change),
        at=change.created_at,
        may_decide=may_decide and change.state in _DECIDABLE,
    )


def _parts(rows: Sequence[Row], comments: Sequence[WikiComment]) -> Iterator[ShownPart]:
    by_line: dict[int, list[WikiComment]] = {}
    for comment in comments:
        by_line.setdefault(comment.line or 0, []).append(comment)
    for part in parts_of(rows):
        yield ShownPart(
            number=part.number,
            skipped=part.skipped,
            heading=part.heading,
            rows=tuple(
                ShownRow(
                    row=row, comments=tuple(by_line.get(row.new.number, ()) if row.new else ())
                )
                for row in part.rows
            ),
            inline=tuple(
                ShownRow(row=row, comments=tuple(by_line.get(row.new_number or 0, ())))
                for row in part.inline
            ),
        )


def _people(change: WikiChange, reviewers: Sequence[User]) -> list[dict[str, Any]]:
    asked = {user.pk for user in reviewers}
    return [
        {"id": user.pk, "name": str(user), "is_asked": user.pk in asked}
        for user in possible_reviewers(change.base)
        if user.pk != change.author_id or user.pk in asked
    ]


def _is_taken(change: WikiChange) -> bool:
    """Whether a new page's address was given to another page meanwhile."""
    if change.action not in (ChangeAction.CREATE, ChangeAction.RENAME):
        return False
    if change.state not in OPEN_CHANGE_STATES:
        return False
    rows = WikiPage.objects.filter(base_id=change.base_id, slug=change.slug)
    if change.page_id is not None:
        rows = rows.exclude(pk=change.page_id)
    return rows.filter(trashed_at__isnull=True).exists()


def empty_words(tab: str) -> tuple[str, str]:
    """Return title and text for a list without rows."""
    return {
        "waiting": (
            _("Nothing waits for you"),
            _("What others propose and you may decide is listed here."),
        ),
        "mine": (
            _("You proposed nothing"),
            _("What you hand in for review, or an agent for you, is listed here."),
        ),
        "open": (_("No open change requests"), _("Edits that need a review are listed here.")),
    }.get(tab, (_("No change requests yet"), _("Edits that need a review are listed here.")))
