"""Recordings through a speech model: words with their times, and what is said without one."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import pytest

from core.tenancy import space_scope
from knowledge.parsers.contract import ParseRefused
from knowledge.speech import transcribe as module
from knowledge.speech.transcribe import paragraphs, transcribe
from providers.constants import ModelType, Provider
from providers.contracts.errors import ModelError
from providers.contracts.speech import Spoken, Transcript
from providers.models import AIModel
from tests.personas import Persona


class Listener:
    """A speech model that hears what it was told, or fails."""

    identity = "listener"

    def __init__(self, said: Transcript | ModelError) -> None:
        self.said = said

    def transcribe(self, recording: BinaryIO, *, name: str, media_type: str) -> Transcript:
        assert (recording.read(), name, media_type) == (b"sound", "memo.mp3", "audio/mpeg")
        if isinstance(self.said, ModelError):
            raise self.said
        return self.said


@pytest.fixture
def memo(tmp_path: Path) -> Path:
    path = tmp_path / "memo.mp3"
    path.write_bytes(b"sound")
    return path


def heard(memo: Path) -> list[str]:
    return [block.markdown for block in transcribe(memo, "memo.mp3", media_type="audio/mpeg")]


def add_model(olivia: Persona) -> None:
    AIModel.objects.create(
        space_id=olivia.space.pk,
        name="Ear",
        type=ModelType.SPEECH,
        provider=Provider.OPENAI_COMPATIBLE,
        base_url="https://speech.example/v1",
        model_id="ear-1",
    )


def test_words_come_in_paragraphs_with_their_times() -> None:
    parts = [Spoken(text=f"word{n}", start_seconds=20.0 * n) for n in range(5)]
    assert list(paragraphs(Transcript(parts=tuple(parts)))) == [
        "[0:00] word0 word1 word2",
        "[1:00] word3 word4",
    ]
    late = (Spoken(text="late", start_seconds=3_725.0), Spoken(text="untimed"))
    assert list(paragraphs(Transcript(parts=late))) == ["[1:02:05] late untimed"]


@pytest.mark.django_db
def test_without_a_speech_model_a_recording_is_refused_with_the_remedy(
    olivia: Persona, memo: Path
) -> None:
    with space_scope(olivia.space.pk), pytest.raises(ParseRefused, match="admin can add one"):
        heard(memo)


@pytest.mark.django_db
def test_the_speech_model_of_the_space_writes_it_down(
    olivia: Persona, memo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Transcript(parts=(Spoken(text="The lamp burns."),))
    monkeypatch.setattr(module, "get_speech_model", lambda _: Listener(said))
    with space_scope(olivia.space.pk):
        add_model(olivia)
        assert heard(memo) == ["The lamp burns."]


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "expected"), [("timeout", ModelError), ("auth", ParseRefused)])
def test_a_failure_that_may_pass_is_tried_again(
    kind: str,
    expected: type[Exception],
    olivia: Persona,
    memo: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failure = ModelError(kind, "It did not work.")  # type: ignore[arg-type]  # a case of the table
    monkeypatch.setattr(module, "get_speech_model", lambda _: Listener(failure))
    with space_scope(olivia.space.pk):
        add_model(olivia)
        with pytest.raises(expected):
            heard(memo)
