"""Agents can be shared: the kind, the argument by which guests come to one, and what it opens along."""

from __future__ import annotations

from django.db.models import Q

from accounts.constants import SharePermission
from accounts.shares import (
    Along,
    Argument,
    ShareKind,
    register_along,
    register_argument,
    register_kind,
)
from agents.constants import BaseScope
from agents.models import Agent, AgentShare
from agents.sharing.rules import check_sharable

AGENT = ShareKind(
    name="agent",
    row_model=Agent,
    share_model=AgentShare,
    row_field="agent",
    most=SharePermission.VIEWER,
    alive=Q(agent__is_enabled=True),
    url_name="agent_received",
    check=check_sharable,
)
BASES_ALONG = Along(
    by="agent",
    kind="base",
    path="agent__bases",
    # Only bases that it names: "all" would open each that is ever added.
    where=Q(agent__base_scope=BaseScope.SELECTED, agent__bases__deleted_at__isnull=True),
)

register_kind(AGENT)
register_argument(Argument(name="agent_id", kind="agent", lookup="agent"))
register_along(BASES_ALONG)
