"""What the engine asks of a chat model. Pure Python."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

FinishReason = Literal["stop", "tool_calls", "length", "content_filter", "other"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(_Value):
    """A tool the model wants to be called."""

    call_id: str
    name: str
    arguments: str = "{}"
    """JSON text as the model wrote it; not repaired, not validated."""


class ImagePart(_Value):
    """A picture inside of a message."""

    media_type: str
    data_base64: str


class ChatMessage(_Value):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    """For role "tool": which call this answers."""
    images: tuple[ImagePart, ...] = ()


class ToolSpec(_Value):
    """A tool as the model sees it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of an object."""


class ToolCallDelta(_Value):
    """A piece of a tool call; pieces with the same `index` belong together."""

    index: int
    call_id: str = ""
    name: str = ""
    arguments: str = ""


class Usage(_Value):
    """Tokens of one call."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0


class ChatChunk(_Value):
    """A piece of an answer. Usually one field is set; usage and finish reason come last."""

    text: str = ""
    reasoning: str = ""
    tool_call: ToolCallDelta | None = None
    usage: Usage | None = None
    finish_reason: FinishReason | None = None


class ChatOptions(_Value):
    """How one call is made."""

    temperature: float | None = None
    max_output_tokens: int | None = None
    thinking: bool | None = None
    """True or False asks for or against a reasoning phase; None leaves the model's default."""
    timeout_seconds: float = Field(default=120.0, gt=0)
    """Limit from the request to the last byte."""
    tool_choice: Literal["auto", "none", "required"] = "auto"
    metadata: dict[str, str] = Field(default_factory=dict)
    """Opaque labels (run, round) for logs; never sent to the vendor."""


DEFAULT_CHAT_OPTIONS = ChatOptions()


class ChatModel(Protocol):
    """A model that answers in a stream."""

    @property
    def name(self) -> str:
        """The model's name as shown to people."""
        ...

    @property
    def context_tokens(self) -> int:
        """Size of the context window, tokens."""
        ...

    def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = DEFAULT_CHAT_OPTIONS,
    ) -> AsyncIterator[ChatChunk]:
        """Yield the answer as it is made.

        Raises:
            ModelError: the call failed; it says what kind and whether a retry may help.
        """
        ...
