"""Tells the windows of a conversation that suggestions are there; each reads them for its person."""

from __future__ import annotations

from uuid import UUID

from agents.runs.publish import publish


def publish_suggestions(conversation_id: UUID, run_id: UUID) -> None:
    """Let every window of the conversation show the suggestions behind the run's answer."""
    publish(conversation_id, {"type": "suggestions.ready", "run_id": str(run_id)})
