"""Chat over every address that speaks OpenAI's protocol, through the openai library.

The library's own retries are off: the engine and the queues retry, and they count.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import httpx2
import openai

from providers.adapters.chat_messages import to_wire_messages, to_wire_tools
from providers.adapters.endpoint import AsyncClientFactory, Endpoint
from providers.adapters.failures import failure, to_model_error
from providers.adapters.thinking import ThinkingStyle, thinking_fields
from providers.contracts.chat import (
    DEFAULT_CHAT_OPTIONS,
    ChatChunk,
    ChatMessage,
    ChatOptions,
    FinishReason,
    ToolCallDelta,
    ToolSpec,
    Usage,
)

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
    # Gateways hand other vendors' words through: Anthropic's, Gemini's, those of Chinese services.
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
}
_NO_KEY = "no-key"


@dataclass(frozen=True, kw_only=True)
class ChatStyle:
    """The habits of one chat model."""

    context_tokens: int = 32_768
    max_output_tokens: int | None = None
    temperature: float | None = None
    output_limit_field: str = "max_tokens"
    """OpenAI's newer models only take max_completion_tokens."""
    thinking: ThinkingStyle = "none"
    thinking_effort: str = "medium"
    return_reasoning: bool = False
    """Send earlier reasoning back."""
    stream_usage: bool = True
    """Ask for the tokens used; some servers reject the question."""


class OpenAIChatModel:
    """A `ChatModel` behind an OpenAI-compatible or Azure address."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str,
        http: AsyncClientFactory,
        style: ChatStyle = ChatStyle(),
    ) -> None:
        self._endpoint = endpoint
        self._name = name
        self._http = http
        self._style = style

    @property
    def name(self) -> str:
        """The model's name as shown to people."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """Size of the context window, tokens."""
        return self._style.context_tokens

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = DEFAULT_CHAT_OPTIONS,
    ) -> AsyncIterator[ChatChunk]:
        """Yield the answer as it is made; the connection ends with the iteration.

        Raises:
            ModelError: the call failed, took too long, or its answer broke off.
        """
        # A client a call: connections belong to the event loop that made them, and a worker's
        # threads each have their own.
        async with self._http(options.timeout_seconds) as http:
            body = self._body(messages, tools, options)
            chunks = self._chunks(open_client(self._endpoint, http), body, options.timeout_seconds)
            async for chunk in chunks:
                yield chunk

    async def _chunks(
        self, client: openai.AsyncOpenAI, body: dict[str, Any], timeout_seconds: float
    ) -> AsyncIterator[ChatChunk]:
        deadline = asyncio.get_running_loop().time() + timeout_seconds
        finished = False
        source: Any = None
        try:
            while True:
                broken: Exception | None = None
                event: Any = None
                try:
                    # Never around a yield: the time-out would strike in the consumer's code.
                    async with asyncio.timeout_at(deadline):
                        if source is None:
                            source = await client.chat.completions.create(**body)
                        event = await anext(source, None)
                except Exception as error:  # noqa: BLE001 -- whatever it is becomes a ModelError
                    broken = error
                if broken is not None:
                    # Outside of the handler: a chained exception would carry request and key.
                    raise to_model_error(broken, self._endpoint)
                if event is None:
                    break
                for chunk in read_event(event):
                    finished = finished or chunk.finish_reason is not None
                    yield chunk
        finally:
            if source is not None:
                await source.close()
        if not finished:
            raise failure("server", self._endpoint, words="the answer broke off before its end")

    def _body(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], options: ChatOptions
    ) -> dict[str, Any]:
        style = self._style
        extra = thinking_fields(
            style.thinking, wanted=options.thinking, effort=style.thinking_effort
        )
        limit = options.max_output_tokens or style.max_output_tokens
        temperature = options.temperature if options.temperature is not None else style.temperature
        if limit:
            extra[style.output_limit_field] = limit
        if temperature is not None:
            extra["temperature"] = temperature
        if style.stream_usage:
            extra["stream_options"] = {"include_usage": True}
        if tools:
            extra["tools"] = to_wire_tools(tools)
            if options.tool_choice != "auto":
                extra["tool_choice"] = options.tool_choice
        return {
            "model": self._endpoint.model_id,
            "messages": to_wire_messages(messages, with_reasoning=style.return_reasoning),
            "stream": True,
            # As extra_body, so that the library passes on fields it does not know.
            "extra_body": extra,
        }


def open_client(endpoint: Endpoint, http: Any) -> openai.AsyncOpenAI:
    """Return the library's client for an endpoint, with nothing from the environment."""
    shared: dict[str, Any] = {
        "api_key": endpoint.api_key or _NO_KEY,
        "max_retries": 0,
        "timeout": endpoint.timeout_seconds,
        "default_headers": dict(endpoint.headers),
        # The library takes httpx clients, too; its types only name httpx2.
        "http_client": cast("httpx2.AsyncClient", http),
    }
    client: openai.AsyncOpenAI
    if endpoint.azure_api_version:
        client = openai.AsyncAzureOpenAI(
            azure_endpoint=endpoint.base_url,
            azure_deployment=endpoint.model_id,
            api_version=endpoint.azure_api_version,
            **shared,
        )
    else:
        client = openai.AsyncOpenAI(base_url=endpoint.base_url, **shared)
    client.organization = client.project = None
    return client


def read_event(event: Any) -> list[ChatChunk]:
    """Return what one event of the stream says, in our words."""
    chunks: list[ChatChunk] = []
    for choice in (event.choices or [])[:1]:
        chunks.extend(_delta(choice.delta))
        if choice.finish_reason:
            chunks.append(ChatChunk(finish_reason=_finish(choice.finish_reason)))
    if event.usage is not None:
        chunks.append(ChatChunk(usage=read_usage(event.usage)))
    return chunks


def read_usage(usage: Any) -> Usage:
    """Return the tokens of a call; services leave parts out or give null."""
    prompt = getattr(usage, "prompt_tokens_details", None)
    completion = getattr(usage, "completion_tokens_details", None)
    return Usage(
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
        cached_tokens=getattr(prompt, "cached_tokens", None) or 0,
        reasoning_tokens=getattr(completion, "reasoning_tokens", None) or 0,
    )


def _delta(delta: Any) -> list[ChatChunk]:
    if delta is None:
        return []
    chunks: list[ChatChunk] = []
    # DeepSeek, Qwen and vLLM say reasoning_content; OpenRouter, Ollama and newer vLLM reasoning.
    reasoning = getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
    if isinstance(reasoning, str) and reasoning:
        chunks.append(ChatChunk(reasoning=reasoning))
    if delta.content:
        chunks.append(ChatChunk(text=delta.content))
    for position, call in enumerate(delta.tool_calls or []):
        function = call.function
        piece = ToolCallDelta(
            index=call.index if call.index is not None else position,
            call_id=call.id or "",
            name=(function.name if function else None) or "",
            arguments=(function.arguments if function else None) or "",
        )
        chunks.append(ChatChunk(tool_call=piece))
    return chunks


def _finish(reason: str) -> FinishReason:
    return _FINISH.get(reason.lower(), "other")
