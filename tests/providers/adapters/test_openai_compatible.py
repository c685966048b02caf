"""Chat through the openai library: recorded streams with odd cuts, and what goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import given, settings, strategies as st

from providers.adapters.endpoint import Endpoint
from providers.adapters.openai_compatible import ChatStyle, OpenAIChatModel
from providers.adapters.transport import loopback_async_client
from providers.contracts.chat import (
    ChatChunk,
    ChatMessage,
    ChatOptions,
    ImagePart,
    ToolCall,
    ToolCallDelta,
    ToolSpec,
    Usage,
)
from providers.contracts.errors import ModelError
from tests.providers.local_server import LocalServer
from tests.providers.vendor import Answer, Vendor, chunk, running_vendor, sse, stream

KEY = "sk-very-secret-0123456789"
QUESTION = [ChatMessage(role="user", content="Hi")]
SEARCH = ToolSpec(
    name="knowledge_search",
    description="Search.",
    parameters={"type": "object", "properties": {"queries": {"type": "array"}}},
)
EVENTS = sse(
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning_content": "Überlegen… 考える"}),
    chunk({"content": "Héllo 知识 👩‍🚀"}),
    chunk({"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "knowledge_search"}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"queries": ["知'}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '识"]}'}}]}),
    chunk(finish="tool_calls"),
    {
        **chunk(),
        "choices": [],
        "usage": {
            "prompt_tokens": 12,
            "completion_tokens": 7,
            "total_tokens": 19,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 3},
        },
    },
)
EXPECTED = [
    ChatChunk(reasoning="Überlegen… 考える"),
    ChatChunk(text="Héllo 知识 👩‍🚀"),
    ChatChunk(tool_call=ToolCallDelta(index=0, call_id="call_1", name="knowledge_search")),
    ChatChunk(tool_call=ToolCallDelta(index=0, arguments='{"queries": ["知')),
    ChatChunk(tool_call=ToolCallDelta(index=0, arguments='识"]}')),
    ChatChunk(finish_reason="tool_calls"),
    ChatChunk(usage=Usage(input_tokens=12, output_tokens=7, cached_tokens=4, reasoning_tokens=3)),
]

PLAIN = ChatStyle()


def model_at(url: str, *, style: ChatStyle = PLAIN, **fields: Any) -> OpenAIChatModel:
    endpoint = Endpoint(base_url=url, model_id="m", api_key=KEY, **fields)
    return OpenAIChatModel(endpoint, name="Model", http=loopback_async_client, style=style)


async def collect(
    model: OpenAIChatModel, messages: Sequence[ChatMessage] = QUESTION, **arguments: Any
) -> list[ChatChunk]:
    return [chunk async for chunk in model.stream(messages, **arguments)]


async def failure_of(model: OpenAIChatModel, **arguments: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await collect(model, **arguments)
    return caught.value


async def test_stream_becomes_reasoning_text_tool_calls_finish_and_usage(vendor: Vendor) -> None:
    vendor.will(stream(EVENTS))
    assert await collect(model_at(vendor.url), tools=[SEARCH]) == EXPECTED


@settings(max_examples=25, deadline=None, derandomize=True)
@given(cuts=st.lists(st.integers(min_value=1, max_value=len(EVENTS) - 1), max_size=40))
async def test_any_cut_of_the_bytes_gives_the_same_chunks(cuts: list[int]) -> None:
    with running_vendor() as vendor:
        vendor.will(stream(EVENTS, cuts=cuts))
        assert await collect(model_at(vendor.url), tools=[SEARCH]) == EXPECTED


async def test_single_bytes_give_the_same_chunks(vendor: Vendor) -> None:
    vendor.will(stream(EVENTS, cuts=range(len(EVENTS))))
    assert await collect(model_at(vendor.url), tools=[SEARCH]) == EXPECTED


async def test_reasoning_under_its_other_name_is_read(vendor: Vendor) -> None:
    vendor.will(stream(sse(chunk({"reasoning": "hm"}), chunk(finish="stop"))))
    assert await collect(model_at(vendor.url)) == [
        ChatChunk(reasoning="hm"),
        ChatChunk(finish_reason="stop"),
    ]


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("eos", "other"),
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("STOP", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("sensitive", "content_filter"),
    ],
)
async def test_finish_reasons_are_translated(vendor: Vendor, said: str, understood: str) -> None:
    vendor.will(stream(sse(chunk({"content": "x"}), chunk(finish=said))))
    assert (await collect(model_at(vendor.url)))[-1].finish_reason == understood


async def test_request_carries_key_headers_options_and_tools(vendor: Vendor) -> None:
    vendor.will(stream(EVENTS))
    style = ChatStyle(
        temperature=0.3,
        max_output_tokens=50,
        output_limit_field="max_completion_tokens",
        thinking="enable_thinking",
    )
    model = model_at(vendor.url, style=style, headers={"X-Team": "blue"})
    await collect(
        model, tools=[SEARCH], options=ChatOptions(thinking=False, tool_choice="required")
    )
    seen = vendor.seen[0]
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["x-team"] == "blue"
    assert {name: value for name, value in seen.body.items() if name != "messages"} == {
        "model": "m",
        "stream": True,
        "enable_thinking": False,
        "max_completion_tokens": 50,
        "temperature": 0.3,
        "stream_options": {"include_usage": True},
        "tools": [{"type": "function", "function": SEARCH.model_dump()}],
        "tool_choice": "required",
    }


async def test_nothing_of_the_environment_is_sent(
    vendor: Vendor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody-else")
    vendor.will(stream(EVENTS))
    endpoint = Endpoint(base_url=vendor.url, model_id="m")
    await collect(OpenAIChatModel(endpoint, name="M", http=loopback_async_client))
    assert "somebody-else" not in str(vendor.seen[0].headers)


async def test_a_whole_conversation_is_written_in_the_wire_form(vendor: Vendor) -> None:
    vendor.will(stream(EVENTS))
    image = ImagePart(media_type="image/png", data_base64="QUJD")
    call = ToolCall(call_id="c1", name="knowledge_search", arguments='{"queries":["a"]}')
    conversation = [
        ChatMessage(role="system", content="Be kind."),
        ChatMessage(role="user", content="Look \ud800", images=(image,)),
        ChatMessage(role="assistant", reasoning="hm", tool_calls=(call,)),
        ChatMessage(role="tool", content="found", call_id="c1"),
    ]
    await collect(model_at(vendor.url, style=ChatStyle(return_reasoning=True)), conversation)
    assert vendor.seen[0].body["messages"] == [
        {"role": "system", "content": "Be kind."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Look ?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "hm",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "knowledge_search", "arguments": '{"queries":["a"]}'},
                }
            ],
        },
        {"role": "tool", "content": "found", "tool_call_id": "c1"},
    ]


async def test_azure_uses_deployment_api_version_and_its_own_key_header(vendor: Vendor) -> None:
    vendor.will(stream(EVENTS))
    address = vendor.url.removesuffix("/v1")
    await collect(model_at(address, azure_api_version="2024-10-21"))
    seen = vendor.seen[0]
    assert seen.path == "/openai/deployments/m/chat/completions?api-version=2024-10-21"
    assert seen.headers["api-key"] == KEY


async def test_nothing_blocks_the_event_loop(vendor: Vendor) -> None:
    vendor.will(stream(EVENTS))
    model = model_at(vendor.url)
    with blockbuster_ctx():
        assert await collect(model) == EXPECTED


async def test_a_broken_off_answer_is_a_failure_to_retry(vendor: Vendor) -> None:
    vendor.will(stream(sse(chunk({"content": "half"}), done=False), cut=True))
    error = await failure_of(model_at(vendor.url))
    assert (error.kind, error.retry) == ("server", True)


async def test_an_answer_without_finish_reason_is_a_failure(vendor: Vendor) -> None:
    vendor.will(stream(sse(chunk({"content": "half"}), done=False)))
    error = await failure_of(model_at(vendor.url))
    assert error.kind == "server"
    assert "broke off" in error.provider_message


async def test_silence_ends_with_the_time_limit(vendor: Vendor) -> None:
    vendor.will(stream(sse(chunk({"content": "a"}), done=False), hang=True))
    error = await failure_of(model_at(vendor.url), options=ChatOptions(timeout_seconds=0.3))
    assert (error.kind, error.retry) == ("timeout", True)


async def test_a_reader_that_stops_hangs_up(vendor: Vendor) -> None:
    vendor.will(stream(sse(chunk({"content": "a"}), done=False), hang=True))
    reading = model_at(vendor.url).stream(QUESTION)
    assert (await anext(reading)).text == "a"
    await reading.aclose()  # type: ignore[attr-defined]  # the contract promises an iterator only
    assert vendor.hung_up.wait(5)


async def test_no_json_is_a_bad_response(vendor: Vendor) -> None:
    vendor.will(stream(b"data: {oops\n\n"))
    error = await failure_of(model_at(vendor.url))
    assert (error.kind, error.retry) == ("bad_response", False)


async def test_an_error_inside_of_the_stream_is_understood(vendor: Vendor) -> None:
    body = {"error": {"message": "Rate limit reached", "type": "rate_limit_error", "code": "429"}}
    vendor.will(stream(sse(body)))
    error = await failure_of(model_at(vendor.url))
    assert (error.kind, error.provider_message) == ("rate_limited", "Rate limit reached")


async def test_a_redirect_is_refused_so_that_the_key_does_not_travel(vendor: Vendor) -> None:
    target = f"{vendor.url}/elsewhere"
    vendor.will(Answer(pieces=[], status=307, headers={"Location": target}))
    error = await failure_of(model_at(vendor.url))
    assert error.kind == "bad_response"
    assert target in error.provider_message
    assert len(vendor.seen) == 1


async def test_nobody_at_the_address_is_unreachable() -> None:
    error = await failure_of(model_at("http://127.0.0.1:9/v1"))
    assert (error.kind, error.retry) == ("unreachable", True)


async def test_the_built_in_answerer_calls_the_search_tool(local_server: LocalServer) -> None:
    endpoint = Endpoint(base_url=local_server.url, model_id="extractive", api_key=local_server.key)
    model = OpenAIChatModel(endpoint, name="Built in", http=loopback_async_client)
    chunks = await collect(
        model, [ChatMessage(role="user", content="Who wrote Faust?")], tools=[SEARCH]
    )
    calls = [chunk.tool_call for chunk in chunks if chunk.tool_call]
    assert calls[0].name == "knowledge_search"
    assert "".join(call.arguments for call in calls) == '{"queries": ["Who wrote Faust?"]}'
    assert [c.finish_reason for c in chunks if c.finish_reason] == ["tool_calls"]
