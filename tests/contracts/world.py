"""One of each thing of space A, for tests that walk over everything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from typing import Any
from uuid import UUID

from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from accounts.constants import OrganisationRole, Role, SharePermission
from accounts.models import (
    Erasure,
    ExportState,
    Invitation,
    JoinRequest,
    Organisation,
    Space,
    SpaceExport,
)
from accounts.services.groups import add_to_group, create_group
from agents.models import Agent, AgentRun, Approval, Conversation
from core.tenancy import space_scope
from knowledge.constants import BaseKind, SearchDoor
from knowledge.evaluation.golden import GoldenDraft, add_golden
from knowledge.faq.drafts import EntryDraft
from knowledge.faq.services import create_entry
from knowledge.models import (
    Chunk,
    Document,
    EvaluationRun,
    FaqImport,
    GraphEntity,
    IngestBatch,
    KnowledgeBase,
    SearchRecord,
)
from knowledge.storage import store_file
from providers.constants import ModelType
from providers.models import AIModel
from tests.accounts.organisations.worlds import add_space, make_organisation, share_base
from tests.agents.sharing.worlds import make_sharable, share_agent
from tests.factories.accounts import make_invitation, make_space
from tests.factories.agents import make_agent, make_conversation, make_run
from tests.factories.approvals import make_approval
from tests.factories.artifacts import make_artifact
from tests.factories.graphs import make_graph
from tests.factories.keys import make_key
from tests.factories.knowledge import make_base, make_document
from tests.factories.memory import make_familiar, make_memory, make_topic
from tests.factories.pictures import make_picture
from tests.factories.providers import make_model
from tests.factories.sandbox import make_config, make_session
from tests.factories.skills import make_skill
from tests.factories.spending import make_budget, make_schedule
from tests.factories.wiki import make_page, make_wiki, propose
from tests.personas import Persona, make_persona
from wiki.issues.flagging import flag_issue
from wiki.models import WikiFolder


def make_export(olivia: Persona) -> SpaceExport:
    """A copy of her space that she can download."""
    with space_scope(olivia.space.pk):
        row = SpaceExport.objects.create(
            space=olivia.space,
            requested_by=olivia.user,
            state=ExportState.READY,
            expires_at=timezone.now() + timedelta(hours=1),
        )
    default_storage.save(row.file_name, ContentFile(b"PK"))
    return row


def make_entry_and_import(olivia: Persona) -> dict[str, UUID]:
    """A base of questions and answers with an entry, and an import that is done."""
    faq = make_base(olivia.space, name="Answers", created_by=olivia.user, kind=BaseKind.FAQ)
    with space_scope(olivia.space.pk):
        draft = EntryDraft(standard_question="Where are the flaps?", answers=("At the wing.",))
        entry = create_entry(olivia.actor, base_id=faq.pk, draft=draft)
        done = FaqImport.objects.create(
            space=olivia.space, base=faq, file_name="flaps.csv", ended_at=timezone.now()
        )
    return {"faq_id": faq.pk, "entry_id": entry.pk, "import_id": done.pk}


def make_evaluations(olivia: Persona, base: KnowledgeBase) -> dict[str, UUID]:
    """A confirmed golden question of the base, and two evaluations that are done."""
    with space_scope(olivia.space.pk):
        draft = GoldenDraft(question="Where are the flaps?", answer="At the wing.")
        golden = add_golden(olivia.actor, base_id=base.pk, draft=draft, is_confirmed=True)
        fields = {"space": olivia.space, "base": base, "kind": "retrieval", "author": olivia.user}
        before, after = (
            EvaluationRun.objects.create(**fields, state="done", ended_at=timezone.now())
            for _ in range(2)
        )
    return {
        "golden_id": golden.pk,
        "evaluation_id": after.pk,
        "before_id": before.pk,
        "after_id": after.pk,
    }


@dataclass(kw_only=True)
class World:
    """Space A with its people and things; olivia made all of them, and the conversation is hers."""

    space: Space
    people: Mapping[str, Persona]
    """By name: those of the columns of the table, "guest", a viewer whom the rows are about, and
    vera and eddie, to whose spaces the base and the agent are shared."""
    base: KnowledgeBase
    document: Document
    chunk: Chunk
    agent: Agent
    conversation: Conversation
    run: AgentRun
    approval: Approval
    model: AIModel
    invitation: Invitation
    organisation: Organisation
    """Of A, with vera's space as a viewer and eddie's as an editor."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """For each argument of an address: the id of A's thing."""


