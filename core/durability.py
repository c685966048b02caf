"""How long a commit waits for the disk."""

from __future__ import annotations

from django.db import connection

LATER = "set_config('synchronous_commit', 'off', true)"
"""The same as part of a statement that is sent anyway."""


def commit_without_waiting() -> None:
    """Let this transaction's commit return before the disk has it.

    For rows that say who works on something: the log is written in order, so whatever commits with
    waiting afterwards brings them along, and after a power cut that took them nothing that was done
    under them is there either.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
