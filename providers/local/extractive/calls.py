"""Which tool the answerer calls next, if any."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from providers.local.extractive.language import terms
from providers.local.extractive.passages import Exchange

SEARCH_TOOL = "knowledge_search"
GREP_TOOL = "grep_chunks"
MAXIMUM_QUERY_CHARACTERS = 1000
_FEW_TERMS = 4
_MAXIMUM_IDENTIFIERS = 3
_POINTS_BACK = re.compile(
    r"\b(it|its|they|them|their|he|she|him|his|her)\b|\b(this|that|these|those|there)\s*[?.!]?$"
    r"|^(and|but|then|so|what about|how about)\b"
    r"|[它他她]|^那|这(个|些|种)?[？?]?$|其中|それ|これ|その|彼|그것|이것|그는|그들|거기|그럼",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"(?<![\w-])(?=[\w./-]*\d)(?=[\w./-]*[A-Za-z_./-])[A-Za-z0-9][\w./-]{3,}\w"
)
_SPECIAL = re.compile(r"([.^$*+?()\[\]{}\\|])")


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A call as the protocol wants it."""

    name: str
    arguments: str


def next_call(exchange: Exchange, tools: Sequence[str]) -> ToolCall | None:
    """Return the next call; None when it is time to answer."""
    if SEARCH_TOOL in tools and _should_search(exchange):
        return _call(SEARCH_TOOL, queries=_queries(exchange))
    if GREP_TOOL in tools and len(exchange.results) == 1:
        missing = _missing_identifiers(exchange)
        if missing:
            return _call(GREP_TOOL, pattern="|".join(_SPECIAL.sub(r"\\\1", m) for m in missing))
    return None


def whole_question(exchange: Exchange) -> str:
    """Return the question, with the one before it where it points back."""
    if exchange.previous_question and _points_back(exchange.question):
        return f"{exchange.previous_question} {exchange.question}"
    return exchange.question


def _should_search(exchange: Exchange) -> bool:
    if exchange.passages:
        return False
    results = exchange.results
    return not results or (len(results) == 1 and results[0].failure == "repeat")


def _queries(exchange: Exchange) -> list[str]:
    queries = [exchange.question]
    if exchange.previous_question and _is_follow_up(exchange.question):
        queries.append(exchange.previous_question)
    return [query[:MAXIMUM_QUERY_CHARACTERS] for query in queries]


def _is_follow_up(question: str) -> bool:
    """Say whether the question may need the one before it to be found; a search more costs little."""
    return len(terms(question)) < _FEW_TERMS or _points_back(question)


def _points_back(question: str) -> bool:
    return len(terms(question)) < 2 or bool(_POINTS_BACK.search(question.strip()))


def _missing_identifiers(exchange: Exchange) -> list[str]:
    """Return the question's identifiers that no passage has, such as "RO-20221108"."""
    held = "\n".join(passage.text for passage in exchange.passages).casefold()
    asked = dict.fromkeys(_IDENTIFIER.findall(exchange.question[:MAXIMUM_QUERY_CHARACTERS]))
    return [one for one in asked if one.casefold() not in held][:_MAXIMUM_IDENTIFIERS]


def _call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(name=name, arguments=json.dumps(arguments, ensure_ascii=False))
