"""Carries building out: a job takes a batch, builds it, settles it, and has the next one looked at."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.actors import system_actor
from core.errors import ProjectError
from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobCancelled, JobContext
from knowledge.models import KnowledgeBase
from providers.contracts.errors import ModelError
from wiki.build.asking import RATE_LIMIT_SECONDS, ModelAsker, model_of, why_no_model
from wiki.build.finalise import finalise
from wiki.build.pipeline import build_batch
from wiki.build.queue import claim_batch, end_builds, fail, finish, go_on, release
from wiki.build.run import Run
from wiki.constants import AuthorKind, OperationState
from wiki.jobs import TIDY_WIKI
from wiki.models import WikiBuild, WikiOperation, WikiPage, WikiSettings

NEXT_SECONDS: Final = 5.0
TIDY_SECONDS: Final = 20.0
_LATELY: Final = timedelta(hours=1)


def build_pages(context: JobContext, *, base_id: UUID) -> None:
    """Build the next batch of a base.

    Raises:
        JobCancelled: another worker has the job.
    """
    settings = _settings(base_id)
    if settings is None:
        return
    operations = claim_batch(settings, context.job_id)
    if not operations:
        _look_again(base_id)
        return
    go_on(base_id, delay_seconds=NEXT_SECONDS)
    run = _run(context, settings, operations)
    try:
        failures = build_batch(run, operations)
    except JobCancelled:
        if not WikiBuild.objects.filter(pk=run.build.pk, stop_asked_at__isnull=False).exists():
            raise
        _stopped(run.build, operations)
        return
    except ModelError as error:
        _model_failed(run, operations, error)
    except ProjectError as error:
        run.log(_("Stopped"), detail=error.message)
        for row in operations:
            fail(row, error.message, is_final=True)
    else:
        finish(operations, failures)
    end_builds({row.build_id for row in operations if row.build_id})
    _look_again(base_id)


def tidy(context: JobContext, *, base_id: UUID) -> None:
    """Bring links and the index page in step after proposals of building were published."""
    settings = _settings(base_id)
    build = WikiBuild.objects.filter(base_id=base_id).first()
    if settings is None or build is None:
        return
    lately = WikiPage.objects.filter(
        base_id=base_id,
        trashed_at__isnull=True,
        last_author_kind=AuthorKind.PIPELINE,
        updated_at__gt=timezone.now() - _LATELY,
    )
    run = Run(
        context=context,
        base=settings.base,
        settings=settings,
        actor=system_actor(space_id=settings.space_id),
        build=build,
        asker=None,
        touched=set(lately.values_list("slug", flat=True)),
    )
    finalise(run)


def tidy_soon(base_id: UUID) -> None:
    """Have links and the index page looked at once no more pages are published."""
    enqueue(TIDY_WIKI, dedupe_key=str(base_id), delay_seconds=TIDY_SECONDS, base_id=str(base_id))


def _settings(base_id: UUID) -> WikiSettings | None:
    rows = WikiSettings.objects.filter(
        base_id=base_id, is_enabled=True, base__deleted_at__isnull=True
    )
    return rows.select_related("base", "model").first()


def _run(context: JobContext, settings: WikiSettings, operations: Sequence[WikiOperation]) -> Run:
    build = _build_of(settings.base, operations)
    run = Run(
        context=context,
        base=settings.base,
        settings=settings,
        actor=system_actor(space_id=settings.space_id),
        build=build,
        asker=None,
    )
    if why_no_model(settings):
        return run
    run.asker = ModelAsker(
        context=context, row=model_of(settings), user_id=build.started_by_id, spent=run.spent
    )
    return run


@transaction.atomic
def _build_of(base: KnowledgeBase, operations: Sequence[WikiOperation]) -> WikiBuild:
    """Return the building that a batch belongs to; documents that came by themselves begin one."""
    for row in operations:
        if row.build is not None:
            build = row.build
            break
    else:
        build = WikiBuild.objects.create(space_id=base.space_id, base=base)
    alone = [row for row in operations if row.build_id is None]
    for row in alone:
        row.build = build
    WikiOperation.objects.bulk_update(alone, ["build"])
    return build


def _model_failed(run: Run, operations: Sequence[WikiOperation], error: ModelError) -> None:
    """Wait when the model asks for it; what trying again cannot mend waits for a person."""
    run.log(_("The model failed"), detail=error.message)
    if error.kind == "rate_limited":
        pause = max(RATE_LIMIT_SECONDS, error.retry_after_seconds or 0.0)
        release(operations, error=error.message, delay_seconds=pause, is_counted=False)
        return
    for row in operations:
        fail(row, error.message, is_final=not error.retry)


def _stopped(build: WikiBuild, operations: Sequence[WikiOperation]) -> None:
    WikiOperation.objects.filter(
        pk__in=[row.pk for row in operations], state=OperationState.CLAIMED
    ).update(state=OperationState.CANCELLED, claim=None, updated_at=timezone.now())
    end_builds({build.pk})


def _look_again(base_id: UUID) -> None:
    """Have a job look again when the next waiting document is due."""
    rows = WikiOperation.objects.filter(base_id=base_id, state=OperationState.PENDING)
    due = rows.order_by("not_before").values_list("not_before", flat=True).first()
    if due is not None:
        wait = (due - timezone.now()).total_seconds()
        go_on(base_id, delay_seconds=max(NEXT_SECONDS, wait))
