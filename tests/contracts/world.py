"""One of each thing of space A, for tests that walk over everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from accounts.constants import Role
from accounts.models import Invitation, Space
from agents.models import Agent, AgentRun, Conversation
from core.tenancy import space_scope
from knowledge.models import Chunk, Document, KnowledgeBase
from knowledge.storage import store_file
from providers.constants import ModelType
from providers.models import AIModel
from tests.factories.accounts import make_invitation
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.knowledge import make_base, make_document
from tests.factories.providers import make_model
from tests.personas import Persona, make_persona


@dataclass(kw_only=True)
class World:
    """Space A with its people and things; olivia made all of them, and the conversation is hers."""

    space: Space
    people: Mapping[str, Persona]
    """By name: those of the columns of the table, and "guest", a viewer whom the rows are about."""
    base: KnowledgeBase
    document: Document
    chunk: Chunk
    agent: Agent
    conversation: Conversation
    run: AgentRun
    model: AIModel
    invitation: Invitation
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """For each argument of an address: the id of A's thing."""


def make_world(people: Mapping[str, Persona]) -> World:
    """Fill the space of `people["olivia"]`; the other spaces get what their pages need."""
    olivia = people["olivia"]
    space = olivia.space
    guest = make_persona(space, name="Guest", role=Role.VIEWER)
    base = make_base(space, name="Hangar", created_by=olivia.user)
    stored = store_file(space.pk, BytesIO(b"Check the flaps."))
    document = make_document(
        base, name="manual.txt", texts=["Check the flaps."], content_hash=stored.content_hash
    )
    agent = make_agent(space, created_by=olivia.user)
    for each in {persona.space for persona in people.values()}:
        make_model(each, type=ModelType.EMBEDDING, is_default=True)
        if each != space:
            make_agent(each)
    conversation = make_conversation(space, user=olivia.user, agent=agent)
    run = make_run(conversation, question="What is to be checked?", answer="The flaps.")
    model = make_model(space)
    invitation = make_invitation(space, role=Role.VIEWER, invited_by=olivia.user)
    with space_scope(space.pk):
        chunk = Chunk.objects.get(document=document)
    return World(
        space=space,
        people={**people, "guest": guest},
        base=base,
        document=document,
        chunk=chunk,
        agent=agent,
        conversation=conversation,
        run=run,
        model=model,
        invitation=invitation,
        arguments={
            "space_id": space.pk,
            "membership_id": guest.membership.pk,
            "invitation_id": invitation.pk,
            "token": invitation.token,
            "base_id": base.pk,
            "document_id": document.pk,
            "chunk_id": chunk.pk,
            "agent_id": agent.pk,
            "conversation_id": conversation.pk,
            "run_id": run.pk,
            "model_id": model.pk,
            # allauth's
            "key": "3-abc",
            "uidb36": "1",
        },
    )
