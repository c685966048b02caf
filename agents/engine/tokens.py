"""Counting tokens: the service's own figures as base line, increments counted here.

tiktoken's cl100k ranks are used when they lie in `TIKTOKEN_CACHE_DIR`; they are never downloaded.
Without them the count is an estimate.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from providers.contracts.chat import ChatMessage

logger = logging.getLogger(__name__)

# The name under which tiktoken caches cl100k_base: the SHA-1 of its address.
RANKS_FILE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
MESSAGE_OVERHEAD = 3
CONVERSATION_TAIL = 3
IMAGE_TOKENS = 1_000
_SLICE_CHARS = 20_000


class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    def count(self, text: str) -> int:
        """Return the number of tokens, or a good guess."""
        ...


class EstimatedCounter:
    """Guesses: four letters a token, one token for each character of scripts without spaces."""

    def count(self, text: str) -> int:
        """Return about as many tokens as cl100k would give."""
        if not text:
            return 0
        latin = len(text.encode("ascii", "ignore"))
        return max(1, latin // 4 + (len(text) - latin))


class TiktokenCounter:
    """Counts with a byte pair encoder."""

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        self._encode = encode

    def count(self, text: str) -> int:
        """Return the number of tokens; long texts are counted slice by slice."""
        slices = range(0, len(text), _SLICE_CHARS)
        return sum(len(self._encode(text[start : start + _SLICE_CHARS])) for start in slices)


@lru_cache(maxsize=1)
def default_counter() -> TokenCounter:
    """Return the best counter this machine has. Reads a file: call it before the event loop."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", "")
    if not folder or not (Path(folder) / RANKS_FILE).is_file():
        logger.info("tokens are estimated: no %s in TIKTOKEN_CACHE_DIR", RANKS_FILE)
        return EstimatedCounter()
    import tiktoken  # noqa: PLC0415  # heavy, and useless without its ranks

    encoding = tiktoken.get_encoding("cl100k_base")
    return TiktokenCounter(lambda text: encoding.encode(text, disallowed_special=()))


class MessageCounter:
    """Counts messages, each one once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._count_text = lru_cache(maxsize=8192)(counter.count)

    def text(self, text: str) -> int:
        """Return the tokens of a text."""
        return self._count_text(text)

    def message(self, message: ChatMessage) -> int:
        """Return the tokens of a message with its calls and pictures."""
        tokens = MESSAGE_OVERHEAD + self._count_text(message.content)
        if message.reasoning:
            tokens += self._count_text(message.reasoning)
        for call in message.tool_calls:
            tokens += MESSAGE_OVERHEAD + self._count_text(call.name + call.arguments)
        return tokens + IMAGE_TOKENS * len(message.images)

    def messages(self, messages: Sequence[ChatMessage]) -> int:
        """Return the tokens of a conversation."""
        return CONVERSATION_TAIL + sum(self.message(message) for message in messages)
