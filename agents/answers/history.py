"""Earlier questions and answers of a conversation, as the model reads them."""

from __future__ import annotations

import re

from agents.constants import MessageRole
from agents.models import AgentRun, Message
from providers.contracts.chat import ChatMessage

_MARKER = re.compile(r"\s?\[\d{1,3}\](?![(\[:])")


def history_of(run: AgentRun, *, turns: int) -> list[ChatMessage]:
    """Return up to `turns` question-answer pairs before the run's question, oldest first.

    Markers of citations are left out: they count anew in each answer, and an old [1] would be
    taken for a new one. A question that was never answered is left out with its silence.
    """
    if turns <= 0:
        return []
    rows = Message.objects.filter(
        conversation_id=run.conversation_id, position__lt=run.question.position
    ).order_by("-position")[: 2 * turns + 2]
    pairs: list[tuple[str, str]] = []
    answer = ""
    for message in rows:
        if message.role == MessageRole.ASSISTANT:
            answer = message.text
        elif answer:
            pairs.append((message.text, answer))
            answer = ""
    history: list[ChatMessage] = []
    for question, answered in reversed(pairs[:turns]):
        history.append(ChatMessage(role="user", content=question))
        history.append(ChatMessage(role="assistant", content=_MARKER.sub("", answered)))
    return history
