"""Jobs: a row a job, fair claims, leases that heal, and every end with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.db import connection, transaction
from django.utils import timezone

from core.errors import Refused, ServiceUnavailable
from core.jobs.declare import Job
from core.jobs.enqueue import cancel_job, enqueue
from core.jobs.handlers import JobCancelled, JobContext, RetryJob, _handlers, handles
from core.jobs.heartbeat import beat_once, beating
from core.jobs.housekeeping import keep_house, return_lost_jobs
from core.jobs.work import _CLAIM, claim, work
from core.models import BackgroundJob, JobState
from core.tenancy import current_space_id, space_scope

pytestmark = pytest.mark.django_db(transaction=True)
SPACE_A, SPACE_B, SPACE_C = 10_001, 10_002, 10_003


@pytest.fixture(autouse=True)
def wakes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The wake-ups that would go to the broker."""
    sent: list[str] = []

    def send(name: str, *, args: list[str], **_: Any) -> None:
        sent.append(args[0])

    monkeypatch.setattr(current_app, "send_task", send)
    return sent


@pytest.fixture
def job() -> Iterator[Job]:
    """A job of its own name for one test."""
    job = Job(name="tests.job", queue="default", max_attempts=3)
    yield job
    _handlers.pop(job.name, None)


def rows_read(plan: dict[str, Any]) -> float:
    """Return how many rows the nodes of an executed plan gave or threw away."""
    own = float(plan["Actual Rows"]) + float(plan.get("Rows Removed by Filter", 0))
    return own * float(plan["Actual Loops"]) + sum(
        rows_read(part) for part in plan.get("Plans", ())
    )


def only_row() -> BackgroundJob:
    return BackgroundJob.objects.get()


def test_job_runs_in_its_space_and_ends_done(job: Job) -> None:
    seen: list[tuple[int | None, str]] = []

    @handles(job)
    def run(context: JobContext, *, word: str) -> None:
        seen.append((current_space_id(), word))

    with space_scope(SPACE_A):
        enqueue(job, word="hello")
    assert work("default") is True
    assert seen == [(SPACE_A, "hello")]
    assert only_row().state == JobState.DONE
    assert work("default") is False


def test_wake_up_is_sent_only_when_the_transaction_commits(job: Job, wakes: list[str]) -> None:
    with transaction.atomic():
        enqueue(job)
        transaction.set_rollback(True)
    assert (wakes, BackgroundJob.objects.count()) == ([], 0)
    enqueue(job)
    assert wakes == ["default"]


def test_second_job_of_a_key_is_not_added_while_the_first_waits(job: Job) -> None:
    assert enqueue(job, dedupe_key="k") is not None
    assert enqueue(job, dedupe_key="k") is None
    assert claim("default") is not None
    assert enqueue(job, dedupe_key="k") is not None


def test_space_with_fewer_running_jobs_comes_first(job: Job) -> None:
    with space_scope(SPACE_A):
        for number in range(3):
            enqueue(job, number=number)
    with space_scope(SPACE_B):
        enqueue(job, number=9)
    claimed = [claim("default") for _ in range(3)]
    assert [row.space_id for row in claimed if row] == [SPACE_A, SPACE_B, SPACE_A]


def test_space_has_no_more_jobs_in_flight_than_its_limit(job: Job, settings: Any) -> None:
    settings.JOBS_IN_FLIGHT_PER_SPACE = {"default": 2}
    with space_scope(SPACE_A):
        for _ in range(3):
            enqueue(job)
    assert [claim("default") is not None for _ in range(3)] == [True, True, False]


def test_oldest_due_job_comes_first_among_spaces_with_as_much_in_flight(
    job: Job, settings: Any
) -> None:
    settings.JOBS_IN_FLIGHT_PER_SPACE = {"default": 1}
    for space_id, delay_seconds in ((SPACE_A, 60), (SPACE_B, -5), (SPACE_C, -9), (SPACE_C, -8)):
        with space_scope(space_id):
            enqueue(job, delay_seconds=delay_seconds)
    claimed = [claim("default") for _ in range(3)]
    assert [row and row.space_id for row in claimed] == [SPACE_C, SPACE_B, None]


