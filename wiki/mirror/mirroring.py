"""Brings the mirror of a base up to date: the repository on this server, then the one at its address."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.access import Actor
from core.jobs.handlers import JobContext
from core.secrets import LostSecret
from core.tenancy import space_scope
from knowledge.models import EvidenceRow
from wiki.constants import MirrorState
from wiki.mirror.git import MISSING, GitFailed, git_program
from wiki.mirror.jobs import mirror_soon
from wiki.mirror.pushing import LOST_TOKEN, PushFailed, push
from wiki.mirror.repository import Commit, Held, add, drop, folder_of, locked, prepare, read
from wiki.mirror.steps import Steps
from wiki.models import WikiMirror, WikiPage, WikiSettings
from wiki.pages.closed import closed_document_ids
from wiki.published import anybody

logger = logging.getLogger(__name__)
FAILED: Final = gettext_noop("Git could not write the mirror; the log of the server says more.")
_COMMITS_AT_ONCE: Final = 200
_BUSY_SECONDS: Final = 20.0


def bring_up_to_date(context: JobContext, *, base_id: UUID) -> None:
    """Add to a base's mirror what it lacks, and push it; one that is off leaves no repository."""
    row = WikiMirror.objects.filter(base_id=base_id).select_related("base").first()
    if row is None:
        return
    folder = folder_of(row.space_id, base_id)
    with locked(folder) as is_mine:
        if not is_mine:
            mirror_soon(base_id, delay_seconds=_BUSY_SECONDS)
            return
        wiki = WikiSettings.objects.filter(
            base_id=base_id, is_enabled=True, base__deleted_at__isnull=True
        ).first()
        if wiki is None or not row.is_on:
            drop(folder)
            return
        _write(row, state=MirrorState.RUNNING)
        try:
            _mirror(context, row, wiki, folder)
        except PushFailed as failure:
            fail(base_id, failure.message)
        except GitFailed as failure:
            logger.warning("a mirror was not written: %s %s", failure.message, failure.said)
            fail(base_id, failure.message if failure.message == MISSING else FAILED)
        except OSError:
            logger.exception("a mirror was not written")
            fail(base_id, FAILED)


def make_anew(base_id: UUID, *, space_id: int) -> None:
    """Have the history of a base's mirror made of what is left: something was erased from it."""
    with space_scope(space_id):
        rows = WikiMirror.objects.filter(base_id=base_id)
        if rows.update(epoch=F("epoch") + 1) and rows.filter(is_on=True).exists():
            mirror_soon(base_id)


def fail(base_id: UUID, reason: str) -> None:
    """Write down why a mirror is not up to date."""
    WikiMirror.objects.filter(base_id=base_id).update(
        state=MirrorState.FAILED, last_error=reason, last_run_at=timezone.now()
    )


def _mirror(context: JobContext, row: WikiMirror, wiki: WikiSettings, folder: Path) -> None:
    if not git_program():
        raise GitFailed(MISSING)
    reader = anybody(wiki)
    if prepare(folder, _stamp(row, reader)):
        _write(row, made_anew_at=timezone.now())
    held = read(folder)
    waiting: list[Commit] = []
    for commit in Steps(base=row.base, reader=reader, held=held):
        context.check()
        waiting.append(commit)
        if len(waiting) == _COMMITS_AT_ONCE:
            add(folder, held, waiting, check=context.check)
            waiting = []
    add(folder, held, waiting, check=context.check)
    _write(row, commits=held.commits, last_revision_id=held.last_revision or None)
    if row.address and held.tip:
        _push(context, row, folder, held)
    _write(row, state=MirrorState.DONE, last_error="", last_run_at=timezone.now())


def _push(context: JobContext, row: WikiMirror, folder: Path, held: Held) -> None:
    if isinstance(row.token, LostSecret):
        raise PushFailed(LOST_TOKEN)
    tip = push(
        folder,
        address=row.address,
        token=row.token,
        branch=row.branch,
        pushed_commit=row.pushed_commit,
        check=context.check,
    )
    assert tip == held.tip
    _write(row, pushed_commit=tip)


def _stamp(row: WikiMirror, reader: Actor) -> str:
    """Return what changes when something must leave the history: an erasure, a new restriction."""
    pages = WikiPage.objects.filter(base_id=row.base_id).order_by()
    cited = EvidenceRow.objects.filter(origin_id__in=pages.values("pk"))
    buried = cited.filter(text="", document_name="").values_list("document_id", flat=True)
    gone = sorted(map(str, {*closed_document_ids(reader, row.base_id), *buried.distinct()}))
    return f"{row.epoch}:{hashlib.sha256(' '.join(gone).encode()).hexdigest()}"


def _write(row: WikiMirror, **fields: object) -> None:
    WikiMirror.objects.filter(pk=row.pk).update(**fields)
