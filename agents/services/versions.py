"""Versions of an agent: what it was at each save, what changed, and the way back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy as _

from accounts.access import Actor
from agents.configuration import AgentConfig
from agents.constants import AgentMode, BaseScope
from agents.models import Agent, AgentVersion
from agents.queries import get_any_agent, list_agent_rows
from core.errors import NotFound
from core.textdiff import Row, diff_lines
from knowledge.queries import list_bases
from providers.queries import list_models

Snapshot = dict[str, Any]
_BASICS = ("name", "description", "mode", "instructions", "chat_model_id", "base_scope", "base_ids")
LABELS = {
    "name": _("Name"),
    "description": _("Description"),
    "mode": _("Mode"),
    "instructions": _("Instructions"),
    "chat_model_id": _("Model"),
    "base_scope": _("Knowledge bases"),
    "base_ids": _("Selected knowledge bases"),
}
CONTEXT_LINES = 3


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One field that differs between two versions."""

    field: str
    label: str
    rows: tuple[Row, ...]


def snapshot_of(agent: Agent) -> Snapshot:
    """Return the agent as it is now, as JSON; equal agents have equal snapshots."""
    return {
        "name": agent.name,
        "description": agent.description,
        "mode": str(agent.mode),
        "instructions": agent.instructions,
        "chat_model_id": str(agent.chat_model_id) if agent.chat_model_id else None,
        "base_scope": str(agent.base_scope),
        "base_ids": sorted(str(base.pk) for base in agent.bases.all()),
        "config": agent.config,
    }


def ensure_version(agent: Agent) -> AgentVersion:
    """Return the version that the row equals; an agent of before versions gets its first one."""
    found = AgentVersion.objects.filter(agent=agent, number=agent.version).first()
    return found or AgentVersion.objects.create(
        space_id=agent.space_id,
        agent=agent,
        number=agent.version,
        snapshot=snapshot_of(agent),
        created_by_id=agent.created_by_id,
    )


def record_version(
    actor: Actor,
    agent: Agent,
    *,
    before: Snapshot,
    note: str = "",
    restored_from: int | None = None,
) -> bool:
    """Write a new version when the agent differs from `before`; return whether it does.

    The caller holds the agent's row lock, wrote `before` down with `ensure_version` and changed it.
    """
    now = snapshot_of(agent)
    if now == before:
        return False
    agent.version += 1
    agent.save(update_fields=["version", "updated_at"])
    AgentVersion.objects.create(
        space_id=agent.space_id,
        agent=agent,
        number=agent.version,
        snapshot=now,
        note=note.strip()[:300],
        restored_from=restored_from,
        created_by_id=actor.user_id,
    )
    return True


def list_versions(actor: Actor, *, agent_id: UUID) -> QuerySet[AgentVersion]:
    """Return the agent's versions, newest first.

    Raises:
        NotFound: there is no such agent for the actor.
    """
    agent = get_any_agent(actor, agent_id)
    ensure_version(agent)
    rows = AgentVersion.objects.filter(agent=agent).select_related("created_by")
    return rows.order_by("-number")


def get_version(actor: Actor, *, agent_id: UUID, number: int) -> AgentVersion:
    """Return one version.

    Raises:
        NotFound: there is no such agent for the actor, or no such version.
    """
    found = list_versions(actor, agent_id=agent_id).filter(number=number).first()
    if found is None:
        raise NotFound(gettext("This agent has no version %(number)s.") % {"number": number})
    return found


def compare_versions(actor: Actor, *, agent_id: UUID, old: int, new: int) -> list[Difference]:
    """Return the fields that differ, line by line and word by word; ids are shown as names.

    Raises:
        NotFound: there is no such agent for the actor, or no such version.
    """
    names = _names(actor)
    left = _readable(get_version(actor, agent_id=agent_id, number=old).snapshot, names)
    right = _readable(get_version(actor, agent_id=agent_id, number=new).snapshot, names)
    fields = [*_BASICS, *(name for name in AgentConfig.model_fields)]
    return [
        Difference(
            field=field,
            label=str(LABELS.get(field, field.replace("_", " ").capitalize())),
            rows=diff_lines(left.get(field, ""), right.get(field, ""), context=CONTEXT_LINES),
        )
        for field in fields
        if left.get(field, "") != right.get(field, "")
    ]


def _names(actor: Actor) -> Mapping[str, str]:
    """Return the names of what snapshots point to, as far as the actor may see it."""
    found = {str(model.id): model.name for model in list_models(actor)}
    found |= {str(base.pk): base.name for base in list_bases(actor)}
    return found | {str(agent.pk): agent.name for agent in list_agent_rows(actor)}


def _readable(snapshot: Snapshot, names: Mapping[str, str]) -> dict[str, str]:
    """Return every field as text, lists and objects one entry a line."""
    config = AgentConfig.model_validate(snapshot["config"]).model_dump(mode="json")
    flat = {name: snapshot[name] for name in _BASICS} | config
    flat["mode"] = str(AgentMode(snapshot["mode"]).label)
    flat["base_scope"] = str(BaseScope(snapshot["base_scope"]).label)
    flat["approvals"] = [line for each in config["approvals"] for line in _approval_lines(each)]
    return {name: _text(value, names) for name, value in flat.items()}


def _approval_lines(entry: Mapping[str, Any]) -> list[str]:
    """Return the approval of one tool in words: its mode, then one line a rule."""
    limit = entry["timeout_seconds"]
    head = f"{entry['tool']}: {entry['mode']}" + (f", {limit} s" if limit else "")
    return [
        head,
        *(
            f"{entry['tool']}: {rule['argument']} {rule['operator']} {rule['value']} → {rule['mode']}"
            for rule in entry["rules"]
        ),
    ]


def _text(value: Any, names: Mapping[str, str]) -> str:
    match value:
        case None:
            return ""
        case str():
            return names.get(value, value)
        case list() | tuple():
            return "\n".join(_text(each, names) for each in value)
        case dict():
            return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)
