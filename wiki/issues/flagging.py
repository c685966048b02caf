"""Use cases of issues: say that something is wrong, list it, say that it is mended or let it be."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from core.errors import Invalid, NotFound
from knowledge.queries import get_documents
from wiki.constants import AuthorKind, IssueKind, IssueState
from wiki.issues.fingerprints import fingerprint_of
from wiki.models import WikiIssue, WikiPage

FLAGGED_KINDS = (
    IssueKind.MIXED_ENTITIES,
    IssueKind.CONTRADICTORY_FACTS,
    IssueKind.OUT_OF_DATE,
    IssueKind.OTHER,
)
"""What people and agents say of a page."""
LONGEST = 4_000
"""Characters of a description."""


def flag_issue(
    actor: Actor,
    page: WikiPage,
    *,
    kind: str,
    description: str,
    suspected_document_ids: Sequence[UUID] = (),
    reporter: AuthorKind = AuthorKind.USER,
    run_id: UUID | None = None,
) -> tuple[WikiIssue, bool]:
    """Write down what is wrong with a page; returns the issue, and whether it is new.

    Saying the same again adds nothing while the first is open. Documents that the actor may not see
    are left out.

    Raises:
        NotFound, AccessDenied: as `require` has it for proposing.
        Invalid: there is no such kind, or no description.
    """
    require(actor, "use", page)
    if kind not in FLAGGED_KINDS:
        names = ", ".join(FLAGGED_KINDS)
        raise Invalid(_("Choose one of these kinds: %(names)s.") % {"names": names})
    text = description.strip()
    if not text:
        raise Invalid(_("Say what is wrong, so that it can be mended."))
    if len(text) > LONGEST:
        raise Invalid(_("Describe it in at most %(n)s characters.") % {"n": f"{LONGEST:,}"})
    fingerprint = fingerprint_of(page.pk, kind, text)
    documents = get_documents(actor, list(suspected_document_ids))
    with transaction.atomic():
        issue, is_new = WikiIssue.objects.get_or_create(
            page=page,
            fingerprint=fingerprint,
            state=IssueState.PENDING,
            defaults={
                "space_id": page.space_id,
                "base_id": page.base_id,
                "kind": kind,
                "description": text,
                "suspected_document_ids": [str(each.pk) for each in documents],
                "reporter_kind": reporter,
                "reported_by_id": actor.user_id,
                "run_id": run_id,
            },
        )
        if is_new:
            record_audit(actor, "wiki.flag", target=page, base_id=page.base_id, kind=kind)
    return issue, is_new


def list_issues(
    actor: Actor,
    base_ids: Sequence[UUID],
    *,
    state: str = IssueState.PENDING,
    kind: str = "",
    page_id: UUID | None = None,
) -> QuerySet[WikiIssue]:
    """Return issues of pages that are not deleted, newest first; a blank state or kind means any."""
    rows = WikiIssue.objects.filter(base_id__in=base_ids, page__trashed_at__isnull=True)
    if state:
        rows = rows.filter(state=state)
    if kind:
        rows = rows.filter(kind=kind)
    if page_id is not None:
        rows = rows.filter(page_id=page_id)
    found = visible(actor, "view", rows)
    return found.select_related("page", "base", "reported_by", "resolved_by", "fix")


def get_issue(actor: Actor, issue_id: UUID) -> WikiIssue:
    """Return one issue with its page.

    Raises:
        NotFound: there is none, or the actor may not see it.
    """
    rows = WikiIssue.objects.filter(pk=issue_id, page__trashed_at__isnull=True)
    issue = visible(actor, "view", rows.select_related("page", "base", "fix")).first()
    if issue is None:
        raise NotFound(_("There is no such issue."))
    return issue


def set_issue_state(actor: Actor, issue_id: UUID, *, state: str) -> WikiIssue:
    """Say that an issue is mended, shall be let be, or is open again; any way back is allowed.

    Raises:
        NotFound, AccessDenied: as `require` has it for changing what the base holds.
        Invalid: there is no such state.
    """
    issue = get_issue(actor, issue_id)
    require(actor, "change", issue)
    if state not in IssueState.values:
        names = ", ".join(IssueState.values)
        raise Invalid(_("Choose one of these states: %(names)s.") % {"names": names})
    with transaction.atomic():
        issue = WikiIssue.objects.select_for_update(of=("self",)).get(pk=issue_id)
        if issue.state == state:
            return issue
        if state == IssueState.PENDING:
            twin = WikiIssue.objects.filter(
                page_id=issue.page_id, fingerprint=issue.fingerprint, state=state
            ).first()
            if twin is not None:  # it was found again meanwhile
                return twin
        was, issue.state = issue.state, state
        issue.resolved_by_id = None if state == IssueState.PENDING else actor.user_id
        issue.save(update_fields=["state", "resolved_by", "updated_at"])
        record_audit(
            actor, "wiki.issue", target=issue.page, base_id=issue.base_id, old=was, new=state
        )
    return issue
