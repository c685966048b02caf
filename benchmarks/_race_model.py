"""A model without memory for the races, and copies of a run that sleeps."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from django.db import transaction

from agents.constants import MessageRole
from agents.models import AgentRun, Approval, Conversation, Message, RunEvent
from providers.contracts.chat import ChatChunk, ChatMessage, ChatOptions, ToolCallDelta, ToolSpec

TOOL = "race_send"


class CallingModel:
    """Asks for as many calls as the question says, and answers when it has their results."""

    name = "calling"
    context_tokens = 200_000

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = ChatOptions(),  # noqa: B008  as in the protocol; frozen
    ) -> AsyncIterator[ChatChunk]:
        """Play the turn that is due."""
        if messages[-1].role == "tool":
            yield ChatChunk(text="Done.")
            yield ChatChunk(finish_reason="stop")
            return
        for index in range(2 if "Send 2." in messages[-1].content else 1):
            arguments = json.dumps({"to": f"person {index}"})
            delta = ToolCallDelta(index=index, call_id=f"c{index}", name=TOOL, arguments=arguments)
            yield ChatChunk(tool_call=delta)
        yield ChatChunk(finish_reason="tool_calls")


@transaction.atomic
def clone_run(run_id: UUID) -> AgentRun:
    """Copy a sleeping run with its events and requests into a conversation of its own."""
    run = AgentRun.objects.select_related("question").get(pk=run_id)
    talk = Conversation.objects.create(space_id=run.space_id, user_id=run.user_id, title="Race")
    question = Message.objects.create(
        space_id=run.space_id,
        conversation=talk,
        role=MessageRole.USER,
        text=run.question.text,
        position=0,
    )
    copy = AgentRun(
        space_id=run.space_id,
        conversation=talk,
        question=question,
        agent_id=run.agent_id,
        user_id=run.user_id,
        state=run.state,
        last_seq=run.last_seq,
        loop_state=run.loop_state,
        lease_epoch=run.lease_epoch,
        started_at=run.started_at,
    )
    copy.save(force_insert=True)
    events = list(RunEvent.objects.filter(run_id=run_id))
    rows = list(Approval.objects.filter(run_id=run_id))
    fields = [each.attname for each in Approval._meta.concrete_fields if each.attname != "id"]
    RunEvent.objects.bulk_create(
        RunEvent(
            space_id=copy.space_id,
            run=copy,
            seq=each.seq,
            seq_to=each.seq_to,
            type=each.type,
            data=each.data,
        )
        for each in events
    )
    Approval.objects.bulk_create(
        Approval(**{name: getattr(row, name) for name in fields} | {"run_id": copy.pk})
        for row in rows
    )
    return copy
