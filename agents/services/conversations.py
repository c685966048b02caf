"""Use cases of conversations: ask, stop, rename, delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.guests import reading
from agents.approvals.applying import wake_when_decided
from agents.constants import OPEN_RUN_STATES, MessageRole, RunState
from agents.jobs import RUN_AGENT
from agents.models import Agent, AgentRun, Conversation, Message
from agents.queries import get_conversation, get_run, list_agents, list_conversations
from agents.runs.asker import asking
from agents.runs.family import stop_descendants
from agents.runs.publish import publish_deletion
from agents.runs.store import finish_unstarted
from agents.services.mentions import Mention, Mentioned, check_mentions
from agents.services.readiness import answering
from agents.sharing.received import agent_to_ask, find_shared_agent
from agents.sharing.running import fields_for, model_fields
from agents.suggestions.events import Attribution, attribution_of, record_click
from core.errors import Conflict, Invalid, NotFound
from core.jobs.enqueue import enqueue
from core.tenancy import space_scope
from knowledge.queries import get_base
from providers.models import AIModel

TITLE_CHARACTERS = 80
_CHANGED = ("title", "agent", "shared_agent_id", "shared_space_id", "base_ids", "last_message_at")


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a person asks."""

    text: str
    agent_id: UUID | None = None
    """None: the conversation's agent, else the space's first."""
    base_ids: tuple[UUID, ...] = ()
    """Only these bases; empty: all of the agent's."""
    mentions: tuple[Mention, ...] = ()
    """What the text names with @; it wins over `base_ids`."""
    client_id: str = ""
    """Chosen by the sender; the same one again returns the run that was begun."""
    taken_from: Attribution | None = None
    """The suggestion that was clicked instead of typing."""


def ask(actor: Actor, question: Question, *, conversation_id: UUID | None = None) -> AgentRun:
    """Put a question and return its queued run; without a conversation a new one begins.

    Raises:
        NotFound: conversation, agent or base is none of the actor's.
        Invalid: the question is empty or too long, or the space has no agent.
        Conflict: the conversation's last question is being answered.
    """
    text = _clean_text(question.text)
    agent = _agent_for(actor, question, conversation_id)
    model = _model_of_ready(actor, agent)
    shared_id = agent.pk if agent.space_id != actor.space_id else None
    asker = asking(actor, agent_id=shared_id)
    for base_id in question.base_ids:
        with reading(asker, argument="base_id", value=base_id) as reader:
            require(reader, "use", get_base(reader, base_id))
    mentioned = check_mentions(actor, agent, question.mentions)
    with transaction.atomic():
        conversation = _conversation_for(actor, conversation_id)
        said = _said_in(conversation, question.client_id)
        if said.same_question is not None:
            return AgentRun.objects.get(pk=said.same_question)
        if said.is_answering:
            raise Conflict(
                _("The last question is still being answered. Wait for it, or stop it first.")
            )
        conversation.title = conversation.title or _title_of(text)
        conversation.agent = agent if shared_id is None else None
        conversation.shared_agent_id = shared_id
        conversation.shared_space_id = None if shared_id is None else agent.space_id
        conversation.base_ids = [str(base_id) for base_id in question.base_ids]
        conversation.last_message_at = timezone.now()
        conversation.save(update_fields=_CHANGED)
        run = AgentRun(
            space_id=actor.space_id,
            conversation=conversation,
            **fields_for(agent, space_id=actor.space_id),
            **({} if model is None else model_fields(model)),
            user_id=conversation.user_id,
            principal=conversation.principal,
            agent_version=agent.version,
            base_ids=[str(each) for each in mentioned.base_ids or question.base_ids],
            document_ids=[str(each) for each in mentioned.document_ids],
        )
        return _begin(actor, question, run, text=text, said=said, mentioned=mentioned)


def stop_run(actor: Actor, *, run_id: UUID) -> AgentRun:
    """Ask a run to stop; what it has so far stays. A run that is over stays as it is.

    Raises:
        NotFound: it is none of the actor's.
    """
    run = get_run(actor, run_id)
    require(actor, "change", run)
    _stop(run.pk, detail="Stopped by you.")
    return AgentRun.objects.get(pk=run.pk)


def stop_runs_of(user_id: int) -> int:
    """Stop what still runs with the rights of somebody who has left the space; say how many."""
    rows = AgentRun.objects.filter(user_id=user_id, state__in=OPEN_RUN_STATES, parent=None)
    run_ids = list(rows.values_list("pk", flat=True))
    for run_id in run_ids:
        _stop(run_id, detail="Stopped: the person left the space.")
    return len(run_ids)


def _stop(run_id: UUID, *, detail: str) -> None:
    with transaction.atomic():
        run = AgentRun.objects.select_for_update().get(pk=run_id)
        if run.state == RunState.QUEUED and run.last_seq == 0:
            finish_unstarted(run, outcome="stopped", reason="cancelled", detail=detail)
        elif run.state in OPEN_RUN_STATES:
            run.cancel_requested = True
            run.save(update_fields=["cancel_requested"])
            wake_when_decided(run)
    stop_descendants(run_id, detail="Stopped with the run that asked.")


def create_conversation(actor: Actor, *, title: str = "") -> Conversation:
    """Begin an empty conversation."""
    require(actor, "create", Conversation)
    return Conversation.objects.create(
        space_id=actor.space_id,
        user_id=actor.user_id,
        principal="" if actor.user_id is not None else actor.principal,
        title=title.replace("\x00", "")[:200],
    )


