"""How fast documents were read here lately: what the minutes of an estimate are worked out from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from knowledge.batches.queue import Queue
from knowledge.constants import StageName, StageState
from knowledge.models import Stage

_STEPS = (StageName.PARSE, StageName.SPLIT, StageName.EMBED, StageName.INDEX)
_NEWEST_STEPS = 800
_FEWEST_DOCUMENTS = 10
"""Of fewer nothing is concluded."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What a document takes of this installation's time."""

    seconds_a_file: float
    """Besides its embedding, with all workers at work."""
    seconds_a_token: float
    """Of embedding."""
    tokens_a_file: float
    """Of the documents that it was measured with; what a waiting one is taken to have."""
    is_measured: bool

    def seconds(self, *, files: int, tokens: float) -> float:
        """Return how long files with so many tokens together take."""
        return files * self.seconds_a_file + tokens * self.seconds_a_token

    def seconds_waiting(self, queue: Queue) -> float:
        """Return how long it takes until what waits already is done."""
        return self.seconds(files=queue.documents, tokens=queue.documents * self.tokens_a_file)


DEFAULT_PACE = Pace(
    seconds_a_file=0.2, seconds_a_token=1 / 6_000, tokens_a_file=2_000, is_measured=False
)
"""Of the built-in embedding model on two cores; it holds until enough documents were read."""


@dataclass(frozen=True, kw_only=True)
class _Span:
    began: datetime
    ended: datetime

    @property
    def seconds(self) -> float:
        return (self.ended - self.began).total_seconds()


def pace() -> Pace:
    """Return the pace of the current space's newest documents; the default where there are few."""
    rows = list(
        Stage.objects.filter(name__in=_STEPS, state=StageState.DONE, ended_at__isnull=False)
        .order_by("-pk")
        .only("document_id", "attempt", "name", "started_at", "ended_at", "detail")[:_NEWEST_STEPS]
    )
    files = len({(row.document_id, row.attempt) for row in rows if row.name == StageName.PARSE})
    tokens = sum(_tokens(row) for row in rows)
    if files < _FEWEST_DOCUMENTS or not tokens:
        return DEFAULT_PACE
    embedding = [_span(row) for row in rows if row.name == StageName.EMBED and _tokens(row)]
    other = [_span(row) for row in rows if row.name != StageName.EMBED]
    busy, embedding_work, other_work = (
        _seconds_busy([*embedding, *other]),
        sum(span.seconds for span in embedding),
        sum(span.seconds for span in other),
    )
    share = embedding_work / ((embedding_work + other_work) or 1.0)
    return Pace(
        seconds_a_file=busy * (1 - share) / files,
        seconds_a_token=busy * share / tokens,
        tokens_a_file=tokens / files,
        is_measured=True,
    )


def _tokens(row: Stage) -> int:
    return int(row.detail.get("tokens", 0)) if row.name == StageName.EMBED else 0


def _span(row: Stage) -> _Span:
    return _Span(began=row.started_at, ended=row.ended_at or row.started_at)


def _seconds_busy(spans: Sequence[_Span]) -> float:
    """Return during how many seconds at least one step was at work: workers side by side count once."""
    return sum(span.seconds for span in _merged(sorted(spans, key=lambda span: span.began)))


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    merged: list[_Span] = []
    for span in spans:
        if merged and span.began <= merged[-1].ended:
            last = merged[-1]
            merged[-1] = _Span(began=last.began, ended=max(last.ended, span.ended))
        else:
            merged.append(span)
    return merged
