"""The background jobs of pages, and the clock that begins them."""

from __future__ import annotations

from django.core.cache import cache

from core.jobs.enqueue import enqueue
from core.jobs.handlers import JobContext, handles
from core.jobs.housekeeping import register_keeper
from core.tenancy import space_scope, unscoped
from wiki.mirror.jobs import mirror_soon
from wiki.models import WikiMirror, WikiSettings
from wiki.pages.jobs import THIN_REVISIONS
from wiki.pages.thinning import thin_space

DAY_SECONDS = 24 * 3600
_DONE_KEY = "wiki:thinning"


@handles(THIN_REVISIONS)
def thin(_: JobContext) -> None:
    """Take old texts of building and agents away, as the wikis of a space have it.

    Mirrors are looked at, too: nothing tells of new restrictions, and an address may be back.
    """
    thin_space()
    mirrored = WikiMirror.objects.filter(is_on=True)
    for base_id in mirrored.values_list("base_id", flat=True):
        mirror_soon(base_id)


def begin_thinning() -> None:
    """Enqueue the job in each space with a wiki; housekeeping asks every few seconds."""
    if not cache.add(_DONE_KEY, 1, timeout=DAY_SECONDS):
        return
    with unscoped(reason="revisions of the wikis of all spaces are thinned"):
        rows = WikiSettings.objects.order_by().values_list("space_id", flat=True)
        spaces = list(rows.distinct())
    for space_id in spaces:
        with space_scope(space_id):
            enqueue(THIN_REVISIONS, dedupe_key=str(space_id))


register_keeper(begin_thinning)
