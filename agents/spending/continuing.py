"""Goes on with a run that a budget stopped: a new run that begins from what the old one knew.

The old run keeps its end, its salvaged answer and its events; an ended run is never opened again.
The new one has the same messages, aliases and findings, counts its rounds and tokens anew and is
asked for permission like any other.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from agents.constants import OPEN_RUN_STATES, MessageRole
from agents.engine.events import CitationAdded, ToolCallFinished, parse_event
from agents.engine.state import RunState as LoopState
from agents.jobs import RUN_AGENT
from agents.models import AgentRun, Conversation, Message, RunEvent
from agents.queries import get_run
from agents.runs.blobs import pack_state, unpack_state
from agents.services.conversations import next_position
from agents.sharing.gate import refusal_of_sharer
from agents.sharing.received import find_shared_agent
from agents.spending.gate import refusal_for
from agents.tracing.closed import documents_read, is_closed
from agents.tracing.sight import HOLD_TEXT, sight_of
from core.errors import Conflict, LimitReached
from core.jobs.enqueue import enqueue
from providers.contracts.chat import Usage


def continue_run(actor: Actor, *, run_id: UUID) -> AgentRun:
    """Go on where a budget stopped a run; return the new, queued run.

    Raises:
        NotFound: it is none of the actor's.
        Conflict: something else ended it, it is not the last one of its conversation, or some of
            what it read is closed to the person now.
        LimitReached: the budget is still used up.
    """
    old = get_run(actor, run_id)
    require(actor, "change", old)
    _require_same_sight(actor, old)
    refusal = _refusal(actor, old)
    if refusal is not None:
        raise LimitReached(refusal)
    with transaction.atomic():
        conversation = Conversation.objects.select_for_update().get(pk=old.conversation_id)
        if not can_continue(old):
            raise Conflict(_("Only the last answer, when a budget stopped it, can be continued."))
        conversation.last_message_at = timezone.now()
        conversation.save(update_fields=["last_message_at"])
        return _begin(old, conversation)


def can_continue(run: AgentRun) -> bool:
    """Say whether a budget stopped this run and nothing was asked after it."""
    if run.state in OPEN_RUN_STATES or run.parent_id is not None or not run.loop_state:
        return False
    last = RunEvent.objects.filter(run=run, type="run_finished").first()
    if last is None or last.data.get("reason") != "budget":
        return False
    later = AgentRun.objects.filter(
        conversation_id=run.conversation_id, question__position__gt=run.question.position
    )
    return not later.exists()


def continued_state(old: LoopState) -> LoopState:
    """Return the state of a new run that knows what the old one knew."""
    return old.model_copy(
        update={
            "next_seq": 1,
            "round": 0,
            "round_open": False,
            "usage": Usage(),
            "model_calls": 0,
            "started_ids": [],
            "requested_ids": [],
            "resolved_ids": [],
            "repeated_ids": [],
            "open_outcomes": {},
            "approvals": {},
            "empty_nudges": 0,
            "unfinished_text": None,
            "overflow_recovered": False,
            "answer": "",
            "answer_shown": False,
            "citations": [],
            "closing": None,
            "finished": False,
        }
    )


def _begin(old: AgentRun, conversation: Conversation) -> AgentRun:
    message = Message.objects.create(
        space_id=old.space_id,
        conversation=conversation,
        role=MessageRole.USER,
        text=_("Continue"),
        position=next_position(conversation),
    )
    run = AgentRun(
        space_id=old.space_id,
        conversation=conversation,
        question=message,
        agent_id=old.agent_id,
        shared_agent_id=old.shared_agent_id,
        shared_space_id=old.shared_space_id,
        shared_agent_name=old.shared_agent_name,
        agent_version=old.agent_version,
        user_id=old.user_id,
        principal=old.principal,
        base_ids=old.base_ids,
        document_ids=old.document_ids,
        inherited_document_ids=sorted(
            str(each) for each in documents_read([old.pk]).get(old.pk, set())
        ),
        loop_state=pack_state(old.space_id, continued_state(unpack_state(old.loop_state))),
    )
    run.job_id = enqueue(RUN_AGENT, run_id=str(run.pk))
    run.save(force_insert=True)
    return run


def _refusal(actor: Actor, run: AgentRun) -> str | None:
    if run.shared_agent_id is None:
        return refusal_for(agent_id=run.agent_id, user_id=run.user_id)
    agent = find_shared_agent(actor, run.shared_agent_id)
    return refusal_of_sharer(agent_id=agent.pk, shared_by=agent.space_id)


def _require_same_sight(actor: Actor, run: AgentRun) -> None:
    """The model would read on what the run had read: all of it must still be the person's."""
    rows = RunEvent.objects.filter(run=run, type__in=HOLD_TEXT)
    events = [parse_event(row.data) for row in rows]
    sight = sight_of(actor, events)
    held = [event for event in events if isinstance(event, CitationAdded | ToolCallFinished)]
    if any(sight.hides(event) for event in held) or is_closed(actor, run.pk):
        raise Conflict(_("Some of what it read is closed to you now. Ask the question again."))
