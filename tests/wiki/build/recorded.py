"""A chat model that plays recorded answers by what it is asked, and documents in fixed passages."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowledge.models import Document, KnowledgeBase
from providers.contracts.chat import ChatChunk, ChatMessage, ChatOptions, ToolSpec
from tests.factories.knowledge import make_chunks, make_document
from tests.knowledge.parsers.expectations import SHARED

DOCUMENTS = SHARED / "wiki-build"
RECORDED = Path(__file__).parents[2] / "data" / "wiki_build_recorded"
STEPS = {
    "wiki.candidates": "You read a document and list",
    "wiki.cite": "You are given subjects",
    "wiki.taxonomy": "You put new pages",
    "wiki.merge": "You are given new subjects",
    "wiki.write": "You keep one page",
}
Spoil = Callable[[str, str], "list[ChatChunk] | Exception | None"]


@dataclass
class RecordedModel:
    """Answers from a list of recordings; what was asked is kept as (step, material)."""

    recordings: list[dict[str, Any]]
    spoil: Spoil = lambda _step, _material: None
    """May answer itself: chunks, or an exception to raise."""
    name: str = "recorded"
    context_tokens: int = 200_000
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = ChatOptions(),  # noqa: B008  # as in the protocol; frozen
    ) -> AsyncIterator[ChatChunk]:
        """Answer what is asked."""
        step = next(s for s, begin in STEPS.items() if messages[0].content.startswith(begin))
        material = messages[1].content
        self.asked.append((step, material))
        spoiled = self.spoil(step, material)
        if isinstance(spoiled, Exception):
            raise spoiled
        for chunk in spoiled or answer(json.dumps(self.find(step, material), ensure_ascii=False)):
            yield chunk

    def find(self, step: str, material: str) -> dict[str, Any]:
        """Return the recorded answer with handles of this very call."""
        for each in self.recordings:
            if each["step"] == step and all(part in material for part in each["when"]):
                found: dict[str, Any] = with_handles(each["answer"], material)
                return found
        if step == "wiki.merge":
            return {"same": []}
        if step == "wiki.taxonomy":
            return {"places": []}
        raise AssertionError(f"nothing is recorded for {step}:\n{material[:1500]}")

    def steps(self) -> list[str]:
        """Return the steps that were asked for."""
        return [step for step, _material in self.asked]


def answer(text: str, finish: Any = "stop") -> list[ChatChunk]:
    """Return the chunks of a whole answer."""
    return [ChatChunk(text=text), ChatChunk(finish_reason=finish)]


def with_handles(value: Any, material: str) -> Any:
    """Put handles in: "@name" is a subject, "~words" a sentence, "=words" a passage."""
    if isinstance(value, dict):
        return {key: with_handles(each, material) for key, each in value.items()}
    if isinstance(value, list):
        return [with_handles(each, material) for each in value]
    if isinstance(value, str) and value[:1] in "@~=" and len(value) > 1:
        return _handle(value[0], value[1:], material)
    return value


def _handle(kind: str, words: str, material: str) -> str:
    if kind == "=":
        blocks = re.split(r"\n(?=\[c\d+\])", material)
        found = next((b for b in blocks if b.startswith("[c") and words in b), None)
        return found[1 : found.index("]")] if found else "c999"
    mark = r"(ref-\d+|page-\d+): " if kind == "@" else r"(s\d+)(?: OUTDATED)?: "
    lines = re.findall(rf"^\s*{mark}(.*)$", material, re.M)
    exact = [h for h, text in lines if kind == "@" and re.split(r" [(—]", text)[0] == words]
    return next((h for h in exact), None) or next((h for h, text in lines if words in text), "none")


def recordings(*names: str) -> list[dict[str, Any]]:
    """Return the recordings of files in their order; earlier ones win."""
    return [
        each
        for name in names
        for each in json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    ]


def passages_of(text: str) -> list[str]:
    """Return the parts of a document between blank lines; a heading goes with what follows it."""
    parts: list[str] = []
    heading = ""
    for block in re.split(r"\n\s*\n", text.strip()):
        if all(line.startswith("#") for line in block.splitlines()):
            heading += block + "\n\n"
            continue
        parts.append(heading + block)
        heading = ""
    return parts


def add(base: KnowledgeBase, name: str, text: str) -> Document:
    """Put a document into the base that was read already."""
    return make_document(base, name=name, texts=passages_of(text))


def change(document: Document, text: str) -> None:
    """Read a document anew with another text: all its passages get new rows."""
    document.chunks.all().delete()
    Document.objects.filter(pk=document.pk).update(revision=document.revision + 1)
    document.refresh_from_db()
    make_chunks(document, texts=passages_of(text))
