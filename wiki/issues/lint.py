"""Checks a whole wiki, two hundred pages at a time, and keeps its issues in step with what it finds.

What was found before stays the same issue; what is not found any more is resolved; what somebody
chose to ignore stays ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from core.errors import Conflict
from core.jobs.enqueue import cancel_job, enqueue
from core.jobs.handlers import JobContext
from knowledge.models import KnowledgeBase
from wiki.constants import OPEN_LINT_STATES, AuthorKind, IssueKind, IssueState, LintState
from wiki.issues.checks import begin_survey, check_batch, check_whole, live_pages
from wiki.issues.findings import LINT_KINDS, Finding
from wiki.issues.health import Health, health_of
from wiki.issues.jobs import LINT_WIKI
from wiki.models import WikiIssue, WikiLint, WikiPage

BATCH = 200


def start_lint(actor: Actor, base: KnowledgeBase) -> WikiLint:
    """Have a job check all pages of a base; one that runs already goes on.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
    """
    require(actor, "edit", base)
    with transaction.atomic():
        KnowledgeBase.objects.select_for_update(of=("self",), no_key=True).get(pk=base.pk)
        row = WikiLint.objects.filter(base=base).first()
        if row is not None and row.state in OPEN_LINT_STATES:
            return row
        row = row or WikiLint(space_id=base.space_id, base=base)
        row.state, row.error = LintState.WAITING, ""
        row.done = row.found = row.new = row.resolved = 0
        row.total = live_pages(base).count()
        row.started_by_id, row.started_at, row.ended_at = actor.user_id, timezone.now(), None
        row.job_id = enqueue(LINT_WIKI, base_id=str(base.pk))
        row.save()
    return row


def stop_lint(actor: Actor, base: KnowledgeBase) -> WikiLint:
    """Stop a check; what it found so far stays.

    Raises:
        NotFound, AccessDenied: as `require` has it for editing what the base holds.
        Conflict: none is running.
    """
    require(actor, "edit", base)
    with transaction.atomic():
        row = WikiLint.objects.select_for_update().filter(base=base).first()
        if row is None or row.state not in OPEN_LINT_STATES:
            raise Conflict(_("No check is running."))
        row.state, row.ended_at = LintState.STOPPED, timezone.now()
        row.save(update_fields=["state", "ended_at"])
        if row.job_id is not None:
            cancel_job(row.job_id)
    return row


def lint_of(actor: Actor, base: KnowledgeBase) -> WikiLint | None:
    """Return the last check of a base's wiki."""
    return visible(actor, "view", WikiLint.objects.filter(base=base)).first()


def health_now(lint: WikiLint | None) -> Health | None:
    """Return how well the wiki was at its last whole check; None before the first."""
    return health_of(**lint.figures) if lint is not None and lint.figures else None


def lint_wiki(context: JobContext, *, base_id: UUID) -> None:
    """Check all pages of a base.

    Raises:
        JobCancelled: it was stopped, or another worker has the job.
    """
    base = KnowledgeBase.objects.filter(pk=base_id, deleted_at__isnull=True).first()
    if base is None:
        return
    rows = WikiLint.objects.filter(base=base)
    if not rows.filter(state__in=OPEN_LINT_STATES).update(state=LintState.RUNNING):
        return
    began = timezone.now()
    survey, counts, seen = begin_survey(base), Counter[str](), set[str]()
    new = done = 0
    for batch in _batches(base):
        context.check()
        findings = list(check_batch(batch, survey))
        new += _keep(context, base, findings, seen, counts)
        done += len(batch)
        rows.update(done=done, found=sum(counts.values()), new=new)
    new += _keep(context, base, check_whole(survey), seen, counts)
    with transaction.atomic():
        context.check_lease()
        resolved = _resolve_others(base, seen, before=began)
        rows.update(
            state=LintState.DONE,
            ended_at=timezone.now(),
            done=done,
            found=sum(counts.values()),
            new=new,
            resolved=resolved,
            figures={
                "pages": done,
                "orphans": counts[IssueKind.ORPHAN_PAGE],
                "broken": counts[IssueKind.BROKEN_LINK],
                "empty": counts[IssueKind.EMPTY_CONTENT],
                "links": survey.links,
            },
        )


def lint_failed(base_id: UUID, reason: str) -> None:
    """Write down why a check did not come to its end."""
    rows = WikiLint.objects.filter(base_id=base_id, state__in=OPEN_LINT_STATES)
    rows.update(state=LintState.FAILED, error=reason, ended_at=timezone.now())


def _batches(base: KnowledgeBase) -> Iterator[list[WikiPage]]:
    last: UUID | None = None
    while True:
        rows = live_pages(base)
        if last is not None:
            rows = rows.filter(pk__gt=last)
        batch = list(rows[:BATCH])
        if not batch:
            return
        last = batch[-1].pk
        yield batch


def _keep(
    context: JobContext,
    base: KnowledgeBase,
    findings: Iterable[Finding],
    seen: set[str],
    counts: Counter[str],
) -> int:
    """Make issues of findings, open those again that came back; returns how many are new."""
    found = {each.fingerprint: each for each in findings}
    counts.update(each.kind for each in found.values())
    seen.update(found)
    new = 0
    with transaction.atomic():
        context.check_lease()
        known: dict[str, WikiIssue] = {}
        rows = WikiIssue.objects.filter(base=base, fingerprint__in=found).order_by("created_at")
        for issue in rows.select_for_update(of=("self",)):
            if issue.fingerprint not in known or issue.state != IssueState.RESOLVED:
                known[issue.fingerprint] = issue
        pages = set(
            WikiPage.objects.filter(pk__in={each.page_id for each in found.values()})
            .values_list("pk", flat=True)
            .select_for_update(no_key=True)
        )
        for fingerprint, finding in found.items():
            if finding.page_id in pages:
                new += _keep_one(base, finding, known.get(fingerprint))
    return new


def _keep_one(base: KnowledgeBase, finding: Finding, issue: WikiIssue | None) -> bool:
    documents = [str(each) for each in finding.document_ids]
    if issue is None:
        WikiIssue.objects.create(
            space_id=base.space_id,
            base=base,
            page_id=finding.page_id,
            kind=finding.kind,
            detail=dict(finding.detail),
            suspected_document_ids=documents,
            reporter_kind=AuthorKind.PIPELINE,
            fingerprint=finding.fingerprint,
        )
        return True
    if issue.state == IssueState.IGNORED:
        return False
    came_back = issue.state == IssueState.RESOLVED
    changed = (issue.detail, issue.suspected_document_ids) != (dict(finding.detail), documents)
    if came_back or changed:
        issue.state, issue.resolved_by = IssueState.PENDING, None
        issue.detail, issue.suspected_document_ids = dict(finding.detail), documents
        issue.save()
    return came_back


def _resolve_others(base: KnowledgeBase, seen: set[str], *, before: datetime) -> int:
    """Resolve what lint found once and does not find any more."""
    rows = WikiIssue.objects.filter(
        base=base,
        reporter_kind=AuthorKind.PIPELINE,
        kind__in=LINT_KINDS,
        state=IssueState.PENDING,
        created_at__lt=before,
    )
    return rows.exclude(fingerprint__in=seen).update(
        state=IssueState.RESOLVED, resolved_by=None, updated_at=timezone.now()
    )
