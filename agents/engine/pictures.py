"""Pictures in tool results: the model is asked to keep those that belong to the answer."""

from __future__ import annotations

import re

from providers.contracts.chat import ChatMessage

REQUIREMENT = """

# Pictures in the results

Some results hold pictures, written as ![description](address). When such a picture shows what the \
answer speaks about, put it into the answer, beside the sentence it belongs to, copied exactly with \
its description and address. Leave out pictures that have nothing to do with the question, repeat \
none, and never make up an address."""

_PICTURE = re.compile(r"!\[[^\]\n]{0,500}\]\(\s*<?[^\s()<>]+")


def holds_picture(text: str) -> bool:
    """Whether there is a Markdown picture in the text."""
    return "![" in text and _PICTURE.search(text) is not None


def ask_for_pictures(messages: list[ChatMessage]) -> list[ChatMessage]:
    """Return the messages with the requirement once behind the system prompt."""
    if not messages or messages[0].role != "system":
        return [ChatMessage(role="system", content=REQUIREMENT.strip()), *messages]
    system = messages[0]
    asked = system.model_copy(update={"content": system.content + REQUIREMENT})
    return [asked, *messages[1:]]
