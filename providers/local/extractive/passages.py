"""Reads the conversation: which question is asked, and which passages came with it.

The form of passages and of the notes around them is in `providers.contracts.passages`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from providers.contracts.passages import (
    NO_PASSAGES,
    OTHER_LANGUAGE_NOTE,
    OTHERWISE_ADVICE,
    REPEAT_ADVICE,
    SUMMARY_OPEN,
    UNSURE_NOTE,
)
from providers.local.protocol import ChatTurn

_PASSAGE = re.compile(r"<passage\s([^>]*)>(.*?)</passage>", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([a-z_]+)=(?:"([^"]*)"|'([^']*)')""")
_QUESTION_TAG = re.compile(r"<question>(.*?)</question>", re.DOTALL)
_QUESTION_LABEL = re.compile(r"^\s*(?:question|问题|質問|질문)\s*[:：]\s*", re.IGNORECASE)
_RESULTS_END = "</results>"
_CONTEXT_TAGS = (
    "<passage ",
    "<passages>",
    "<bases>",
    "<runtime_context",
    "<background_memory",
    "<memory_note",
    "<must_use>",
    "<conversation_summary>",
    "<results>",
)
_NOTES = (UNSURE_NOTE, OTHER_LANGUAGE_NOTE, NO_PASSAGES)


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage with the alias to cite it by."""

    alias: str
    name: str
    heading: str
    text: str


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What a tool answered since the question."""

    text: str

    @property
    def failure(self) -> Literal["repeat", "otherwise"] | None:
        """Whether the call failed, and what the engine advises."""
        last = self.text.rstrip().rpartition("\n")[2]
        if REPEAT_ADVICE in last:
            return "repeat"
        return "otherwise" if OTHERWISE_ADVICE in last else None

    @property
    def reason(self) -> str:
        """The failure in one line."""
        return self.text.strip().partition("\n")[0][:300]


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What the answerer has to answer, and from what."""

    question: str
    previous_question: str
    passages: tuple[Passage, ...]
    results: tuple[ToolResult, ...]
    nothing_found: bool
    """Whoever searched says that there are no passages at all."""
    unsure: bool
    """Whoever searched says that no passage answers the question for certain."""


_NO_EXCHANGE = Exchange(
    question="",
    previous_question="",
    passages=(),
    results=(),
    nothing_found=False,
    unsure=False,
)


def read_passages(text: str) -> tuple[Passage, ...]:
    """Return the passages of a message in order; those without an id can't be cited."""
    found: list[Passage] = []
    for match in _PASSAGE.finditer(text):
        pairs = _ATTRIBUTE.findall(match.group(1))
        fields = {name: html.unescape(double or single) for name, double, single in pairs}
        if fields.get("id"):
            found.append(
                Passage(
                    alias=fields["id"],
                    name=fields.get("name", ""),
                    heading=fields.get("heading", ""),
                    text=html.unescape(match.group(2)).strip(),
                )
            )
    return tuple(found)


def read_question(text: str) -> str:
    """Return the question of a user's message.

    It is what stands in <question>, else behind </results>, else before the first block of context,
    else in the last paragraph behind the passages.
    """
    tagged = _QUESTION_TAG.findall(text)
    if tagged:
        return html.unescape(tagged[-1]).strip()
    _, results, behind = text.rpartition(_RESULTS_END)
    if results and behind.strip():
        return behind.strip()
    before = _before_context(text)
    if before:
        return _QUESTION_LABEL.sub("", before)
    paragraphs = [p.strip() for p in re.split(r"\n\s*\n", _PASSAGE.sub("\n\n", text)) if p.strip()]
    own = [p for p in paragraphs if p not in _NOTES and not p.startswith("<")]
    return _QUESTION_LABEL.sub("", own[-1]) if own else ""


def read_exchange(turns: Sequence[ChatTurn]) -> Exchange:
    """Return the last question with everything that was found for it."""
    asked = [i for i, turn in enumerate(turns) if _asks(turns, i)]
    if not asked:
        return _NO_EXCHANGE
    last = asked[-1]
    results = [turn.text for turn in turns[last + 1 :] if turn.role == "tool"]
    sources = [turns[last].text, *results]
    with_passages = [text for text in sources if _PASSAGE.search(text)]
    return Exchange(
        question=read_question(turns[last].text),
        previous_question=read_question(turns[asked[-2]].text) if len(asked) > 1 else "",
        passages=_distinct([p for text in sources for p in read_passages(text)]),
        results=tuple(ToolResult(text=text) for text in results),
        nothing_found=NO_PASSAGES in turns[last].text,
        unsure=bool(with_passages) and all(UNSURE_NOTE in text for text in with_passages),
    )


def _asks(turns: Sequence[ChatTurn], position: int) -> bool:
    """Say whether a turn is a question: not a summary, not a nudge behind tool results."""
    turn = turns[position]
    if turn.role != "user" or turn.text.startswith(SUMMARY_OPEN):
        return False
    if position == 0:
        return True
    before = turns[position - 1]
    return before.role != "tool" and (before.role != "assistant" or bool(before.text.strip()))


def _before_context(text: str) -> str:
    starts = [text.find(mark) for mark in (*_CONTEXT_TAGS, *_NOTES)]
    return text[: min((at for at in starts if at >= 0), default=len(text))].strip()


def _distinct(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Keep each alias once, where it came first: the same chunk may come from two searches."""
    found: dict[str, Passage] = {}
    for passage in passages:
        found.setdefault(passage.alias, passage)
    return tuple(found.values())
