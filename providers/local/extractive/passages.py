"""Reads the conversation: which question is asked, and which passages came with it.

A passage in a prompt looks like this, its text with &lt; &gt; &amp; escaped:

    <passage id="c1" document="d1" name="tatr.pdf" page="3" heading="4. Proposed Model">
    text
    </passage>
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from providers.local.protocol import ChatTurn

_PASSAGE = re.compile(r"<passage\s([^>]*)>(.*?)</passage>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')
_QUESTION_TAG = re.compile(r"<question>(.*?)</question>", re.DOTALL)
_QUESTION_LABEL = re.compile(r"^\s*(?:question|问题|質問|질문)\s*[:：]\s*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage with the alias to cite it by."""

    alias: str
    name: str
    heading: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What the answerer has to answer, and from what."""

    question: str
    previous_question: str
    passages: tuple[Passage, ...]
    tool_results: tuple[str, ...]
    """Results since the question, also those without passages."""


def read_passages(text: str) -> tuple[Passage, ...]:
    """Return the passages of a message in order; those without an id can't be cited."""
    found: list[Passage] = []
    for match in _PASSAGE.finditer(text):
        fields = {k: html.unescape(v) for k, v in _ATTRIBUTE.findall(match.group(1))}
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

    It is what stands in <question>, else the last paragraph around the passages, else everything.
    """
    tagged = _QUESTION_TAG.findall(text)
    if tagged:
        return html.unescape(tagged[-1]).strip()
    if not _PASSAGE.search(text):
        return text.strip()
    rest = _PASSAGE.sub("\n\n", text)
    paragraphs = [p.strip() for p in re.split(r"\n\s*\n", rest) if p.strip()]
    return _QUESTION_LABEL.sub("", paragraphs[-1]) if paragraphs else ""


def read_exchange(turns: Sequence[ChatTurn]) -> Exchange:
    """Return the last question with everything that was found for it."""
    asked = [i for i, turn in enumerate(turns) if turn.role == "user"]
    last = asked[-1] if asked else -1
    results = tuple(turn.text for turn in turns[last + 1 :] if turn.role == "tool")
    sources = [turns[last].text, *results] if asked else [*results]
    passages = _distinct([p for text in sources for p in read_passages(text)])
    return Exchange(
        question=read_question(turns[last].text) if asked else "",
        previous_question=read_question(turns[asked[-2]].text) if len(asked) > 1 else "",
        passages=passages,
        tool_results=results,
    )


def _distinct(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Keep the first of each alias: the same chunk may come from two searches."""
    return tuple({passage.alias: passage for passage in reversed(passages)}.values())[::-1]
