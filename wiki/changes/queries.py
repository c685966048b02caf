"""Reads of change requests, as far as the actor may see them.

Seen are they by who may decide about them, who made them and who is asked; a draft by its author
alone. What rests on a passage that the actor may not read, or is of a page of which they do not get
every sentence, they do not see at all: nobody can judge half a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import NotFound
from knowledge.models import Chunk
from wiki.constants import OPEN_CHANGE_STATES, AuthorKind, ChangeState, Verdict
from wiki.models import WikiChange, WikiNotice, WikiPage, WikiReview, WikiReviewer
from wiki.pages.sources import visible_texts

Tab = Literal["waiting", "mine", "open", "all"]
TABS: tuple[Tab, ...] = ("waiting", "mine", "open", "all")
MOST_COUNTED = 100
_BY_PEOPLE = (AuthorKind.USER, AuthorKind.REVERT, AuthorKind.IMPORT)
_WAITING = (ChangeState.IN_REVIEW, ChangeState.APPROVED)


def changes_of(actor: Actor, *, base_id: UUID | None = None) -> QuerySet[WikiChange]:
    """Return the change requests that the actor sees, newest first, walls aside."""
    rows = WikiChange.objects.select_related("base", "page", "author", "decided_by")
    if base_id is not None:
        rows = rows.filter(base_id=base_id)
    person = actor.user_id or 0
    decides = visible(actor, "change", WikiChange.objects.order_by()).values("pk")
    asked = WikiReviewer.objects.filter(change=OuterRef("pk"), user_id=person)
    return visible(actor, "view", rows).filter(
        Q(author_id=person) | (~Q(state=ChangeState.DRAFT) & (Q(pk__in=decides) | Exists(asked)))
    )


def list_changes(actor: Actor, tab: Tab, *, base_id: UUID | None = None) -> QuerySet[WikiChange]:
    """Return the change requests of a tab, newest first, walls aside."""
    if tab == "waiting":
        return waiting_changes(actor, base_id=base_id)
    rows = changes_of(actor, base_id=base_id)
    if tab == "mine":
        return rows.filter(author_id=actor.user_id or 0)
    return rows.filter(state__in=OPEN_CHANGE_STATES) if tab == "open" else rows


def waiting_changes(actor: Actor, *, base_id: UUID | None = None) -> QuerySet[WikiChange]:
    """Return what waits for the actor: to be reviewed, to be published, to be mended by them."""
    person = actor.user_id or 0
    rows = changes_of(actor, base_id=base_id)
    asked = WikiReviewer.objects.filter(change=OuterRef("pk"))
    approved = WikiReview.objects.filter(
        change=OuterRef("pk"),
        edition=OuterRef("edition"),
        reviewer_id=person,
        verdict=Verdict.APPROVE,
    )
    decides = visible(actor, "change", WikiChange.objects.order_by()).values("pk")
    to_review = (
        Q(state=ChangeState.IN_REVIEW)
        & ~Q(Exists(approved))
        & (Exists(asked.filter(user_id=person)) | ~Exists(asked))
        & ~Q(author_id=person, author_kind__in=_BY_PEOPLE)
    )
    to_publish = Q(state=ChangeState.APPROVED)
    to_mend = Q(state=ChangeState.CHANGES_ASKED, author_id=person)
    return rows.filter((Q(pk__in=decides) & (to_review | to_publish)) | to_mend)


def count_waiting(actor: Actor) -> int:
    """Return how many change requests wait for the actor, at most `MOST_COUNTED`."""
    if actor.user_id is None:
        return 0
    return len(readable(actor, waiting_changes(actor)[:MOST_COUNTED]))


def count_unread(actor: Actor) -> int:
    """Return how many notices the actor has not read."""
    return notices_of(actor).filter(read_at__isnull=True).count()


def notices_of(actor: Actor) -> QuerySet[WikiNotice]:
    """Return what the actor was told, newest first."""
    rows = WikiNotice.objects.select_related("base", "page", "change", "by")
    return visible(actor, "view", rows).filter(base__deleted_at__isnull=True)


def get_change(actor: Actor, base_id: UUID, number: int) -> WikiChange:
    """Return one change request.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    found = changes_of(actor, base_id=base_id).filter(number=number).first()
    if found is None or not readable(actor, [found]):
        raise NotFound(_("There is no such change request."))
    return found


def open_changes_of(actor: Actor, page: WikiPage) -> list[WikiChange]:
    """Return the change requests of a page that wait and that the actor sees, oldest first."""
    states = [state for state in OPEN_CHANGE_STATES if state != ChangeState.DRAFT]
    rows = changes_of(actor, base_id=page.base_id).filter(page=page, state__in=states)
    return readable(actor, rows.order_by("number"))


def readable(actor: Actor, changes: Iterable[WikiChange]) -> list[WikiChange]:
    """Leave out those of which the actor may not read everything; a fixed number of queries."""
    rows = list(changes)
    closed = _closed_chunks(actor, rows)
    pages = list({change.page_id: change.page for change in rows if change.page}.values())
    texts = visible_texts(actor, pages) if pages else {}
    return [
        change
        for change in rows
        if not closed.intersection(_chunks_of(change))
        and not (change.page_id in texts and texts[change.page_id].hidden)
    ]


def _closed_chunks(actor: Actor, changes: Sequence[WikiChange]) -> set[str]:
    cited = {chunk for change in changes for chunk in _chunks_of(change)}
    if not cited:
        return set()
    rows = Chunk.objects.filter(pk__in=cited)
    there = set(rows.values_list("pk", flat=True))
    seen = set(visible(actor, "view", rows).values_list("pk", flat=True))
    return {str(chunk) for chunk in there - seen}


def _chunks_of(change: WikiChange) -> set[str]:
    return {str(chunk) for chunks in change.sources.values() for chunk in chunks}
