"""The job that erases: one eraser after the other, with a report that a resumed job goes on with."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import Erasure, User
from accounts.platform.erasure import (
    Subject,
    add_counts,
    begin,
    erasers_of,
    is_unsettled,
    run_eraser,
)
from accounts.platform.erasure_check import SHORTEST, find_text
from accounts.services.platform_audit import record_platform_audit
from core.jobs.declare import Job
from core.jobs.handlers import JobContext, RetryJob, handles

ERASE = Job(name="accounts.erase", max_attempts=40, time_limit_seconds=6 * 3600.0)
"""Forty tries: each time that something may still write, it waits half a minute."""
SETTLING_SECONDS = 30.0


def subject_of(erasure: Erasure) -> Subject:
    """Return what the row is about."""
    asked = erasure.report.get("asked", {})
    return Subject(
        kind=erasure.kind,  # type: ignore[arg-type]  # a column of text; only KINDS are written
        id=erasure.subject_id,
        space_id=asked.get("space_id"),
        with_documents=bool(asked.get("with_documents")),
    )


def _failed(arguments: dict[str, Any], reason: str) -> None:
    row = Erasure.objects.get(pk=arguments["erasure_id"])
    row.state, row.ended_at = "failed", timezone.now()
    row.report = {**row.report, "problem": reason}
    row.save(update_fields=["state", "ended_at", "report"])


@handles(ERASE, on_failure=_failed)
def carry_out(context: JobContext, *, erasure_id: str) -> None:
    """Erase what the row names, look whether anything is left, and write the report.

    Raises:
        RetryJob: something that began before may still write about it.
    """
    erasure = Erasure.objects.get(pk=UUID(erasure_id))
    if erasure.state != "running":
        return
    subject = subject_of(erasure)
    needles = _needles(subject)
    begin(subject)
    for registered in erasers_of(subject.kind):
        context.check()
        if registered.name in erasure.report.get("finished", ()):
            continue
        with transaction.atomic():
            counts = run_eraser(registered, subject)
            report = dict(erasure.report)
            report["erased"] = dict(report.get("erased", {}))
            add_counts(report["erased"], counts)
            report["finished"] = [*report.get("finished", ()), registered.name]
            _save(erasure, report)
    if is_unsettled(subject, erasure.created_at):
        _save(erasure, {**erasure.report, "finished": []})
        raise RetryJob(
            "Answers that began before may still be writing.", delay_seconds=SETTLING_SECONDS
        )
    _finish(erasure, needles)


def _finish(erasure: Erasure, needles: list[str]) -> None:
    """End the row; where names could be looked for, say what is left of them."""
    remains: dict[str, int] = {}
    for needle in needles:
        for each in find_text(needle):
            remains[each.place] = remains.get(each.place, 0) + each.count
    erasure.refresh_from_db()  # who asked may be who is gone
    report = {key: value for key, value in erasure.report.items() if key != "finished"}
    report["checked"], report["remains"] = bool(needles), remains
    with transaction.atomic():
        erasure.state, erasure.ended_at = "done", timezone.now()
        _save(erasure, report)
        record_platform_audit(
            erasure.requested_by, "erasure.done", target=erasure, kind=erasure.kind, left=remains
        )


def _needles(subject: Subject) -> list[str]:
    """Return texts that must be nowhere afterwards; kept in memory only, or they would be found."""
    if subject.kind != "person":
        return []
    user = User.objects.filter(pk=subject.id).first()
    return [user.email] if user is not None and len(user.email) >= SHORTEST else []


def _save(erasure: Erasure, report: dict[str, Any]) -> None:
    erasure.report = report
    erasure.save(update_fields=["report", "state", "ended_at"])
