"""Use cases of agents: make, change, copy, switch off, delete, bring back."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.access import Actor, require, visible
from accounts.services.audit import record_audit
from agents.builtin import builtin_agents, shown_description, shown_name
from agents.evaluation.guard import is_gated, refuse_without_reason
from agents.models import Agent
from agents.queries import get_any_agent, list_agent_rows
from agents.services.agent_values import NAME_CHARACTERS, AgentValues, write_values
from agents.services.builtin import values_of
from agents.services.versions import ensure_version, get_version, record_version
from agents.sharing.rules import check_change
from core.errors import Conflict
from knowledge.models import KnowledgeBase
from providers.models import AIModel


def create_agent(actor: Actor, *, values: AgentValues) -> Agent:
    """Make an agent that belongs to the actor.

    Raises:
        AccessDenied: the actor's role may not make agents.
        Invalid: a value cannot be used; `field` names it.
    """
    require(actor, "create", Agent)
    with transaction.atomic():
        agent = Agent(space_id=actor.space_id, created_by_id=actor.user_id)
        write_values(actor, agent, values)
        ensure_version(agent)
        record_audit(actor, "agent.create", target=agent)
    return agent


def update_agent(
    actor: Actor, *, agent_id: UUID, values: AgentValues, expected_version: int, note: str = ""
) -> Agent:
    """Change an agent; what is equal to before makes no new version.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Invalid: a value cannot be used; `field` names it. It will answer otherwise, golden
            questions could tell, and no note says why.
        Conflict: somebody saved it since `expected_version`.
    """
    with transaction.atomic():
        agent = _locked(actor, agent_id)
        if agent.version != expected_version:
            raise Conflict(
                _("%(name)s was saved by somebody else meanwhile. Load the page again.")
                % {"name": agent.name},
                version=agent.version,
            )
        before = ensure_version(agent).snapshot
        named = set(agent.bases.values_list("pk", flat=True))
        write_values(actor, agent, values)
        check_change(actor, agent, before=named)
        gated = is_gated(agent, before)
        if gated:
            refuse_without_reason(note)
        if record_version(actor, agent, before=before, note=note):
            record_audit(actor, "agent.change", target=agent, version=agent.version)
            if gated:
                why = note.strip()[:300]
                record_audit(actor, "evaluation.gate_bypass", target=agent, reason=why)
    return agent


def copy_agent(actor: Actor, *, agent_id: UUID) -> Agent:
    """Make an agent like another one; the copy belongs to the actor.

    Raises:
        NotFound, AccessDenied: it cannot be seen, or the actor may not make agents.
    """
    source = get_any_agent(actor, agent_id)
    require(actor, "create", Agent)
    name = shown_name(source.builtin_key, source.name)
    with transaction.atomic():
        copy = Agent.objects.create(
            space_id=actor.space_id,
            name=_free_name(actor, _("Copy of %(name)s") % {"name": name}),
            description=shown_description(source.builtin_key, source.description),
            mode=source.mode,
            instructions=source.instructions,
            chat_model_id=source.chat_model_id,
            base_scope=source.base_scope,
            config=source.config,
            created_by_id=actor.user_id,
        )
        copy.bases.set(visible(actor, "use", source.bases.all()))
        ensure_version(copy)
        record_audit(actor, "agent.copy", target=copy, source=str(source.pk))
    return copy


def enable_agent(actor: Actor, *, agent_id: UUID, is_enabled: bool) -> Agent:
    """Switch an agent on or off; its conversations stay.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    with transaction.atomic():
        agent = _locked(actor, agent_id)
        if agent.is_enabled != is_enabled:
            agent.is_enabled = is_enabled
            agent.save(update_fields=["is_enabled", "updated_at"])
            record_audit(actor, "agent.enable" if is_enabled else "agent.disable", target=agent)
    return agent


def delete_agent(actor: Actor, *, agent_id: UUID) -> None:
    """Delete an agent with its versions; conversations keep their answers.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is built in: it can be switched off.
    """
    with transaction.atomic():
        agent = _locked(actor, agent_id, action="delete")
        if agent.builtin_key:
            raise Conflict(_("Built-in agents cannot be deleted; turn it off instead."))
        record_audit(actor, "agent.delete", target=agent)
        agent.delete()


def restore_version(actor: Actor, *, agent_id: UUID, number: int) -> Agent:
    """Make an agent what it was in a version; that is a new version of its own.

    Bases and a model that are gone meanwhile are left out.

    Raises:
        NotFound, AccessDenied: as `require` has it, or there is no such version.
        Invalid: it is shared, and would open bases that are not the actor's to share.
    """
    with transaction.atomic():
        agent = _locked(actor, agent_id)
        before = ensure_version(agent).snapshot
        old = get_version(actor, agent_id=agent_id, number=number).snapshot
        agent.name, agent.description = old["name"], old["description"]
        agent.mode, agent.instructions = old["mode"], old["instructions"]
        agent.base_scope, agent.config = old["base_scope"], old["config"]
        agent.chat_model = AIModel.objects.filter(pk=old["chat_model_id"]).first()
        agent.save()
        named = set(agent.bases.values_list("pk", flat=True))
        agent.bases.set(KnowledgeBase.objects.filter(pk__in=old["base_ids"]))
        check_change(actor, agent, before=named)
        note = _("restored from version %(number)s") % {"number": number}
        if record_version(actor, agent, before=before, note=note, restored_from=number):
            record_audit(actor, "agent.restore", target=agent, restored_from=number)
    return agent


def reset_agent(actor: Actor, *, agent_id: UUID) -> Agent:
    """Make a built-in agent what the product brings.

    Raises:
        NotFound, AccessDenied: as `require` has it.
        Conflict: it is not built in.
    """
    with transaction.atomic():
        agent = _locked(actor, agent_id)
        builtin = builtin_agents().get(agent.builtin_key)
        if builtin is None:
            raise Conflict(_("Only built-in agents can be reset."))
        before = ensure_version(agent).snapshot
        for name, value in values_of(builtin).items():
            setattr(agent, name, value)
        agent.chat_model = None
        agent.save()
        agent.bases.clear()
        if record_version(actor, agent, before=before, note=_("reset to the built-in agent")):
            record_audit(actor, "agent.reset", target=agent)
    return agent


def _locked(actor: Actor, agent_id: UUID, *, action: str = "change") -> Agent:
    get_any_agent(actor, agent_id)
    agent = Agent.objects.select_for_update().get(pk=agent_id)
    require(actor, "delete" if action == "delete" else "change", agent)
    return agent


def _free_name(actor: Actor, wanted: str) -> str:
    taken = set(list_agent_rows(actor).values_list("name", flat=True))
    name, number = wanted[:NAME_CHARACTERS], 2
    while name in taken:
        suffix = f" ({number})"
        name, number = wanted[: NAME_CHARACTERS - len(suffix)] + suffix, number + 1
    return name
