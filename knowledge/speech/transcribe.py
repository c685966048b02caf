"""Recordings become text: by the space's speech model, in paragraphs that name their time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from django.utils.translation import gettext as _

from core.errors import Conflict
from knowledge.parsers.contract import Block, ParseRefused
from providers.constants import ModelType
from providers.contracts.errors import ModelError
from providers.contracts.speech import Spoken, Transcript
from providers.models import AIModel
from providers.services.clients import get_speech_model

MOST_BYTES = 25_000_000
"""What services of this kind take at once."""
_PARAGRAPH_SECONDS = 60.0


def transcribe(content_path: Path, name: str, *, media_type: str) -> tuple[Block, ...]:
    """Return what is said in a recording of the current space.

    Raises:
        ParseRefused: no speech model is set up, the recording is too long, or nothing is said.
        ModelError: the model failed in a way that may pass.
    """
    model = _model()
    if content_path.stat().st_size > MOST_BYTES:
        raise ParseRefused(
            "too_large",
            _(
                "The recording has over %(limit)s MB, more than speech models take. Cut it, or save"
                " it with a lower bit rate."
            )
            % {"limit": MOST_BYTES // 1_000_000},
        )
    try:
        with content_path.open("rb") as recording:
            transcript = get_speech_model(model).transcribe(
                recording, name=name, media_type=media_type
            )
    except Conflict as error:
        raise ParseRefused("type_unknown", str(error)) from error
    except ModelError as error:
        if error.retry:
            raise
        raise ParseRefused(
            "damaged", _("The speech model rejected it: %(reason)s") % {"reason": error.message}
        ) from error
    return tuple(Block(markdown=text) for text in paragraphs(transcript) if text)


def _model() -> AIModel:
    rows = AIModel.objects.filter(type=ModelType.SPEECH, is_enabled=True)
    row = rows.order_by("-is_default", "name").first()
    if row is None:
        raise ParseRefused(
            "type_unknown",
            _(
                "Recordings need a speech model, and this space has none. An admin can add one"
                " under Models; then read the file again."
            ),
        )
    return row


def paragraphs(transcript: Transcript) -> Iterator[str]:
    """Yield the words, a paragraph for about each minute, with its time in front."""
    taken: list[Spoken] = []
    for part in transcript.parts:
        start = taken[0].start_seconds if taken else None
        if (
            start is not None
            and part.start_seconds is not None
            and part.start_seconds - start >= _PARAGRAPH_SECONDS
        ):
            yield _paragraph(taken)
            taken = []
        taken.append(part)
    if taken:
        yield _paragraph(taken)


def _paragraph(parts: list[Spoken]) -> str:
    text = " ".join(part.text for part in parts if part.text).strip()
    start = parts[0].start_seconds
    if start is None or not text:
        return text
    minutes, seconds = divmod(int(start), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"[{clock}] {text}"