def make_statistics_old(job: Job) -> None:
    """Leave the planner with statistics of a table in which hardly a job waits."""
    BackgroundJob.objects.bulk_create(
        BackgroundJob(
            space_id=number % 7,
            name=job.name,
            queue=job.queue,
            state=JobState.DONE if number > 2 else JobState.QUEUED,
            ended_at=timezone.now() if number > 2 else None,
        )
        for number in range(3_000)
    )
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {BackgroundJob._meta.db_table}")
    BackgroundJob.objects.all().delete()


@pytest.mark.parametrize("old_statistics", [False, True])
def test_finding_the_next_job_does_not_read_all_that_wait(job: Job, old_statistics: bool) -> None:
    if old_statistics:
        make_statistics_old(job)
    BackgroundJob.objects.bulk_create(
        BackgroundJob(space_id=SPACE_A, name=job.name, queue=job.queue) for _ in range(2_000)
    )
    with space_scope(SPACE_B):
        newest = enqueue(job)
    found = [row.pk for row in (claim("default"), claim("default")) if row]
    assert newest in found
    with connection.cursor() as cursor:
        cursor.execute(
            f"EXPLAIN (ANALYZE, FORMAT JSON) {_CLAIM}",
            {
                "queue": "default",
                "limit": 4,
                "total": 100,
                "owner": "nobody",
                "now": timezone.now(),
            },
        )
        plan = cursor.fetchone()[0][0]["Plan"]
    assert rows_read(plan) < 50


@pytest.mark.parametrize(
    ("error", "state", "reason"),
    [
        (Refused("The file is hostile."), JobState.FAILED, "The file is hostile."),
        (ServiceUnavailable("The model is down."), JobState.QUEUED, "The model is down."),
        (RetryJob("Not yet."), JobState.QUEUED, "Not yet."),
        (JobCancelled("Enough."), JobState.CANCELLED, "Canceled."),
        (
            KeyError("x"),
            JobState.FAILED,
            "An unexpected error stopped it; the log of the worker has details.",
        ),
    ],
    ids=["final", "unavailable", "retry", "cancelled", "unexpected"],
)
def test_every_end_has_a_state_and_a_reason(
    job: Job, error: Exception, state: JobState, reason: str
) -> None:
    @handles(job)
    def run(context: JobContext) -> None:
        raise error

    enqueue(job)
    work("default")
    assert (only_row().state, only_row().reason) == (state, reason)


def test_retries_end_and_people_are_told(job: Job) -> None:
    told: list[tuple[dict[str, Any], str]] = []

    @handles(job, on_failure=lambda arguments, reason: told.append((arguments, reason)))
    def run(context: JobContext, *, document_id: str) -> None:
        raise RetryJob("The model is away.", delay_seconds=0)

    enqueue(job, document_id="d")
    for _ in range(3):
        assert work("default")
    assert only_row().state == JobState.FAILED
    assert told == [({"document_id": "d"}, "The model is away.")]


def test_people_are_told_that_a_job_waits_and_pauses_grow(job: Job) -> None:
    told: list[str] = []
    pauses = []

    @handles(job, on_retry=lambda arguments, reason: told.append(reason))
    def run(context: JobContext) -> None:
        raise ServiceUnavailable("The model is away.", retry_after_seconds=1)

    enqueue(job)
    for _ in range(2):
        work("default")
        pauses.append((only_row().run_after - timezone.now()).total_seconds())
        BackgroundJob.objects.update(run_after=timezone.now())
    assert told == ["The model is away."] * 2
    assert pauses == [pytest.approx(5, abs=1), pytest.approx(10, abs=1)]


def lose_worker() -> None:
    BackgroundJob.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=2))


