"""What a quick answer's model reads beside the question: passages in their frame, or what to say else."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from agents.answers.understanding import Intent
from agents.configuration import AgentConfig
from agents.engine.aliases import Aliases
from agents.prompts import agent_prompt
from agents.runs.prompting import context_prompt
from agents.tools.knowledge import retrieval_notes
from agents.tools.passages import Passage, write_passages

NO_PASSAGES = "The knowledge bases hold nothing about this question. Say so."


def passages_context(
    config: AgentConfig,
    aliases: Aliases,
    passages: Sequence[Passage],
    *,
    question: str,
    confident: bool | None,
) -> str:
    """Return the passages in the agent's own frame, or what the model is told without any."""
    if not passages:
        return config.fallback_prompt.strip() or NO_PASSAGES
    written = "\n\n".join([*retrieval_notes([confident]), write_passages(passages, aliases)])
    return context_prompt(config, question=question, passages=written, now=timezone.now())


def intent_context(config: AgentConfig, intent: Intent) -> str:
    """Return what the model is told for an intent that needs no passages."""
    return (
        config.intent_prompts.get(intent, "").strip() or agent_prompt(f"intent_{intent}").render()
    )