def make_world(people: Mapping[str, Persona]) -> World:
    """Fill the space of `people["olivia"]`; the other spaces get what their pages need."""
    olivia = people["olivia"]
    space = olivia.space
    vera = make_persona(make_space("Space C"), name="Vera", role=Role.OWNER)
    eddie = make_persona(make_space("Space D"), name="Eddie", role=Role.OWNER)
    people = {**people, "vera": vera, "eddie": eddie}
    guest = make_persona(space, name="Guest", role=Role.VIEWER)
    base = make_base(space, name="Hangar", created_by=olivia.user)
    stored = store_file(space.pk, BytesIO(b"Check the flaps."))
    document = make_document(
        base, name="manual.txt", texts=["Check the flaps."], content_hash=stored.content_hash
    )
    agent = make_sharable(space, base, name="Tower talk", created_by=olivia.user)
    for each in {persona.space for persona in people.values()}:
        make_model(each, type=ModelType.EMBEDDING, is_default=True)
        make_model(each, type=ModelType.CHAT, is_default=True)
        if each != space:
            make_agent(each)
    conversation = make_conversation(space, user=olivia.user, agent=agent)
    run = make_run(conversation, question="What is to be checked?", answer="The flaps.")
    artifact = make_artifact(run)
    approval = make_approval(run)
    schedule = make_schedule(space, user=olivia.user, agent=agent)
    budget = make_budget(space)
    memory = make_memory(space, user=olivia.user)
    topic = make_topic(space, user=olivia.user)
    familiar = make_familiar(space, user=olivia.user, document=document)
    sandbox = make_config(space)
    model = make_model(space)
    invitation = make_invitation(space, role=Role.VIEWER, invited_by=olivia.user)
    organisation = make_organisation(space, editors=(eddie.space,))
    add_space(organisation, vera.space, role=OrganisationRole.VIEWER)
    share = share_base(base, organisation, permission=SharePermission.EDITOR)
    agent_share = share_agent(agent, organisation)
    asked = JoinRequest.objects.create(organisation=organisation, member=make_space("Space E"))
    skill_version = make_skill(space)
    with space_scope(space.pk):
        chunk = Chunk.objects.get(document=document)
        group = create_group(olivia.actor, name="Ground crew")
        batch = IngestBatch.objects.create(space=space, base=base, created_by=olivia.user)
        picture = make_picture(document)
        search = SearchRecord.objects.create(
            space=space,
            user=olivia.user,
            door=SearchDoor.PAGE,
            base_ids=[base.pk],
            question="flaps?",
        )
        make_graph(chunk, names=["Flaps"])
        make_wiki(base, is_public=True, public_name="flaps")
        page = make_page(base, slug="concept/flaps", title="Flaps", content="Check them.")
        issue, _ = flag_issue(olivia.actor, page, kind="other", description="Which flaps?")
        propose(olivia.actor, page, content="Check them twice.")
        folder = WikiFolder.objects.create(space=space, base=base, name="Gear", path="Gear")
        entity = GraphEntity.objects.get(base=base)
        add_to_group(olivia.actor, group_id=group.pk, user_ids=[guest.user.pk])
    return World(
        space=space,
        people={**people, "guest": guest},
        base=base,
        document=document,
        chunk=chunk,
        agent=agent,
        conversation=conversation,
        run=run,
        approval=approval,
        model=model,
        invitation=invitation,
        organisation=organisation,
        arguments={
            "space_id": space.pk,
            "membership_id": guest.membership.pk,
            "group_id": group.pk,
            "invitation_id": invitation.pk,
            "token": invitation.token,
            "base_id": base.pk,
            "document_id": document.pk,
            "batch_id": batch.pk,
            "chunk_id": chunk.pk,
            "picture_id": picture.pk,
            "search_id": search.pk,
            "entity_id": entity.pk,
            "page_id": page.pk,
            "issue_id": issue.pk,
            "slug": page.slug,
            "public_name": "flaps",
            "folder_id": folder.pk,
            "content_hash": "0" * 64,
            **make_entry_and_import(olivia),
            **make_evaluations(olivia, base),
            "agent_id": agent.pk,
            "shared_id": agent.pk,
            "agent_share_id": agent_share.pk,
            "old": 1,
            "new": 1,
            "number": 1,
            "engine": "pdf-plain",
            "conversation_id": conversation.pk,
            "run_id": run.pk,
            "schedule_id": schedule.pk,
            "budget_id": budget.pk,
            "user_id": guest.user.pk,
            "approval_id": approval.pk,
            "artifact_id": artifact.pk,
            "item_id": memory.pk,
            "topic_id": topic.pk,
            "familiar_id": familiar.pk,
            "message_id": run.answer_id,
            "owner_id": memory.owner_id,
            "model_id": model.pk,
            "config_id": sandbox.pk,
            "workspace_id": make_session(space, config=sandbox).pk,
            "ticket": "none",
            "skill_id": skill_version.skill_id,
            "skill_version_id": skill_version.pk,
            "organisation_id": organisation.pk,
            "member_id": vera.space.pk,
            "request_id": asked.pk,
            "kind": "base",
            "share_id": share.pk,
            "session_id": UserSession.objects.create(
                user=olivia.user, ip="192.0.2.1", session_key="elsewhere"
            ).pk,
            "key_id": make_key(space).key.pk,
            "link_id": SocialAccount.objects.create(
                user=olivia.user, provider="oidc", uid="olivia"
            ).pk,
            "export_id": make_export(olivia).pk,
            "erasure_id": Erasure.objects.create(
                kind="person", subject_id="0", state="failed", requested_by=olivia.user
            ).pk,
            # allauth's
            "pk": 1,
            "key": "3-abc",
            "uidb36": "1",
        },
    )