def test_job_of_a_dead_worker_is_taken_over_and_the_old_one_writes_nothing(job: Job) -> None:
    epochs: list[int] = []

    @handles(job)
    def run(context: JobContext) -> None:
        epochs.append(context.lease_epoch)
        if len(epochs) == 1:
            lose_worker()
            assert return_lost_jobs() == 1
            assert work("default")  # the other worker, to its end
            assert only_row().state == JobState.DONE
            with pytest.raises(JobCancelled):
                context.check_lease()
            raise Refused("too late")

    enqueue(job)
    work("default")
    assert only_row().state == JobState.DONE
    assert epochs[0] < epochs[1]


def test_job_on_which_workers_keep_dying_fails_with_a_reason(job: Job) -> None:
    told: list[str] = []
    handles(job, on_failure=lambda arguments, reason: told.append(reason))(lambda context: None)
    enqueue(job)
    for _ in range(3):
        assert claim("default") is not None
        lose_worker()
        return_lost_jobs()
    assert only_row().state == JobState.FAILED
    assert told == ["The worker ended 3 times while it did this; it is not tried again."]


def test_lost_job_keeps_its_place_once_and_goes_behind_the_others_after_that(job: Job) -> None:
    first = enqueue(job)
    second = enqueue(job)
    taken = []
    for _ in range(3):
        row = claim("default")
        taken.append(row and row.pk)
        lose_worker()
        return_lost_jobs()
    assert taken == [first, first, second]


def test_cancelling_ends_a_queued_job_and_stops_a_running_one(job: Job) -> None:
    queued = enqueue(job)
    assert queued is not None
    cancel_job(queued)
    assert only_row().state == JobState.CANCELLED

    @handles(job)
    def run(context: JobContext) -> None:
        cancel_job(context.job_id)
        beat_once()
        context.check()
        pytest.fail("it went on")

    second = enqueue(job)
    work("default")
    assert second is not None
    assert BackgroundJob.objects.get(pk=second).state == JobState.CANCELLED


def test_time_limit_fails_the_job_and_tells(job: Job) -> None:
    told: list[str] = []
    quick = Job(name=job.name, time_limit_seconds=0.0)

    @handles(quick, on_failure=lambda arguments, reason: told.append(reason))
    def run(context: JobContext) -> None:
        context.check()

    enqueue(quick)
    work("default")
    assert told == ["It took longer than its time limit."]
    assert only_row().state == JobState.FAILED


def test_heartbeat_renews_the_lease(job: Job) -> None:
    enqueue(job)
    row = claim("default")
    assert row is not None
    lose_worker()
    context = JobContext(
        job_id=row.pk, space_id=0, attempt=1, lease_epoch=row.lease_epoch, deadline=float("inf")
    )
    with beating(context):
        beat_once()
    assert return_lost_jobs() == 0
    assert not context.cancelled


def test_housekeeping_wakes_a_queue_whose_message_was_lost(job: Job, wakes: list[str]) -> None:
    enqueue(job)
    wakes.clear()
    keep_house()
    assert set(wakes) == {"default"}


def test_unknown_job_fails_instead_of_waiting_for_ever(job: Job) -> None:
    enqueue(job)
    work("default")
    assert only_row().state == JobState.FAILED
    assert "No worker knows" in only_row().reason


def test_a_job_whose_key_another_waits_under_is_done_all_the_same(job: Job) -> None:
    runs: list[str] = []

    @handles(job)
    def handle(context: JobContext) -> None:
        if not runs:
            enqueue(job, dedupe_key="k")
        runs.append("run")
        if len(runs) == 1:
            raise RetryJob("Not yet.", delay_seconds=0.0)

    enqueue(job, dedupe_key="k")
    assert [work("default") for _ in range(4)] == [True, True, True, False]
    assert set(BackgroundJob.objects.values_list("state", flat=True)) == {JobState.DONE}


def test_a_lost_job_whose_key_another_waits_under_is_queued_again(job: Job) -> None:
    enqueue(job, dedupe_key="k")
    taken = claim("default")
    assert taken is not None
    enqueue(job, dedupe_key="k")
    BackgroundJob.objects.filter(pk=taken.pk).update(
        heartbeat_at=timezone.now() - timedelta(days=1)
    )
    assert return_lost_jobs() == 1
    assert BackgroundJob.objects.filter(state=JobState.QUEUED).count() == 2
