"""Use cases of a page's history: read revisions, compare two, roll back, who wrote which sentence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import Conflict, NotFound
from wiki.changes.submitting import Outcome, submit
from wiki.constants import AuthorKind
from wiki.models import WikiPage, WikiRevision
from wiki.pages.authors import person
from wiki.pages.blame import BlamedSentence, blame_page
from wiki.pages.sources import sentences_of, visible_text
from wiki.pages.writing import text_of
from wiki.queries import get_page, revision_of
from wiki.text.comparing import CONTEXT_LINES, Comparison, compare_texts
from wiki.values import Author, Edit, PageText


@dataclass(frozen=True, kw_only=True)
class PageComparison:
    """Two revisions of a page and what lies between them."""

    page: WikiPage
    old: WikiRevision
    new: WikiRevision
    comparison: Comparison


@dataclass(frozen=True, kw_only=True)
class ReadRevision:
    """A revision as one reader gets it."""

    page: WikiPage
    revision: WikiRevision
    text: PageText
    """Without the sentences whose sources the reader may not read."""
    hidden: int
    """How many those are."""


def list_revisions(actor: Actor, page_id: UUID) -> QuerySet[WikiRevision]:
    """Return the revisions of a page without their text, newest first.

    Raises:
        NotFound: there is no such page for the actor.
    """
    page = get_page(actor, page_id)
    rows = WikiRevision.objects.filter(page=page).defer("content")
    return visible(actor, "view", rows).select_related("author", "change").order_by("-number")


def get_revision(actor: Actor, page_id: UUID, number: int) -> WikiRevision:
    """Return one revision, whole; what readers get of its text is in `read_revision`.

    `thinned_at` says that its text is gone.

    Raises:
        NotFound: there is none, or the page is not for the actor.
    """
    revision = revision_of(get_page(actor, page_id), number)
    if revision is None:
        raise NotFound(_("There is no revision %(n)s of this page.") % {"n": number})
    return revision


def read_revision(actor: Actor, page_id: UUID, number: int) -> ReadRevision:
    """Return one revision as the actor may read it.

    Raises:
        NotFound: there is none, or the page is not for the actor.
        Conflict: its text was thinned out.
    """
    page = get_page(actor, page_id)
    revision = _with_text(get_revision(actor, page_id, number))
    text, hidden = _as_read(actor, page, revision)
    return ReadRevision(page=page, revision=revision, text=text, hidden=hidden)


def compare(
    actor: Actor,
    page_id: UUID,
    *,
    old: int,
    new: int,
    context: int | None = CONTEXT_LINES,
    ignore_blanks: bool = False,
) -> PageComparison:
    """Return what changed from one revision of a page to another, in either direction of time.

    Sentences whose sources are closed to the actor are on neither side.

    `context` is how many equal lines stand around a change; None: all.

    Raises:
        NotFound: there is no such page or revision. Conflict: a text was thinned out.
    """
    page = get_page(actor, page_id)
    before = _with_text(get_revision(actor, page_id, old))
    after = _with_text(get_revision(actor, page_id, new))
    return PageComparison(
        page=page,
        old=before,
        new=after,
        comparison=compare_texts(
            _as_read(actor, page, before)[0],
            _as_read(actor, page, after)[0],
            context=context,
            ignore_blanks=ignore_blanks,
        ),
    )


def roll_back(
    actor: Actor,
    page_id: UUID,
    *,
    number: int,
    on_version: int,
    reason: str = "",
    review: bool | None = None,
) -> Outcome:
    """Let a page say again what it said in an earlier revision, byte for byte, as a new revision.

    Its address stays; nothing is deleted.

    Raises:
        NotFound, AccessDenied: as `require` has it; there is no such revision.
        Conflict: it is the current one, or its text was thinned out.
        VersionConflict: the page was changed meanwhile.
    """
    page = get_page(actor, page_id)
    if number == page.version:
        raise Conflict(_("This is what the page says already."))
    revision = _with_text(get_revision(actor, page_id, number))
    edit = Edit(
        text=replace(text_of(revision), slug=page.slug),
        author=Author(kind=AuthorKind.REVERT, user_id=person(actor).user_id),
        reason=reason,
        restored_from=number,
    )
    return submit(actor, page.base, page, edit, on_version=on_version, review=review)


def blame(actor: Actor, page_id: UUID) -> tuple[BlamedSentence, ...]:
    """Return the sentences of a page in their order, each with the revision that introduced it.

    Raises:
        NotFound: there is no such page for the actor.
    """
    page = get_page(actor, page_id)
    open_ones = {each.sentence.hash for each in sentences_of(actor, page)}
    return tuple(each for each in blame_page(page) if each.hash in open_ones)


def _as_read(actor: Actor, page: WikiPage, revision: WikiRevision) -> tuple[PageText, int]:
    """Return what the actor may read of a revision, and how many sentences they may not."""
    content = visible_text(actor, page, revision.content)
    summary = visible_text(actor, page, revision.summary)
    text = replace(text_of(revision), content=content.content, summary=summary.content)
    return text, content.hidden + summary.hidden


def _with_text(revision: WikiRevision) -> WikiRevision:
    if revision.thinned_at is not None:
        raise Conflict(
            _("The text of revision %(n)s was thinned out, as the wiki's settings have it.")
            % {"n": revision.number}
        )
    return revision
