"""What an upload will take: documents, minutes, tokens, money. A guess from sizes, never a promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings

from knowledge.base_settings import base_settings_of
from knowledge.batches.measured import pace
from knowledge.batches.prices import currency_of, input_price, output_price
from knowledge.batches.queue import queue_of
from knowledge.enrich.asking import no_model_reason, writing_model
from knowledge.enrich.summary import MOST_CHARACTERS, MOST_TOKENS
from knowledge.models import KnowledgeBase

_TEXT_SHARE: Mapping[str, float] = {
    "txt": 1.0,
    "md": 1.0,
    "csv": 1.2,
    "json": 0.9,
    "html": 0.3,
    "pdf": 0.03,
    "docx": 0.08,
    "pptx": 0.01,
    "xlsx": 0.8,
}
"""Characters of text a byte of the file, on the corpus of the parsing benchmark."""
_OTHER_SHARE = 0.05
_MOST_CHARACTERS = 2_000_000
_CHARACTERS_A_TOKEN = 4
_QUESTION_TOKENS = 30
_GRAPH_PROMPT_TOKENS = 450
_GRAPH_TOKENS = 350
"""Of each passage's answer."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What an upload may take."""

    documents: int
    bytes: int
    minutes: int
    """Until all of them are found, what waits before them included."""
    tokens: int
    cents: int
    """Of the space's currency, rounded up; 0 where no prices are set."""
    waiting: int = 0
    """Documents of the space that wait already."""
    is_measured: bool = False
    """Whether the minutes come from what was read here lately; else from a usual machine."""

    def to_json(self) -> dict[str, Any]:
        """Return it as `IngestBatch.estimate` keeps it."""
        return asdict(self)


def estimate(base: KnowledgeBase, files: Sequence[tuple[str, int]]) -> Estimate:
    """Estimate an upload of files, each by name and bytes, with the base's present settings."""
    characters = [_characters(name, size) for name, size in files]
    embedded = sum(characters) // _CHARACTERS_A_TOKEN
    asked, written = _enrichment_tokens(base, characters)
    cents = embedded * input_price(base.embedding_model)
    if asked:
        model = writing_model(base.space_id)
        cents += asked * input_price(model) + written * output_price(model)
    measured, queue = pace(), queue_of(base.space_id)
    seconds = measured.seconds(files=len(files), tokens=embedded)
    seconds += measured.seconds_waiting(queue)
    return Estimate(
        documents=len(files),
        bytes=sum(size for _, size in files),
        minutes=max(1, round(seconds * queue.sharers / 60)),
        tokens=embedded + asked + written,
        cents=-int(-cents // 1),
        waiting=queue.documents,
        is_measured=measured.is_measured,
    )


def currency_of_base(base: KnowledgeBase) -> str:
    """Return the currency of the prices of what reads a base's documents; blank without prices."""
    writer = None if no_model_reason(base.space_id) else writing_model(base.space_id)
    return currency_of(writer, base.embedding_model)


def is_large(files: Sequence[tuple[str, int]]) -> bool:
    """Say whether an upload is so large that its estimate is shown first."""
    size = sum(size for _, size in files)
    return len(files) > settings.BATCH_FILES or size > settings.BATCH_BYTES


def _characters(name: str, size_bytes: int) -> int:
    kind = PurePosixPath(name).suffix.lower().lstrip(".")
    return min(int(size_bytes * _TEXT_SHARE.get(kind, _OTHER_SHARE)), _MOST_CHARACTERS)


def _enrichment_tokens(base: KnowledgeBase, characters: Sequence[int]) -> tuple[int, int]:
    """Return tokens that go into the chat model and come out of it."""
    settings_of_base = base_settings_of(base)
    options = settings_of_base.enrichment
    if no_model_reason(base.space_id):
        return 0, 0
    asked = written = 0
    if options.summary:
        asked += sum(min(each, MOST_CHARACTERS) for each in characters) // _CHARACTERS_A_TOKEN
        written += len(characters) * MOST_TOKENS // 2
    size = settings_of_base.split.size_characters
    passages = sum(each // size + 1 for each in characters)
    if settings_of_base.graph.is_enabled:
        asked += sum(characters) // _CHARACTERS_A_TOKEN + passages * _GRAPH_PROMPT_TOKENS
        written += passages * _GRAPH_TOKENS
    if options.questions:
        asked += sum(characters) // _CHARACTERS_A_TOKEN
        written += passages * options.questions_per_passage * _QUESTION_TOKENS
    return asked, written
