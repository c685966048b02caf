"""Which capability opens which route to a key. What is not named here refuses every key.

The entry is (name of the address, method). Several capabilities mean: any of them. What the service
behind the route asks of the permission engine still holds: a capability opens the door, its scopes
say what may be done inside. Add a line with each route; a system check compares both at the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.keys.capabilities import Capability


@dataclass(frozen=True, kw_only=True)
class RoutePolicy:
    """Who may knock."""

    capabilities: frozenset[Capability] = frozenset()
    every_key: bool = False
    """Any valid key, whatever it may do: it asks about itself."""
    without_space: bool = False
    """Works for who is in no space, and for keys of the platform without X-Tenant-ID."""
    public: bool = False
    """For everybody, without a key."""


def opened_by(*capabilities: Capability) -> RoutePolicy:
    """Keys with one of the capabilities, and people by their role."""
    return RoutePolicy(capabilities=frozenset(capabilities))


_READS_BASES = opened_by(
    Capability.RETRIEVE, Capability.CHAT, Capability.INGEST, Capability.MANAGE_KBS
)
_READS_CONTENT = opened_by(Capability.RETRIEVE, Capability.CHAT, Capability.INGEST)
_READS_TALKS = opened_by(Capability.CHAT, Capability.MESSAGE_HISTORY)
_CHATS = opened_by(Capability.CHAT)

ROUTE_POLICIES: Mapping[tuple[str, str], RoutePolicy] = {
    ("auth_me", "GET"): RoutePolicy(every_key=True, without_space=True),
    ("schema", "GET"): RoutePolicy(public=True, without_space=True),
    ("knowledge_bases", "GET"): _READS_BASES,
    ("knowledge_bases", "POST"): opened_by(Capability.MANAGE_KBS),
    ("knowledge_base", "GET"): _READS_BASES,
    ("knowledge_base", "PUT"): opened_by(Capability.MANAGE_KBS),
    ("knowledge_base", "DELETE"): opened_by(Capability.MANAGE_KBS),
    ("base_knowledge", "GET"): _READS_CONTENT,
    ("base_knowledge_file", "POST"): opened_by(Capability.INGEST),
    ("knowledge", "GET"): _READS_CONTENT,
    ("knowledge", "DELETE"): opened_by(Capability.INGEST),
    ("chunks", "GET"): _READS_CONTENT,
    ("knowledge_search", "POST"): opened_by(Capability.RETRIEVE, Capability.CHAT),
    ("agents", "GET"): opened_by(Capability.READ_AGENTS, Capability.CHAT, Capability.MANAGE_AGENTS),
    ("agent", "GET"): opened_by(Capability.READ_AGENTS, Capability.CHAT, Capability.MANAGE_AGENTS),
    ("sessions", "GET"): _READS_TALKS,
    ("sessions", "POST"): _CHATS,
    ("session", "GET"): _READS_TALKS,
    ("session", "PUT"): _CHATS,
    ("session", "DELETE"): _CHATS,
    ("session_stop", "POST"): _CHATS,
    ("agent_chat", "POST"): _CHATS,
    ("knowledge_chat", "POST"): _CHATS,
    ("continue_stream", "GET"): _CHATS,
}


def policy_of_route(name: str, method: str) -> RoutePolicy | None:
    """Return the policy of a route; None refuses."""
    return ROUTE_POLICIES.get((name, "GET" if method == "HEAD" else method))
