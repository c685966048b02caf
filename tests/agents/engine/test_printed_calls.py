"""Tool calls that a model prints as text."""

from __future__ import annotations

import json

import pytest

from agents.engine.printed_calls import find_printed_calls

CALL = '{"name": "search", "arguments": {"queries": ["a"]}}'


def found(text: str) -> tuple[list[tuple[str, object]], str]:
    printed = find_printed_calls(text, is_known={"search", "read"}.__contains__)
    return [(call.name, json.loads(call.arguments)) for call in printed.calls], printed.text


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{CALL}</tool_call>",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"<tool_call>{CALL}",
        f"<tool_calls>[{CALL}]</tool_calls>",
        f"<function_call>{CALL}</function_call>",
        '<tool_call>{"function": {"name": "search", "arguments": {"queries": ["a"]}}}</tool_call>',
        '<tool_call>{"tool": "search", "parameters": {"queries": ["a"]}}</tool_call>',
        '<tool_call>{"name": "search", "arguments": "{\\"queries\\": [\\"a\\"]}"}</tool_call>',
        '<function=search>{"queries": ["a"]}</function>',
        f"[TOOL_CALLS][{CALL}]",
        '[TOOL_CALLS]search{"queries": ["a"]}',
        f"```json\n{CALL}\n```",
        f"```tool_call\n{CALL}\n```",
        f"```\n[{CALL}]\n```",
        CALL,
    ],
)
def test_all_printed_forms_are_recognised(text: str) -> None:
    calls, rest = found(text)
    assert calls == [("search", {"queries": ["a"]})]
    assert rest == ""


@pytest.mark.parametrize(
    "text",
    [
        "<function=search><parameter=queries>\na\n</parameter></function>",
        "<tool_call><function=search><parameter=queries>a</parameter></function></tool_call>",
        '<invoke name="search"><parameter name="queries">a</parameter></invoke>',
        "<tool_call>search\n<arg_key>queries</arg_key>\n<arg_value>a</arg_value></tool_call>",
    ],
)
def test_parameters_as_tags_become_arguments(text: str) -> None:
    assert found(text)[0] == [("search", {"queries": "a"})]


def test_several_calls_and_the_words_around_them() -> None:
    calls, rest = found(
        f"First.\n<tool_call>{CALL}</tool_call>\n<tool_call>{CALL}</tool_call> Wait."
    )
    assert [name for name, _ in calls] == ["search", "search"]
    assert rest == "First.\n\n Wait."


def test_a_wrapper_counts_even_when_the_tool_does_not_exist() -> None:
    assert found('<tool_call>{"name": "rocket", "arguments": {}}</tool_call>')[0] == [
        ("rocket", {})
    ]


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "rocket", "arguments": {}}\n```',
        '{"name": "search"}',
        "Use `<tool_call>` to call a tool.",
        "```\n<tool_call>{}</tool_call>\n```",
        "<tool_call>nothing that could be read</tool_call>",
        "The function search takes arguments.",
    ],
)
def test_what_only_looks_like_a_call_stays_text(text: str) -> None:
    assert found(text) == ([], text)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "search", "arguments": {"queries": ["a',
        "<function=search><parameter=queries>half a sen",
        '<function=search>{"queries": ["a',
    ],
)
def test_a_cut_call_stays_cut(text: str) -> None:
    printed = find_printed_calls(text, is_known=lambda name: True)
    assert [call.name for call in printed.calls] == ["search"]
    with pytest.raises(ValueError, match="."):
        json.loads(printed.calls[0].arguments)
