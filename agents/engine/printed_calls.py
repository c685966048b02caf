"""Tool calls that a model prints as text instead of making them.

Two strengths of evidence. A **wrapper** (`<tool_call>…`, `<function=…>`, `<invoke name=…>`,
`[TOOL_CALLS]…`) is a call even when no such tool exists: the model is then told so. **Plain JSON**
(in a fence, or the whole text) counts only when it names an existing tool and has arguments,
because an answer may well be JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from agents.engine.markdown import CodeTracker

WRAPPER_STARTS = (
    "<tool_call",
    "<function=",
    "<function_call",
    "<invoke name=",
    "[TOOL_CALLS]",
)

_WRAPPER = re.compile(
    r"<(?P<tag>tool_calls?|function_calls?)>(?P<inner>.*?)(?:</(?P=tag)>|\Z)"
    r"|(?P<function><function=.*?(?:</function>|\Z))"
    r"|(?P<invoke><invoke name=.*?(?:</invoke>|\Z))"
    r"|\[TOOL_CALLS\](?P<mistral>.*)\Z",
    re.DOTALL,
)
_FUNCTION = re.compile(r"<function=(?P<name>[^>\s]+)\s*>(?P<body>.*?)(?P<end></function>|\Z)", re.S)
_INVOKE = re.compile(
    r"<invoke name=[\"']?(?P<name>[^\"'>]+)[\"']?\s*>(?P<body>.*?)(?P<end></invoke>|\Z)", re.S
)
_PARAMETER = re.compile(
    r"<parameter(?:=|\s+name=)[\"']?(?P<key>[^\"'>]+)[\"']?\s*>(?P<value>.*?)"
    r"(?P<end></parameter>|\Z)",
    re.S,
)
_PAIR = re.compile(
    r"<arg_key>(?P<key>.*?)</arg_key>\s*<arg_value>(?P<value>.*?)(?P<end></arg_value>|\Z)", re.S
)
_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n(?P<body>.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.S | re.M)
_NAME = re.compile(r"[\"'](?:name|tool_name|tool|function)[\"']\s*:\s*[\"'](?P<name>[^\"']+)[\"']")
_ARGUMENTS = re.compile(
    r"[\"'](?:arguments|parameters|params|args|input|tool_input)[\"']\s*:\s*(?P<rest>.*)", re.S
)
_NAMED_JSON = re.compile(r"\s*(?P<name>[\w.-]+)\s*(?P<json>\{.*)", re.S)
_NAME_KEYS = ("name", "tool_name", "tool")
_ARGUMENT_KEYS = ("arguments", "parameters", "params", "args", "input", "tool_input")


@dataclass(frozen=True, kw_only=True)
class PrintedCall:
    """A call as it was printed."""

    name: str
    arguments: str
    """JSON text; left open at its end when the print was cut off."""


@dataclass(frozen=True, kw_only=True)
class PrintedCalls:
    """What a text held besides words."""

    calls: tuple[PrintedCall, ...]
    text: str
    """The words around the calls."""


def find_printed_calls(text: str, *, is_known: Callable[[str], bool]) -> PrintedCalls:
    """Return the calls printed in the text and the text without them."""
    calls, rest = _wrapped(text)
    if not calls:
        calls, rest = _fenced(text, is_known)
    if not calls:
        calls, rest = _known_in_json(text, is_known), ""
    if not calls:
        return PrintedCalls(calls=(), text=text)
    return PrintedCalls(calls=tuple(calls), text=rest.strip())


def wrapper_start(text: str, code: CodeTracker) -> int | None:
    """Return where a wrapper begins outside of code; `code` is moved on up to there."""
    position = 0
    while position < len(text):
        starts = [text.find(mark, position) for mark in WRAPPER_STARTS]
        found = min((start for start in starts if start >= 0), default=None)
        code.feed(text[position : len(text) if found is None else found])
        if found is None:
            return None
        if not code.in_code_at(text[found]):
            return found
        code.feed(text[found])
        position = found + 1
    return None


def _wrapped(text: str) -> tuple[list[PrintedCall], str]:
    start = wrapper_start(text, CodeTracker())
    if start is None:
        return [], text
    calls: list[PrintedCall] = []
    rest = text[:start]
    position = start
    for match in _WRAPPER.finditer(text, start):
        found = _inside_wrapper(match)
        if found:
            calls += found
            rest += text[position : match.start()]
            position = match.end()
    return calls, rest + text[position:]


def _inside_wrapper(match: re.Match[str]) -> list[PrintedCall]:
    inner = match["inner"] or match["function"] or match["invoke"] or match["mistral"] or ""
    tagged = [_tagged(each) for form in (_FUNCTION, _INVOKE) for each in form.finditer(inner)]
    if tagged:
        return tagged
    if "<arg_key>" in inner:
        name = inner.split("<arg_key>", 1)[0].strip()
        return (
            [_from_pairs(name, _PAIR, inner, closed="</arg_value>" in inner[-40:])] if name else []
        )
    return _from_json(inner)


def _tagged(match: re.Match[str]) -> PrintedCall:
    body = match["body"].strip()
    if body.startswith("{"):
        return PrintedCall(name=match["name"].strip(), arguments=body)
    return _from_pairs(match["name"].strip(), _PARAMETER, body, closed=bool(match["end"]))


def _from_pairs(name: str, form: re.Pattern[str], body: str, *, closed: bool) -> PrintedCall:
    pairs = list(form.finditer(body))
    arguments = json.dumps(
        {pair["key"].strip(): pair["value"].strip("\n") for pair in pairs}, ensure_ascii=False
    )
    whole = closed and all(pair["end"] for pair in pairs)
    # Left open on purpose: execution recognises a cut call by its unfinished JSON.
    return PrintedCall(name=name, arguments=arguments if whole else arguments[:-1])


def _from_json(text: str) -> list[PrintedCall]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _from_broken_json(text)
    calls = [_from_object(each) for each in (value if isinstance(value, list) else [value])]
    return [call for call in calls if call is not None]


def _from_object(value: object) -> PrintedCall | None:
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if isinstance(inner, dict):
        return _from_object(inner)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), inner)
    if not isinstance(name, str) or not name.strip():
        return None
    arguments: object = next((value[key] for key in _ARGUMENT_KEYS if key in value), {})
    shown = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return PrintedCall(name=name.strip(), arguments=shown)


def _from_broken_json(text: str) -> list[PrintedCall]:
    named = _NAMED_JSON.fullmatch(text)
    if named:
        return [PrintedCall(name=named["name"], arguments=named["json"].strip())]
    name, arguments = _NAME.search(text), _ARGUMENTS.search(text)
    if name is None:
        return []
    rest = arguments["rest"].strip() if arguments else "{"
    return [PrintedCall(name=name["name"], arguments=rest)]


def _known_in_json(text: str, is_known: Callable[[str], bool]) -> list[PrintedCall]:
    if not text.lstrip().startswith(("{", "[")) or not _ARGUMENTS.search(text):
        return []
    calls = _from_json(text)
    return calls if calls and all(is_known(call.name) for call in calls) else []


def _fenced(text: str, is_known: Callable[[str], bool]) -> tuple[list[PrintedCall], str]:
    calls: list[PrintedCall] = []
    rest, position = "", 0
    for match in _FENCE.finditer(text):
        found = _known_in_json(match["body"], is_known)
        if found:
            calls += found
            rest += text[position : match.start()]
            position = match.end()
    return calls, rest + text[position:]
