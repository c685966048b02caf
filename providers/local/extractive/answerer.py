"""The offline "model": it searches, then answers with sentences of the passages it was given.

No language model: it never says anything that isn't in a passage, except the fixed phrases of
`phrases`. First turn: one native call of the search tool. Then: quotes with their aliases, or the
plain statement that nothing fits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from providers.contracts.embedding import InputKind
from providers.local.catalogue import Catalogue
from providers.local.extractive.language import detect_language, same_language, terms
from providers.local.extractive.passages import Exchange, read_exchange
from providers.local.extractive.phrases import phrases_for
from providers.local.extractive.selection import Quote, RankedPassage, pick_quotes, rank_passages
from providers.local.protocol import ChatRequest

SEARCH_TOOL = "knowledge_search"
GATE = 3.9
"""4 × cosine + coverage of the best passage; below it, within one language, nothing fits."""
_MAXIMUM_QUERY_CHARACTERS = 1000
_FEW_TERMS = 4
_POINTS_BACK = re.compile(
    r"\b(it|its|they|them|their|this|that|these|those|he|she|his|her|there|then)\b"
    r"|[它他她]|这|那|其中|それ|これ|その|この|彼|그것|이것|그는|그들|거기|그럼",
    re.IGNORECASE,
)
_ALIAS = re.compile(r"\[([a-z]{1,3}\d{1,4})\]")
_FAILED = re.compile(r"^\s*(?:error\b|\W*the tool failed|failed\b)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class SearchCall:
    """The tool call it makes."""

    name: str
    arguments: str


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What it answers: a text or a tool call."""

    text: str = ""
    call: SearchCall | None = None

    @property
    def finish_reason(self) -> Literal["stop", "tool_calls"]:
        """Why it ended."""
        return "tool_calls" if self.call else "stop"


def answer(
    request: ChatRequest, catalogue: Catalogue, *, gone: Callable[[], bool] = lambda: False
) -> Reply:
    """Return the next message of the conversation.

    Raises:
        CallerGone: `gone` said so while sentences were compared.
    """
    exchange = read_exchange(request.turns)
    if not exchange.passages and not exchange.tool_results and SEARCH_TOOL in request.tools:
        return Reply(call=_search(exchange))
    return Reply(text=_text(exchange, catalogue, gone))


def _search(exchange: Exchange) -> SearchCall:
    queries = [exchange.question]
    if exchange.previous_question and _is_follow_up(exchange.question):
        queries.append(exchange.previous_question)
    queries = [query[:_MAXIMUM_QUERY_CHARACTERS] for query in queries]
    return SearchCall(
        name=SEARCH_TOOL, arguments=json.dumps({"queries": queries}, ensure_ascii=False)
    )


def _is_follow_up(question: str) -> bool:
    """Say whether the question needs the one before it to be understood."""
    return len(terms(question)) < _FEW_TERMS or bool(_POINTS_BACK.search(question))


def _text(exchange: Exchange, catalogue: Catalogue, gone: Callable[[], bool]) -> str:
    language = detect_language(exchange.question)
    phrases = phrases_for(language)
    if not exchange.passages:
        return _without_passages(exchange)
    question = _whole_question(exchange)

    @cache
    def embed(text: str, kind: InputKind) -> NDArray[np.float32]:
        return catalogue.embed([text], kind=kind, gone=gone).vectors[0]

    ranked = rank_passages(question, exchange.passages, embed=embed)
    crossing = not same_language(language, detect_language(ranked[0].passage.text))
    if not crossing and not fits(ranked[0]):
        return phrases.nothing_fits
    quotes = pick_quotes(question, ranked, embed=embed)
    if not quotes:
        return phrases.nothing_fits
    parts = [_quoted(quote) for quote in quotes]
    if crossing:
        parts.append(phrases.other_language)
    return "\n\n".join(parts)


def fits(best: RankedPassage) -> bool:
    """Say whether the best passage is near enough to the question to be quoted."""
    return 4 * best.cosine + best.coverage >= GATE


def _without_passages(exchange: Exchange) -> str:
    phrases = phrases_for(detect_language(exchange.question))
    failures = [result for result in exchange.tool_results if _FAILED.match(result)]
    if failures:
        return phrases.search_failed.format(reason=failures[-1].strip().splitlines()[0][:300])
    return phrases.nothing_fits if exchange.tool_results else phrases.nothing_given


def _whole_question(exchange: Exchange) -> str:
    if exchange.previous_question and _is_follow_up(exchange.question):
        return f"{exchange.previous_question} {exchange.question}"
    return exchange.question


def _quoted(quote: Quote) -> str:
    """Return the quote with its alias; aliases inside of it are made harmless."""
    text = _ALIAS.sub(r"(\1)", quote.piece.text)
    if quote.piece.kind == "code":
        return f"```\n{text}\n```\n\n[{quote.passage.alias}]"
    return f"{text} [{quote.passage.alias}]"
