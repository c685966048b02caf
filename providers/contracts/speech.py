"""What ingestion asks of a speech model. Pure Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO, Protocol


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """Words that were said without a long pause."""

    text: str
    start_seconds: float | None = None
    """Since the beginning of the recording; None when the service does not say."""


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """A recording written down."""

    parts: tuple[Spoken, ...]
    language: str = ""
    """As the service calls it; blank when it does not say."""
    duration_seconds: float | None = None


class SpeechModel(Protocol):
    """Writes recordings down."""

    @property
    def identity(self) -> str:
        """Names the model and its engine."""
        ...

    def transcribe(self, recording: BinaryIO, *, name: str, media_type: str) -> Transcript:
        """Return what is said in a recording.

        Raises:
            ModelError: the call failed.
        """
        ...
