"""Verdicts on change requests, and what follows from them.

A verdict is about one edition. An approval counts as `wiki.changes.rights` says; with enough of them,
and while nobody asks for changes, the request is approved. It is published on the version that it
was made on, or not at all: a page that moved on is merged first (`wiki.changes.rebasing`).
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import AccessDenied, Conflict, Invalid
from wiki.changes.checking import check_text
from wiki.changes.publishing import publish_request
from wiki.changes.requests import (
    edit_of,
    fingerprint_of,
    stored_sources,
    text_of_change,
)
from wiki.changes.rights import approval_counts, is_own, settings_of
from wiki.changes.risks import find_risks, stored_risks
from wiki.changes.states import can_move, lock_change, move
from wiki.constants import ChangeAction, ChangeState, Verdict
from wiki.models import WikiChange, WikiRefusal, WikiReview, WikiSettings
from wiki.values import PageText, Sources, VersionConflict

MAX_NOTE = 5_000
_REVIEWED = (ChangeState.IN_REVIEW, ChangeState.APPROVED, ChangeState.CHANGES_ASKED)


@transaction.atomic
def review_change(
    actor: Actor,
    change: WikiChange,
    *,
    verdict: Verdict,
    edition: int,
    note: str = "",
    publish: bool = False,
    never_again: bool = False,
) -> WikiChange:
    """Give a verdict on the edition that the actor saw; the last one of a person counts.

    `publish` has it published when the approval is the last that was missing; `never_again` lets
    a rejected proposal not be made again.

    Raises:
        NotFound, AccessDenied: the actor may not decide here, or not about their own.
        Conflict: it is decided already, or has another edition meanwhile.
        VersionConflict: to approve it, it must be merged with the page's newer version first.
        Invalid: the note is too long, or missing where changes are asked for.
    """
    require(actor, "change", change)
    if actor.user_id is None:
        raise AccessDenied(_("Only a person gives a verdict."), attempted="wiki.review")
    note = note.strip()
    if len(note) > MAX_NOTE:
        raise Invalid(_("The note may have %(n)d characters at most.") % {"n": MAX_NOTE})
    if verdict == Verdict.ASK and not note:
        raise Invalid(_("Say what is to be changed."))
    change = lock_change(change)
    if change.state not in _REVIEWED:
        raise _decided(change)
    _see_edition(change, edition)
    settings = settings_of(change.base)
    if verdict == Verdict.APPROVE:
        _see_may_approve(actor, change, settings)
        see_current(change)
    WikiReview.objects.update_or_create(
        change=change,
        edition=change.edition,
        reviewer_id=actor.user_id,
        defaults={"space_id": change.space_id, "verdict": verdict, "note": note},
    )
    _follow(actor, change, verdict, settings)
    if verdict == Verdict.REJECT and never_again:
        WikiRefusal.objects.get_or_create(
            base=change.base,
            fingerprint=change.fingerprint,
            defaults={
                "space_id": change.space_id,
                "change": change,
                "created_by_id": actor.user_id,
            },
        )
    _audit(actor, change, f"wiki.{verdict}", never_again=never_again)
    if publish and change.state == ChangeState.APPROVED:
        publish_request(change, by=actor)
        _audit(actor, change, "wiki.publish")
    return change


@transaction.atomic
def publish_change(actor: Actor, change: WikiChange) -> WikiChange:
    """Publish an approved change request.

    Raises:
        NotFound, AccessDenied: the actor may not publish here.
        Conflict: it is not approved, or another page has its address.
        VersionConflict: the page was changed meanwhile.
    """
    require(actor, "change", change)
    change = lock_change(change)
    if change.state != ChangeState.APPROVED:
        raise _decided(change)
    see_current(change)
    publish_request(change, by=actor)
    _audit(actor, change, "wiki.publish")
    return change


@transaction.atomic
def withdraw_change(actor: Actor, change: WikiChange, *, for_good: bool = False) -> WikiChange:
    """Take one's own change request back as a draft; `for_good` gives it up.

    Raises:
        AccessDenied: it is not the actor's.
        Conflict: it is decided already.
    """
    require(actor, "view", change)
    _see_own(actor, change, "wiki.withdraw")
    change = lock_change(change)
    move(change, ChangeState.SUPERSEDED if for_good else ChangeState.DRAFT, by=actor)
    _audit(actor, change, "wiki.withdraw", for_good=for_good)
    return change


@transaction.atomic
def resubmit_change(
    actor: Actor,
    change: WikiChange,
    *,
    edition: int,
    text: PageText,
    reason: str | None = None,
    sources: Sources | None = None,
) -> WikiChange:
    """Hand a change request in again, with another text or the same; verdicts so far lapse.

    By its author, and by who may decide: to mend a proposal is no verdict on it.

    Raises:
        AccessDenied: the actor is neither.
        Conflict: it is decided already, or has another edition meanwhile.
        Invalid: the text is no page.
    """
    require(actor, "view" if is_own(actor, change) else "change", change)
    change = lock_change(change)
    _see_edition(change, edition)
    if not can_move(change, ChangeState.IN_REVIEW) and change.state != ChangeState.IN_REVIEW:
        raise _decided(change)
    if change.state == ChangeState.REJECTED:
        raise _decided(change)
    if sources is not None:
        change.sources = {**change.sources, **stored_sources(sources)}
    if reason is not None:
        change.reason = reason.strip()[:500]
    rewrite(change, text, on_version=change.on_version)
    move(change, ChangeState.IN_REVIEW, by=actor)
    _audit(actor, change, "wiki.resubmit", edition=change.edition)
    return change


@transaction.atomic
def reopen_change(actor: Actor, change: WikiChange) -> WikiChange:
    """Put a rejected change request before reviewers again, and allow to propose it again.

    Raises:
        NotFound, AccessDenied: the actor may not decide here.
        Conflict: it is not rejected, or its page is gone.
    """
    require(actor, "change", change)
    change = lock_change(change)
    if change.state != ChangeState.REJECTED:
        raise _decided(change)
    if change.page is not None and change.page.trashed_at is not None:
        raise Conflict(_("The page was deleted: bring it back first."))
    WikiRefusal.objects.filter(base=change.base, fingerprint=change.fingerprint).delete()
    rewrite(change, text_of_change(change), on_version=change.on_version)
    move(change, ChangeState.IN_REVIEW, by=actor, decided_by_id=None, decided_at=None)
    _audit(actor, change, "wiki.reopen")
    return change


def rewrite(change: WikiChange, text: PageText, *, on_version: int) -> None:
    """Give a locked change request another text, as its next edition; not saved yet."""
    if change.action != ChangeAction.DELETE:
        text = check_text(text)
        if change.page is not None:
            renames = text.slug != change.page.slug
            change.action = ChangeAction.RENAME if renames else ChangeAction.EDIT
    change.slug, change.title, change.kind, change.status = (
        text.slug,
        text.title,
        text.kind,
        text.status,
    )
    change.summary, change.content = text.summary, text.content
    change.aliases = list(text.aliases)
    change.on_version = on_version
    change.edition += 1
    action = ChangeAction(change.action)
    change.fingerprint = fingerprint_of(change.page, action, text)
    change.risks = stored_risks(find_risks(change.page, edit_of(change), action))


def see_current(change: WikiChange) -> None:
    """Return when the page is at the version that the proposal was made on.

    Raises:
        VersionConflict: it moved on.
    """
    now = change.page.version if change.page else 0
    if change.page is not None and now != change.on_version:
        raise VersionConflict(
            _(
                "The page was changed since: it is at version %(now)s, the proposal was made on "
                "%(was)s. Merge the two first."
            )
            % {"now": now, "was": change.on_version},
            current_version=now,
        )


def approvals_of(change: WikiChange, settings: WikiSettings) -> tuple[int, int]:
    """Return how many approvals the edition has and how many it needs."""
    asked = {row.user_id for row in change.reviewers.all()}
    rows = WikiReview.objects.filter(
        change=change, edition=change.edition, verdict=Verdict.APPROVE, reviewer__isnull=False
    )
    given = {row.reviewer_id for row in rows}
    if asked:
        others = asked - {change.author_id} or asked
        return len(given & asked), min(settings.required_approvals, len(others))
    return len(given), settings.required_approvals


def _follow(actor: Actor, change: WikiChange, verdict: Verdict, settings: WikiSettings) -> None:
    """Let the state be what the verdicts on this edition make of it."""
    if verdict == Verdict.REJECT:
        move(change, ChangeState.REJECTED, by=actor)
        return
    asks = WikiReview.objects.filter(change=change, edition=change.edition, verdict=Verdict.ASK)
    if asks.exists():
        move(change, ChangeState.CHANGES_ASKED, by=actor)
        return
    given, needed = approvals_of(change, settings)
    if given >= needed:
        move(change, ChangeState.APPROVED, by=actor)
    elif change.state != ChangeState.IN_REVIEW:
        move(change, ChangeState.IN_REVIEW, by=actor)


def _see_may_approve(actor: Actor, change: WikiChange, settings: WikiSettings) -> None:
    if approval_counts(actor, change, settings):
        return
    if is_own(actor, change):
        message = _(
            "This is your own proposal: somebody else must approve it. If nobody else can, change "
            "in the wiki's settings whose edits wait."
        )
    else:
        message = _("Others were asked to review this: ask to be made a reviewer first.")
    raise AccessDenied(message, attempted="wiki.approve", target=change)


def _see_own(actor: Actor, change: WikiChange, attempted: str) -> None:
    if not is_own(actor, change):
        raise AccessDenied(
            _("Only who made a proposal takes it back."), attempted=attempted, target=change
        )


def _see_edition(change: WikiChange, edition: int) -> None:
    if change.edition != edition:
        raise Conflict(
            _("The proposal has another text meanwhile. Look at it again."),
            edition=change.edition,
        )


def _decided(change: WikiChange) -> Conflict:
    return Conflict(
        _("Change request %(n)d is “%(state)s”: this cannot be done now.")
        % {"n": change.number, "state": ChangeState(change.state).label},
        state=change.state,
    )


def _audit(actor: Actor, change: WikiChange, action: str, **details: Any) -> None:
    record_audit(
        actor, action, target=change, base_id=change.base_id, number=change.number, **details
    )
