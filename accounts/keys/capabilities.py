"""What a key can be allowed: capabilities, and what each lets the permission engine pass.

`SCOPES` is the only place that turns a capability into "area.action". A capability without scopes
opens nothing in the tables of spaces: its routes are the installation's, or none exists yet. Which
routes a capability opens stands in `integrations.api.route_policies`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _


class Capability(models.TextChoices):
    """One thing that a key may do; the names are those of the reference."""

    RETRIEVE = "retrieve", _("Search and read knowledge")
    CHAT = "chat", _("Ask agents")
    READ_AGENTS = "read_agents", _("List agents")
    MESSAGE_HISTORY = "message_history", _("Read its own conversations")
    INGEST = "ingest", _("Add and remove documents")
    MANAGE_KBS = "manage_kbs", _("Manage knowledge bases")
    RUN_EVALUATIONS = "run_evaluations", _("Run evaluations")
    MANAGE_AGENTS = "manage_agents", _("Manage agents")
    MANAGE_MODELS = "manage_models", _("Manage models")
    MANAGE_MCP_SERVICES = "manage_mcp_services", _("Manage MCP services")
    MANAGE_DATASOURCES = "manage_datasources", _("Manage data sources")
    MANAGE_CHANNELS = "manage_channels", _("Manage channels and widgets")
    MANAGE_VECTOR_STORES = "manage_vector_stores", _("Manage vector stores")
    MANAGE_STORAGE_BACKENDS = "manage_storage_backends", _("Manage file storage")
    MANAGE_WEB_SEARCH = "manage_web_search", _("Manage web search")
    MANAGE_MEMBERS = "manage_members", _("Manage members")
    MANAGE_SPACES = "manage_spaces", _("Read and rename spaces")
    MANAGE_TENANT_SETTINGS = "manage_tenant_settings", _("Change the space's settings")
    SYSTEM_TENANTS_READ = "system_tenants_read", _("List all spaces")
    SYSTEM_TENANTS_MANAGE = "system_tenants_manage", _("Manage all spaces")
    SYSTEM_SETTINGS_READ = "system_settings_read", _("Read the installation's settings")
    SYSTEM_SETTINGS_MANAGE = "system_settings_manage", _("Change the installation's settings")
    SYSTEM_RUNTIME_READ = "system_runtime_read", _("Read queues and health")
    SYSTEM_RUNTIME_MANAGE = "system_runtime_manage", _("Act on queues")
    SYSTEM_AUDIT_READ = "system_audit_read", _("Read the installation's audit log")


PLATFORM_ONLY = frozenset(one for one in Capability if one.value.startswith("system_"))
"""Only keys of the platform have these."""

_READ = frozenset({"bases.view", "bases.use", "documents.view", "chunks.view"})
_OWN_TALKS = frozenset({"conversations.view", "messages.view", "runs.view", "artifacts.view"})

SCOPES: Mapping[Capability, frozenset[str]] = {
    Capability.RETRIEVE: _READ,
    Capability.CHAT: _READ
    | _OWN_TALKS
    | {
        *("agents.view", "agents.use"),
        *("conversations.create", "conversations.change", "conversations.delete"),
        *("messages.create", "runs.create", "runs.change", "artifacts.create"),
    },
    Capability.READ_AGENTS: frozenset({"agents.view"}),
    Capability.MESSAGE_HISTORY: _OWN_TALKS,
    Capability.INGEST: frozenset(
        {
            *("bases.view", "bases.edit", "chunks.view", "chunks.change"),
            *("documents.view", "documents.create", "documents.change", "documents.delete"),
        }
    ),
    Capability.MANAGE_KBS: frozenset(
        {"bases.view", "bases.create", "bases.edit", "bases.change", "bases.delete"}
    ),
    Capability.RUN_EVALUATIONS: frozenset(),
    Capability.MANAGE_AGENTS: frozenset(
        {"agents.view", "agents.create", "agents.change", "agents.delete"}
    ),
    Capability.MANAGE_MODELS: frozenset(
        {"models.view", "models.create", "models.change", "models.delete", "models.manage"}
    ),
    Capability.MANAGE_MCP_SERVICES: frozenset(),
    Capability.MANAGE_DATASOURCES: frozenset(),
    Capability.MANAGE_CHANNELS: frozenset(),
    Capability.MANAGE_VECTOR_STORES: frozenset(),
    Capability.MANAGE_STORAGE_BACKENDS: frozenset(),
    Capability.MANAGE_WEB_SEARCH: frozenset(),
    Capability.MANAGE_MEMBERS: frozenset(
        {
            *("members.view", "members.create", "members.change", "members.delete"),
            *("invitations.view", "invitations.create"),
            *("invitations.change", "invitations.delete"),
        }
    ),
    Capability.MANAGE_SPACES: frozenset({"spaces.view", "spaces.change"}),
    Capability.MANAGE_TENANT_SETTINGS: frozenset(
        {"spaces.view", "spaces.manage", "memory_settings.view", "memory_settings.change"}
    ),
    **dict.fromkeys(PLATFORM_ONLY, frozenset()),
}

FOR_BASES = frozenset(
    {
        Capability.RETRIEVE,
        Capability.CHAT,
        Capability.READ_AGENTS,
        Capability.MESSAGE_HISTORY,
        Capability.INGEST,
        Capability.MANAGE_KBS,
    }
)
"""What makes sense for a key that is limited to some bases; with others it is not limited."""


@dataclass(frozen=True, kw_only=True)
class CapabilityGroup:
    """Capabilities that stand together on the page of keys."""

    label: Any
    """Translated."""
    capabilities: tuple[Capability, ...]


GROUPS = (
    CapabilityGroup(
        label=_("Use"),
        capabilities=(
            Capability.RETRIEVE,
            Capability.CHAT,
            Capability.READ_AGENTS,
            Capability.MESSAGE_HISTORY,
        ),
    ),
    CapabilityGroup(
        label=_("Content"),
        capabilities=(
            Capability.INGEST,
            Capability.MANAGE_KBS,
            Capability.MANAGE_AGENTS,
            Capability.RUN_EVALUATIONS,
        ),
    ),
    CapabilityGroup(
        label=_("Connections"),
        capabilities=(
            Capability.MANAGE_MODELS,
            Capability.MANAGE_MCP_SERVICES,
            Capability.MANAGE_DATASOURCES,
            Capability.MANAGE_CHANNELS,
            Capability.MANAGE_VECTOR_STORES,
            Capability.MANAGE_STORAGE_BACKENDS,
            Capability.MANAGE_WEB_SEARCH,
        ),
    ),
    CapabilityGroup(
        label=_("Space"),
        capabilities=(
            Capability.MANAGE_MEMBERS,
            Capability.MANAGE_SPACES,
            Capability.MANAGE_TENANT_SETTINGS,
        ),
    ),
    CapabilityGroup(
        label=_("Installation"),
        capabilities=tuple(one for one in Capability if one in PLATFORM_ONLY),
    ),
)

EXPLAINED: Mapping[Capability, Any] = {
    Capability.RETRIEVE: _("Lists knowledge bases, documents and passages, and searches them."),
    Capability.CHAT: _("Opens conversations of its own and asks agents; includes searching."),
    Capability.READ_AGENTS: _("Sees which agents there are."),
    Capability.MESSAGE_HISTORY: _("Sees what was said in conversations that this key began."),
    Capability.INGEST: _("Uploads documents, reads them again, deletes them."),
    Capability.MANAGE_KBS: _(
        "Creates, changes, empties and deletes knowledge bases, also those of others."
    ),
    Capability.RUN_EVALUATIONS: _("Starts evaluations and reads their results."),
    Capability.MANAGE_AGENTS: _("Creates, changes and deletes agents, also those of others."),
    Capability.MANAGE_MODELS: _("Adds models with their addresses; never reads their keys."),
    Capability.MANAGE_MCP_SERVICES: _("Connects tool servers."),
    Capability.MANAGE_DATASOURCES: _("Connects sources and starts their sync."),
    Capability.MANAGE_CHANNELS: _("Sets up message channels and widgets."),
    Capability.MANAGE_VECTOR_STORES: _("Adds and tests vector stores."),
    Capability.MANAGE_STORAGE_BACKENDS: _("Adds and tests places for files."),
    Capability.MANAGE_WEB_SEARCH: _("Sets up providers of web search."),
    Capability.MANAGE_MEMBERS: _("Invites, changes and removes members; never owners."),
    Capability.MANAGE_SPACES: _("Reads the space's data and renames it; never deletes it."),
    Capability.MANAGE_TENANT_SETTINGS: _("Changes how the space works for everybody."),
    Capability.SYSTEM_TENANTS_READ: _("Sees every space of the installation."),
    Capability.SYSTEM_TENANTS_MANAGE: _("Creates spaces and sets their quotas."),
    Capability.SYSTEM_SETTINGS_READ: _("Sees settings, never secrets."),
    Capability.SYSTEM_SETTINGS_MANAGE: _("Changes settings for everybody."),
    Capability.SYSTEM_RUNTIME_READ: _("Sees queues, workers and figures."),
    Capability.SYSTEM_RUNTIME_MANAGE: _("Retries and removes jobs."),
    Capability.SYSTEM_AUDIT_READ: _("Sees what was done to the installation."),
}


def known(names: Iterable[object]) -> frozenset[Capability]:
    """Return the capabilities of stored names; one that no longer exists opens nothing."""
    values = set(Capability.values)
    return frozenset(Capability(name) for name in names if name in values)


def scopes_of(capabilities: Iterable[Capability]) -> frozenset[str]:
    """Return every "area.action" that the capabilities let pass."""
    return frozenset().union(*(SCOPES[one] for one in capabilities))
