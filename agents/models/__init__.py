"""Tables of agents, conversations and runs."""

from agents.models.agents import Agent, AgentVersion
from agents.models.approvals import Approval, ApprovalSettings
from agents.models.conversations import Conversation, Message
from agents.models.feedback import AnswerFeedback, UnansweredQuestion
from agents.models.memory import (
    FamiliarDocument,
    MemoryItem,
    MemoryOwner,
    MemorySettings,
    MemoryTombstone,
    MemoryTopic,
    MemoryUse,
)
from agents.models.results import Artifact, StoredResult
from agents.models.runs import AgentRun, MessageBlob, RunEvent, ToolCall
from agents.models.schedules import AgentSchedule
from agents.models.shares import AgentShare, HiddenAgent
from agents.models.spending import Budget, ModelUsage
from agents.models.suggestions import SuggestionEvent, SuggestionSet
from agents.models.verdicts import SentenceVerdict

__all__ = [
    "Agent",
    "AgentRun",
    "AgentSchedule",
    "AgentShare",
    "AgentVersion",
    "AnswerFeedback",
    "Approval",
    "ApprovalSettings",
    "Artifact",
    "Budget",
    "Conversation",
    "FamiliarDocument",
    "HiddenAgent",
    "MemoryItem",
    "MemoryOwner",
    "MemorySettings",
    "MemoryTombstone",
    "MemoryTopic",
    "MemoryUse",
    "Message",
    "MessageBlob",
    "ModelUsage",
    "RunEvent",
    "SentenceVerdict",
    "StoredResult",
    "SuggestionEvent",
    "SuggestionSet",
    "ToolCall",
    "UnansweredQuestion",
]
