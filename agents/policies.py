"""Who may do what to agents, conversations and runs."""

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, PersonalPolicy, RolePolicy, register
from accounts.constants import Role
from agents.models import Agent, AgentRun, Conversation, Message


class AgentPolicy(RolePolicy):
    """Everybody asks agents; contributors make and own them; admins change all, built-ins too."""

    area = "agents"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "use": Role.VIEWER,
        "create": Role.CONTRIBUTOR,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "share": Role.ADMIN,
    }
    owner_field = "created_by"
    owner_actions = frozenset({"change", "delete", "share"})


class ConversationPolicy(PersonalPolicy):
    """A conversation is its person's alone."""

    area = "conversations"


class MessagePolicy(InheritedPolicy):
    """A message is as open as its conversation."""

    area = "messages"
    parent_field = "conversation"
    parent_model = Conversation


class RunPolicy(InheritedPolicy):
    """A run is as open as its conversation."""

    area = "runs"
    parent_field = "conversation"
    parent_model = Conversation


register(Agent, AgentPolicy())
register(Conversation, ConversationPolicy())
register(Message, MessagePolicy())
register(AgentRun, RunPolicy())
