"""What a question in a conversation means: asked anew so that it stands alone, and what it is about.

One call of a small model, bounded, that answers with JSON. Whatever goes wrong (no model, no time, an
answer that cannot be read), the question is searched as it was asked.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.sax.saxutils import escape

import json_repair
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.configuration import AgentConfig
from agents.engine.events import UsageReported
from agents.engine.tokens import default_counter
from agents.prompts import agent_prompt
from core.errors import ProjectError
from providers.contracts.chat import ChatMessage, ChatModel, ChatOptions, Usage
from providers.contracts.errors import ModelError

logger = logging.getLogger(__name__)
Intent = Literal[
    "kb_search",
    "web_search",
    "greeting",
    "chitchat",
    "follow_up",
    "image_only",
    "doc_only",
    "summarize",
    "clarification",
]
WITHOUT_SEARCH: Final = frozenset({"greeting", "chitchat", "clarification"})
"""Intents that need no passages."""
FROM_HISTORY: Final = frozenset({"follow_up", "summarize"})
"""Intents that are answered from earlier turns, where there are some."""
MOST_SECONDS = 8.0
MOST_OUTPUT_TOKENS = 400
HISTORY_MESSAGES = 6
HISTORY_CHARACTERS = 1500
QUESTION_CHARACTERS = 4000


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)

    rewrite_query: str = Field(default="", max_length=2000)
    intent: Intent = "kb_search"
    image_description: str = Field(default="", max_length=2000)


@dataclass(frozen=True, kw_only=True)
class Understanding:
    """What the question means."""

    query: str
    """To search for; the question itself when nothing better is known."""
    intent: Intent = "kb_search"
    image_description: str = ""
    problem: str = ""
    """Why it is the question itself, for people."""
    usage: UsageReported | None = None

    def searches(self, *, has_history: bool, has_documents: bool) -> bool:
        """Say whether passages are needed; a question that names documents is always searched.

        There are no attachments to answer from alone, so `image_only` and `doc_only` are searched.
        """
        if has_documents:
            return True
        if self.intent in FROM_HISTORY:
            return not has_history
        return self.intent not in WITHOUT_SEARCH


async def understand(
    model: ChatModel, *, question: str, history: Sequence[ChatMessage], config: AgentConfig
) -> Understanding:
    """Ask the model what the question means; at most eight seconds."""
    instructions = config.rewrite_prompt_system.strip() or agent_prompt("understanding").render()
    messages = (
        ChatMessage(role="system", content=instructions),
        ChatMessage(role="user", content=_material(question, history, config)),
    )
    options = ChatOptions(
        temperature=0.1,
        max_output_tokens=MOST_OUTPUT_TOKENS,
        thinking=False,
        timeout_seconds=MOST_SECONDS,
        tool_choice="none",
    )
    begun = time.monotonic()
    try:
        async with asyncio.timeout(MOST_SECONDS):
            text, usage = await _collect(model, messages, options)
    except TimeoutError:
        return Understanding(query=question, problem="The model took too long.")
    except (ModelError, ProjectError) as error:
        logger.info("A question could not be rewritten: %s", error)
        return Understanding(query=question, problem=error.message)
    reported = _reported(model, messages, text, usage, begun)
    return read_reply(text, question=question, usage=reported)


def read_reply(text: str, *, question: str, usage: UsageReported | None = None) -> Understanding:
    """Return what the model's text says; a text of another form stands for the question itself."""
    begin = text.find("{")
    problem = "The model's answer could not be read."
    if begin < 0:
        return Understanding(query=question, problem=problem, usage=usage)
    try:
        reply = _Reply.model_validate(json_repair.loads(text[begin:].rsplit("```", 1)[0]))
    except (ValidationError, ValueError, RecursionError):
        return Understanding(query=question, problem=problem, usage=usage)
    return Understanding(
        query=" ".join(reply.rewrite_query.split()) or question,
        intent=reply.intent,
        image_description=reply.image_description,
        usage=usage,
    )


async def _collect(
    model: ChatModel, messages: Sequence[ChatMessage], options: ChatOptions
) -> tuple[str, Usage | None]:
    pieces: list[str] = []
    usage: Usage | None = None
    async for chunk in model.stream(messages, options=options):
        pieces.append(chunk.text)
        usage = chunk.usage or usage
    return "".join(pieces), usage


def _reported(
    model: ChatModel,
    messages: Sequence[ChatMessage],
    text: str,
    usage: Usage | None,
    begun: float,
) -> UsageReported:
    counter = default_counter()
    estimated = Usage(
        input_tokens=sum(counter.count(each.content) for each in messages),
        output_tokens=counter.count(text),
    )
    return UsageReported(
        round=0,
        purpose="understanding",
        model=model.name,
        usage=usage or estimated,
        estimated=usage is None,
        duration_ms=round((time.monotonic() - begun) * 1000),
    )


def _material(question: str, history: Sequence[ChatMessage], config: AgentConfig) -> str:
    lines = ["<conversation>"]
    for each in [one for one in history if one.content][-HISTORY_MESSAGES:]:
        said = escape(each.content[:HISTORY_CHARACTERS])
        lines.append(f"<{each.role}>{said}</{each.role}>")
    lines += ["</conversation>", f"<question>{escape(question[:QUESTION_CHARACTERS])}</question>"]
    wishes = config.rewrite_prompt_user.strip()
    return "\n".join([*lines, wishes] if wishes else lines)
