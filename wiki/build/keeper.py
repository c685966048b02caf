"""No document waits for a job that is over, and none that waits is without a job."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.core.cache import cache
from django.utils import timezone

from core.jobs.housekeeping import register_keeper
from core.tenancy import space_scope, unscoped
from wiki.build.queue import OPEN, end_builds, go_on, release_lost
from wiki.constants import OperationState
from wiki.models import WikiBuild, WikiOperation

EVERY_SECONDS: Final = 60
_KEPT: Final = timedelta(days=30)
_KEY: Final = "wiki:building"


def keep_building() -> None:
    """Look at what may need a job; housekeeping asks more often."""
    if cache.add(_KEY, 1, timeout=EVERY_SECONDS):
        heal_building()


def heal_building() -> None:
    """Give back what dead jobs have, wake what waits, end what is over, forget what is long done."""
    with unscoped(reason="the queues of building of all spaces are looked through"):
        open_ones = list(
            WikiOperation.objects.filter(state__in=OPEN)
            .values_list("space_id", "base_id")
            .distinct()
        )
        builds = list(WikiBuild.objects.filter(ended_at__isnull=True).values_list("space_id", "pk"))
        old = WikiOperation.objects.filter(
            state__in=(OperationState.DONE, OperationState.CANCELLED),
            updated_at__lt=timezone.now() - _KEPT,
        )
        old.delete()
    for space_id, base_id in open_ones:
        with space_scope(space_id):
            rows = WikiOperation.objects.filter(base_id=base_id)
            release_lost(rows)
            if rows.filter(state=OperationState.PENDING, not_before__lte=timezone.now()).exists():
                go_on(base_id)
    for space_id, build_id in builds:
        with space_scope(space_id):
            end_builds({build_id})


register_keeper(keep_building)
