"""`/health/live` and `/health/ready`: whether the process lives, and whether all parts can work.

No sign-in and no secret in it: a monitor reads it, and a person who wants to know what is wrong.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError as NotInTime
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import httpx
import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from weknora_site.database import missing_extensions, pending_migrations
from weknora_site.heartbeats import live_workers

logger = logging.getLogger(__name__)
PATIENCE_SECONDS = 6.0
NEEDED_QUEUES = ("default", "runs", "ingest", "enrich")


@dataclass(frozen=True)
class Check:
    """How one part is."""

    ok: bool
    reason: str = ""
    """Why not; empty when it is well."""
    detail: dict[str, Any] = field(default_factory=dict)


@require_safe
@never_cache
def live(_request: HttpRequest) -> JsonResponse:
    """Say that this process answers."""
    return JsonResponse({"status": "live"})


@require_safe
@never_cache
def ready(_request: HttpRequest) -> JsonResponse:
    """Say 200 when every part can work, 503 with the reason of each part that cannot."""
    checks = run_checks()
    ok = all(check.ok for check in checks.values())
    response = JsonResponse(
        {
            "status": "ready" if ok else "not ready",
            "checks": {name: asdict(check) for name, check in checks.items()},
        },
        status=200 if ok else 503,
    )
    # Django logs each 5xx as an error; a monitor's question is none.
    vars(response)["_has_been_logged"] = True
    return response


def run_checks() -> dict[str, Check]:
    """Run all checks side by side; one that does not answer in time is a failure."""
    pool = ThreadPoolExecutor(max_workers=len(CHECKS), thread_name_prefix="health")
    running = {name: pool.submit(partial(_guarded, name, check)) for name, check in CHECKS.items()}
    pool.shutdown(wait=False)
    return {name: _result(future) for name, future in running.items()}


def check_database() -> Check:
    """Ask the database for anything at all."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return Check(ok=True, detail={"version": cursor.fetchone()[0]})


def check_extensions() -> Check:
    """Look for the extensions that search needs."""
    problems = missing_extensions()
    return Check(ok=not problems, reason="; ".join(problems))


def check_migrations() -> Check:
    """Compare the database with the code."""
    pending = pending_migrations()
    if not pending:
        return Check(ok=True)
    return Check(
        ok=False,
        reason=f"not applied: {', '.join(pending)}; run `manage.py prepare`",
        detail={"pending": pending},
    )


def check_broker() -> Check:
    """Ask the broker for anything at all."""
    with redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=3, socket_connect_timeout=3
    ) as client:
        client.ping()
    return Check(ok=True)


def check_workers() -> Check:
    """Look for a live worker of each queue, and one with the scheduler."""
    workers = live_workers()
    served = {queue for worker in workers for queue in worker.queues}
    missing = [queue for queue in NEEDED_QUEUES if queue not in served]
    names = sorted({worker.name for worker in workers})
    if missing:
        return Check(
            ok=False,
            reason=f"no live worker serves: {', '.join(missing)}",
            detail={"workers": names},
        )
    if not any(worker.scheduler for worker in workers):
        return Check(ok=False, reason="no worker runs the scheduler", detail={"workers": names})
    return Check(ok=True, detail={"workers": names})


def check_models() -> Check:
    """Ask the built-in models' server, unless it is switched off."""
    if not settings.LOCAL_MODELS_ENABLED:
        return Check(ok=True, detail={"state": "off"})
    answer = httpx.get(
        settings.LOCAL_MODELS_URL.removesuffix("/v1") + "/health",
        headers={"Authorization": f"Bearer {settings.LOCAL_MODELS_KEY}"},
        timeout=3.0,
        trust_env=False,
    )
    if answer.status_code == 200:
        return Check(ok=True)
    return Check(ok=False, reason=f"the model server answers {answer.status_code} (still loading?)")


CHECKS: dict[str, Callable[[], Check]] = {
    "database": check_database,
    "extensions": check_extensions,
    "migrations": check_migrations,
    "broker": check_broker,
    "workers": check_workers,
    "models": check_models,
}


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    """Turn what an absent part raises into a reason without addresses or passwords."""
    try:
        return check()
    except (DatabaseError, InterfaceError) as error:
        logger.warning("Health: %s: %s", name, error)
        return Check(ok=False, reason="the database does not answer")
    except redis.RedisError as error:
        logger.warning("Health: %s: %s", name, error)
        return Check(ok=False, reason="the broker does not answer")
    except httpx.HTTPError as error:
        logger.warning("Health: %s: %s", name, error)
        return Check(ok=False, reason="the model server does not answer")
    finally:
        connection.close()


def _result(future: Future[Check]) -> Check:
    try:
        return future.result(timeout=PATIENCE_SECONDS)
    except NotInTime:
        return Check(ok=False, reason=f"no answer within {PATIENCE_SECONDS:.0f} s")
