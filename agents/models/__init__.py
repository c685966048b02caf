"""Tables of agents, conversations and runs."""

from agents.models.agents import Agent
from agents.models.conversations import Conversation, Message
from agents.models.runs import AgentRun, Approval, MessageBlob, RunEvent, ToolCall

__all__ = [
    "Agent",
    "AgentRun",
    "Approval",
    "Conversation",
    "Message",
    "MessageBlob",
    "RunEvent",
    "ToolCall",
]
