"""A run as Server-Sent Events of the reference; permission is asked anew before each piece."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from django.http import StreamingHttpResponse

from accounts.access import Actor
from agents.engine.events import parse_event
from agents.live.event_stream import KEEP_ALIVE, watch_run
from agents.models import AgentRun
from agents.queries import get_run
from agents.runs.asker import renewed
from core.aio import in_db
from core.errors import ProjectError
from core.tenancy import space_scope
from integrations.api.stream_events import AnswerStream
from knowledge.evidence import Evidence, read_evidence


def stream_answer(actor: Actor, run: AgentRun) -> StreamingHttpResponse:
    """Return the run's events from its beginning, on until it is over."""
    response = StreamingHttpResponse(_pieces(actor, run), content_type="text/event-stream")
    response["Cache-Control"] = "no-cache, no-store"
    response["X-Accel-Buffering"] = "no"  # a proxy must not hold events back
    return response


async def _pieces(actor: Actor, run: AgentRun) -> AsyncGenerator[bytes, None]:
    stream = AnswerStream(session_id=str(run.conversation_id), message_id=str(run.pk))
    stored = watch_run(
        partial(renewed, actor),
        space_id=run.space_id,
        conversation_id=run.conversation_id,
        run_id=run.pk,
        after=0,
    )
    async with aclosing(stored):
        async for rows in stored:
            for row in rows:
                event = parse_event(row.data)
                evidence: Sequence[Evidence] = ()
                if event.type == "run_finished":
                    evidence = await in_db(_evidence, actor, run)
                for piece in stream.pieces(event, evidence):
                    yield _message(piece)
            if not rows:
                yield KEEP_ALIVE


def _evidence(actor: Actor, run: AgentRun) -> list[Evidence]:
    """Return the sources of the run's answer, as far as the reader sees them now."""
    with space_scope(run.space_id):
        try:
            reader = renewed(actor)
            answer_id = get_run(reader, run.pk).answer_id
        except ProjectError:
            return []
        return read_evidence(reader, origin_id=answer_id) if answer_id is not None else []


def _message(piece: dict[str, Any]) -> bytes:
    return f"event: message\ndata: {json.dumps(piece, ensure_ascii=False)}\n\n".encode()
