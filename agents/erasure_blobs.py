"""Removes messages of model conversations that no run refers to any more.

A message is stored once a space, however many runs begin with it, so that it cannot go with one of
them. What no stored state names goes, in all spaces: an ended conversation leaves its messages too.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from agents.constants import OPEN_RUN_STATES
from agents.models import AgentRun, MessageBlob
from agents.runs.blobs import hashes_in

_UNUSED = """
    WITH used AS (
        SELECT DISTINCT run.space_id, hash FROM agents_agentrun AS run,
        LATERAL jsonb_array_elements_text(
            coalesce(run.loop_state->'messages', '[]') || coalesce(run.loop_state->'alias_pages', '[]')
        ) AS hash
    )
    SELECT blob.id FROM agents_messageblob AS blob
    LEFT JOIN used ON used.space_id = blob.space_id AND used.hash = blob.content_hash
    WHERE used.hash IS NULL
"""
_WAIT_FOR_WRITERS = "LOCK TABLE agents_agentrun IN EXCLUSIVE MODE"
"""Whoever stores a state locks its run's row first (`agents.runs.store`), so that nobody can be between
finding a message there and referring to it. Held for two short statements."""


def drop_unused_messages() -> int:
    """Delete messages that no run refers to; return how many. Runs in a transaction of its own."""
    looked_at = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(_UNUSED)
        unused = [pk for (pk,) in cursor.fetchall()]
        if not unused:
            return 0
        cursor.execute(_WAIT_FOR_WRITERS)
    rows = MessageBlob.objects.filter(pk__in=unused)
    taken_up = _named_since(looked_at)
    if taken_up:
        rows = rows.exclude(content_hash__in=taken_up)
    return rows.delete()[0]


def _named_since(moment: datetime) -> set[str]:
    """Return what states name that were written while we looked."""
    rows = AgentRun.objects.filter(
        Q(state__in=OPEN_RUN_STATES) | Q(heartbeat_at__gte=moment) | Q(created_at__gte=moment)
    )
    states = rows.values_list("loop_state", flat=True)
    return {each for state in states for each in hashes_in(state or {})}