def rename_conversation(actor: Actor, *, conversation_id: UUID, title: str) -> Conversation:
    """Give a conversation another title.

    Raises:
        NotFound: it is none of the actor's.
        Invalid: the title is blank.
    """
    conversation = get_conversation(actor, conversation_id)
    require(actor, "change", conversation)
    cleaned = " ".join(title.replace("\x00", "").split())[:200]
    if not cleaned:
        raise Invalid(_("A conversation needs a title."))
    conversation.title = cleaned
    conversation.save(update_fields=["title"])
    return conversation


def delete_conversation(actor: Actor, *, conversation_id: UUID) -> None:
    """Delete a conversation with its messages, runs and events; open runs are stopped.

    Raises:
        NotFound: it is none of the actor's.
    """
    conversation = get_conversation(actor, conversation_id)
    require(actor, "delete", conversation)
    with transaction.atomic():
        AgentRun.objects.filter(conversation=conversation, state__in=OPEN_RUN_STATES).update(
            cancel_requested=True
        )
        conversation.delete()
        transaction.on_commit(lambda: publish_deletion(conversation_id))


def _clean_text(text: str) -> str:
    cleaned = text.replace("\x00", "").strip()
    if not cleaned:
        raise Invalid(_("Write a question first."))
    limit = settings.MAX_QUESTION_CHARACTERS
    if len(cleaned) > limit:
        raise Invalid(
            _(
                "The question has %(count)s characters; %(limit)s are the most. Put long texts into a knowledge base and ask about them."
            )
            % {"count": f"{len(cleaned):,}", "limit": f"{limit:,}"}
        )
    return cleaned


def _agent_for(actor: Actor, question: Question, conversation_id: UUID | None) -> Agent:
    if question.agent_id is not None:
        return agent_to_ask(actor, question.agent_id)
    if conversation_id is not None:
        found = get_conversation(actor, conversation_id)
        if found.shared_agent_id is not None:
            return find_shared_agent(actor, found.shared_agent_id)
        if found.agent is not None and found.agent.is_enabled:
            return found.agent
    agent = list_agents(actor).first()
    if agent is None:
        raise Invalid(_("This space has no agent that answers; an administrator can enable one."))
    return agent


def _model_of_ready(actor: Actor, agent: Agent) -> AIModel | None:
    """Return the model that would answer now; None where only the worker can tell.

    Raises:
        Conflict: the agent cannot answer at all.
    """
    with space_scope(agent.space_id):
        found = answering(agent)
    problem = found.problem
    if problem is not None and agent.space_id != actor.space_id:
        raise Conflict(_("This agent cannot answer now; the space that shares it has to mend it."))
    if problem is not None:
        raise Conflict(problem.message, problem=problem.code)
    return found.model


def _conversation_for(actor: Actor, conversation_id: UUID | None) -> Conversation:
    """Return the conversation, locked; a new one, which its first question names, begins."""
    if conversation_id is None:
        return create_conversation(actor)
    rows = list_conversations(actor).select_for_update()
    conversation = rows.filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound(_("There is no such conversation."))
    return conversation


def _title_of(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[: TITLE_CHARACTERS - 1].rstrip() + "…"


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What stands in a conversation before a question."""

    same_question: UUID | None
    """The run of a question with the same `client_id`."""
    is_answering: bool
    next_position: int


def _said_in(conversation: Conversation, client_id: str) -> _Said:
    """Read it in one statement, behind the lock: no other question comes in between."""
    runs = AgentRun.objects.filter(conversation=OuterRef("pk")).order_by()
    messages = Message.objects.filter(conversation=OuterRef("pk")).order_by("-position")
    same = runs.filter(question__client_id=client_id) if client_id else runs.none()
    row = Conversation.objects.filter(pk=conversation.pk).values_list(
        Subquery(same.values("pk")[:1]),
        Exists(runs.filter(state__in=OPEN_RUN_STATES)),
        Subquery(messages.values("position")[:1]),
    )[0]
    return _Said(
        same_question=row[0],
        is_answering=row[1],
        next_position=0 if row[2] is None else row[2] + 1,
    )


def _begin(
    actor: Actor, question: Question, run: AgentRun, *, text: str, said: _Said, mentioned: Mentioned
) -> AgentRun:
    """Store a question and its run, with the job that makes the answer."""
    taken_from = attribution_of(actor, question.taken_from, text=text)
    run.question = Message.objects.create(
        space_id=actor.space_id,
        conversation=run.conversation,
        role=MessageRole.USER,
        suggestion_set=taken_from,
        suggestion_key=question.taken_from.key if question.taken_from and taken_from else "",
        text=text,
        client_id=question.client_id[:64],
        position=said.next_position,
        mentions=list(mentioned.stored),
    )
    run.job_id = enqueue(RUN_AGENT, run_id=str(run.pk))
    run.save(force_insert=True)
    record_click(actor, run.question)
    return run


def next_position(conversation: Conversation) -> int:
    """Return the place of the conversation's next message, from 0."""
    rows: Sequence[int | None] = list(
        Message.objects.filter(conversation=conversation).aggregate(last=Max("position")).values()
    )
    return 0 if rows[0] is None else rows[0] + 1
