"""Speech over OpenAI's shape: times where there are any, plain text where not, failures told."""

from __future__ import annotations

import io
from collections.abc import Callable

import httpx
import pytest

from providers.adapters.endpoint import Endpoint
from providers.adapters.speech import SpeechService
from providers.contracts.errors import ModelError
from providers.contracts.speech import Spoken, Transcript


def transcript_of(answer: Callable[[httpx.Request], httpx.Response]) -> Transcript:
    endpoint = Endpoint(base_url="https://speech.example/v1", model_id="ear-1", api_key="secret")
    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        service = SpeechService(endpoint, http=http, identity="speech.example/ear-1")
        return service.transcribe(io.BytesIO(b"sound"), name="memo.mp3", media_type="audio/mpeg")


def test_segments_come_with_their_times() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        body = request.read()
        assert str(request.url) == "https://speech.example/v1/audio/transcriptions"
        assert request.headers["authorization"] == "Bearer secret"
        assert b"ear-1" in body
        assert b'filename="memo.mp3"' in body
        assert b"sound" in body
        segments = [{"start": 0, "text": " The lamp"}, {"start": 2.5, "text": "burns."}]
        return httpx.Response(
            200,
            json={
                "text": "x",
                "segments": segments,
                "language": "english",
                "duration": 4,
            },
        )

    assert transcript_of(answer) == Transcript(
        parts=(
            Spoken(text="The lamp", start_seconds=0.0),
            Spoken(text="burns.", start_seconds=2.5),
        ),
        language="english",
        duration_seconds=4.0,
    )


def test_a_model_that_knows_no_times_is_asked_plainly() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if b"verbose_json" in request.read():
            return httpx.Response(400, json={"error": {"message": "response_format"}})
        return httpx.Response(200, json={"text": " The lamp burns. "})

    assert transcript_of(answer).parts == (Spoken(text="The lamp burns."),)


@pytest.mark.parametrize(
    ("status", "kind"), [(401, "auth"), (429, "rate_limited"), (503, "overloaded")]
)
def test_refusals_have_their_kind_and_no_key(status: int, kind: str) -> None:
    with pytest.raises(ModelError) as failure:
        transcript_of(lambda _: httpx.Response(status, text="no, secret"))
    assert failure.value.kind == kind
    assert "secret" not in failure.value.message


@pytest.mark.parametrize("body", [b"[]", b"no json", b"{}"])
def test_an_answer_without_text_is_refused(body: bytes) -> None:
    with pytest.raises(ModelError) as failure:
        transcript_of(lambda _: httpx.Response(200, content=body))
    assert failure.value.kind == "bad_response"


def test_an_address_that_does_not_answer_is_told() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody there")

    with pytest.raises(ModelError) as failure:
        transcript_of(answer)
    assert failure.value.retry
