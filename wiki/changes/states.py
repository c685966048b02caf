"""The ways of a change request; what is not written here cannot happen.

draft → in review → approved → published, with a way back for the author (draft), for reviewers
(changes asked, rejected) and for who made a mistake (rejected → in review). Superseded is a request
that nobody needs any more: its page is gone, says the same already, or the author gave it up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor
from core.errors import Conflict
from wiki.constants import ChangeState
from wiki.models import WikiChange
from wiki.pages.writing import lock_wiki
from wiki.signals import change_moved

WAYS: Final[Mapping[ChangeState, frozenset[ChangeState]]] = {
    ChangeState.DRAFT: frozenset({ChangeState.IN_REVIEW, ChangeState.SUPERSEDED}),
    ChangeState.IN_REVIEW: frozenset(
        {
            ChangeState.DRAFT,
            ChangeState.APPROVED,
            ChangeState.CHANGES_ASKED,
            ChangeState.REJECTED,
            ChangeState.SUPERSEDED,
        }
    ),
    ChangeState.APPROVED: frozenset(
        {
            ChangeState.DRAFT,
            ChangeState.IN_REVIEW,
            ChangeState.CHANGES_ASKED,
            ChangeState.REJECTED,
            ChangeState.PUBLISHED,
            ChangeState.SUPERSEDED,
        }
    ),
    ChangeState.CHANGES_ASKED: frozenset(
        {
            ChangeState.DRAFT,
            ChangeState.IN_REVIEW,
            ChangeState.APPROVED,
            ChangeState.REJECTED,
            ChangeState.SUPERSEDED,
        }
    ),
    ChangeState.REJECTED: frozenset({ChangeState.IN_REVIEW}),
    ChangeState.PUBLISHED: frozenset(),
    ChangeState.SUPERSEDED: frozenset(),
}
_DECIDED: Final = (ChangeState.REJECTED, ChangeState.PUBLISHED, ChangeState.SUPERSEDED)


def lock_change(change: WikiChange) -> WikiChange:
    """Return the row as it is now, locked after its base: two who decide take turns."""
    lock_wiki(change.base)
    return WikiChange.objects.select_for_update(of=("self",), no_key=True).get(pk=change.pk)


def can_move(change: WikiChange, to: ChangeState) -> bool:
    """Say whether there is a way."""
    return to in WAYS[ChangeState(change.state)]


def move(change: WikiChange, to: ChangeState, *, by: Actor | None, **fields: Any) -> None:
    """Let a locked change request have another state, and the other `fields` with it.

    Raises:
        Conflict: there is no such way; `data` has the `state` it is in.
    """
    was = ChangeState(change.state)
    if to != was and not can_move(change, to):
        raise Conflict(
            _("Change request %(n)d is “%(state)s” already: this cannot be done any more.")
            % {"n": change.number, "state": was.label},
            state=was.value,
        )
    change.state = to
    if to in _DECIDED:
        change.decided_at = timezone.now()
        change.decided_by_id = by.user_id if by else None
    for name, value in fields.items():
        setattr(change, name, value)
    change.save()
    if to != was:
        transaction.on_commit(
            lambda: change_moved.send(WikiChange, change_id=change.pk, was=was, actor=by)
        )
