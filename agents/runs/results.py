"""Results too long for a model, kept whole: written under the run's lease, read page by page."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from accounts.access import Actor
from agents.constants import RunState
from agents.engine.aliases import Source
from agents.models import AgentRun, StoredResult
from agents.runs.blobs import sources_in
from agents.runs.store import Lease, LeaseLost
from agents.tracing.closed import documents_read, is_closed
from core.aio import in_db
from core.errors import NotFound
from core.jsonvalues import storable_text


class RunResults:
    """The engine's `ResultStore`, in the database."""

    def __init__(self, lease: Lease, *, space_id: int) -> None:
        self._lease = lease
        self._space_id = space_id

    async def keep(self, call_id: str, output: str) -> str:
        """Store the whole output; return how the model reads on.

        Raises:
            LeaseLost: another worker has the run.
        """
        await in_db(_keep, self._lease, self._space_id, call_id, output)
        return (
            f"All {len(output):,} characters are kept: "
            f'read_tool_result with call_id "{call_id}" reads any part of them.'
        )


@dataclass(frozen=True, kw_only=True)
class ResultPage:
    """A part of a kept result."""

    text: str
    start: int
    total_chars: int
    aliases_of: UUID
    """The run in whose aliases the text is written."""
    document_ids: tuple[UUID, ...] = ()
    """What the run had read; the text may hold some of it."""

    @property
    def end(self) -> int:
        """The first character behind the part."""
        return self.start + len(self.text)


def read_result(
    actor: Actor, *, run_id: UUID, conversation_id: UUID, call_id: str, offset: int, limit: int
) -> ResultPage:
    """Return a part of a result of this run, else of the conversation's newest run that has it.

    Raises:
        NotFound: no run of this conversation kept a result under this call id, or what it rests on
            is closed to the actor meanwhile.
    """
    rows = StoredResult.objects.filter(call_id=call_id, run__conversation_id=conversation_id)
    found = rows.filter(run_id=run_id).first() or rows.order_by("-pk").first()
    if found is None:
        known = rows.model.objects.filter(run_id=run_id).order_by("pk")
        ids = ", ".join(known.values_list("call_id", flat=True)[:20])
        raise NotFound(
            f"No long result is kept under {call_id!r}. "
            + (f"Kept here: {ids}." if ids else "None is kept in this run.")
        )
    if is_closed(actor, found.run_id):
        raise NotFound("That result rests on a source that is closed to the person now.")
    read = documents_read([found.run_id]).get(found.run_id, set())
    return ResultPage(
        document_ids=tuple(sorted(read)),
        text=found.text[offset : offset + limit],
        start=min(offset, len(found.text)),
        total_chars=len(found.text),
        aliases_of=found.run_id,
    )


def sources_of(run_id: UUID) -> dict[str, Source]:
    """Return what a run's aliases stand for, as far as its stored state tells."""
    state = AgentRun.objects.filter(pk=run_id).values_list("loop_state", flat=True).first()
    return sources_in(state or {})


def _keep(lease: Lease, space_id: int, call_id: str, output: str) -> None:
    with transaction.atomic():
        mine = AgentRun.objects.select_for_update().filter(
            pk=lease.run_id, lease_epoch=lease.epoch, state=RunState.RUNNING
        )
        if not mine.exists():
            raise LeaseLost
        StoredResult.objects.update_or_create(
            run_id=lease.run_id,
            call_id=call_id,
            defaults={"space_id": space_id, "text": storable_text(output)},
        )
