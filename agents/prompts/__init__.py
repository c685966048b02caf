"""The agents' prompt files and the way to them."""

from __future__ import annotations

from pathlib import Path

from agents.engine.texts import EnginePrompts
from core.prompts import Prompt, load_prompt

FOLDER = Path(__file__).parent


def agent_prompt(name: str) -> Prompt:
    """Return the prompt of a file beside this module, by its name without ending.

    Raises:
        PromptMistake: there is no such prompt.
    """
    return load_prompt(FOLDER / f"{name}.md")


def engine_prompts() -> EnginePrompts:
    """Return what the engine itself needs to tell the model."""
    return EnginePrompts(
        synthesis=agent_prompt("synthesis").render(),
        summary=agent_prompt("summary").render(),
        summary_update=agent_prompt("summary_update").render(),
    )
