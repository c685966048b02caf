"""Decide about many change requests at once; each for itself, so that one that fails stops none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.access import Actor
from core.errors import ProjectError
from wiki.changes.deciding import review_change
from wiki.constants import Verdict
from wiki.models import WikiChange

MOST_AT_ONCE = 100


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What became of each."""

    done: tuple[WikiChange, ...]
    failed: tuple[tuple[WikiChange, str], ...]
    """With the reason, for people."""


def decide_many(
    actor: Actor,
    changes: Sequence[WikiChange],
    *,
    verdict: Verdict,
    note: str = "",
    never_again: bool = False,
) -> Batch:
    """Give the same verdict on up to `MOST_AT_ONCE`; what is approved is published.

    Each is decided on the edition of its row as it was read.
    """
    done: list[WikiChange] = []
    failed: list[tuple[WikiChange, str]] = []
    for change in changes[:MOST_AT_ONCE]:
        try:
            decided = review_change(
                actor,
                change,
                verdict=verdict,
                edition=change.edition,
                note=note,
                publish=verdict == Verdict.APPROVE,
                never_again=never_again,
            )
        except ProjectError as error:
            failed.append((change, error.message))
        else:
            done.append(decided)
    return Batch(done=tuple(done), failed=tuple(failed))
