"""The prompt files of this app and the way to them."""

from __future__ import annotations

from pathlib import Path

from core.prompts import Prompt, load_prompt

FOLDER = Path(__file__).parent


def wiki_prompt(name: str) -> Prompt:
    """Return the prompt of a file beside this module, by its name without ending.

    Raises:
        PromptMistake: there is no such prompt.
    """
    return load_prompt(FOLDER / f"{name}.md")
