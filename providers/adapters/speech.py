"""Speech to text over OpenAI's `POST {base_url}/audio/transcriptions`, which most servers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

import httpx

from providers.adapters.endpoint import Endpoint
from providers.adapters.failures import failure, from_status, to_model_error
from providers.contracts.speech import Spoken, Transcript

_REFUSES_TIMES = 400


class SpeechService:
    """A `SpeechModel` behind an OpenAI-compatible address. Thread-safe."""

    def __init__(self, endpoint: Endpoint, *, http: httpx.Client, identity: str) -> None:
        self._endpoint = endpoint
        self._http = http
        self._identity = identity

    @property
    def identity(self) -> str:
        """Names the model and its engine."""
        return self._identity

    def transcribe(self, recording: BinaryIO, *, name: str, media_type: str) -> Transcript:
        """Return what is said in a recording; with times where the model gives them.

        Raises:
            ModelError: the call failed, or the answer has no text.
        """
        answer = self._post(recording, name, media_type, shape="verbose_json")
        if answer.status_code == _REFUSES_TIMES:
            # Some models only know the plain shape.
            answer = self._post(recording, name, media_type, shape="json")
        if not answer.is_success:
            raise from_status(answer.status_code, answer.text, answer.headers, self._endpoint)
        try:
            body = answer.json()
        except ValueError:
            body = None
        return self._transcript(body)

    def _post(
        self, recording: BinaryIO, name: str, media_type: str, *, shape: str
    ) -> httpx.Response:
        recording.seek(0)
        broken: Exception | None = None
        try:
            return self._http.post(
                f"{self._endpoint.base_url.rstrip('/')}/audio/transcriptions",
                data={"model": self._endpoint.model_id, "response_format": shape},
                files={"file": (name, recording, media_type)},
                headers=self._headers(),
                timeout=self._endpoint.timeout_seconds,
            )
        except Exception as error:  # noqa: BLE001 -- whatever it is becomes a ModelError
            broken = error
        # Outside of the handler: a chained exception would carry request and key.
        raise to_model_error(broken, self._endpoint)

    def _headers(self) -> dict[str, str]:
        headers = dict(self._endpoint.headers)
        if self._endpoint.api_key:
            headers.setdefault("Authorization", f"Bearer {self._endpoint.api_key}")
        return headers

    def _transcript(self, body: Any) -> Transcript:
        text = body.get("text") if isinstance(body, Mapping) else None
        if not isinstance(body, Mapping) or not isinstance(text, str):
            raise failure("bad_response", self._endpoint, words="the answer has no text")
        segments = body.get("segments")
        parts = [
            Spoken(text=segment["text"].strip(), start_seconds=_number(segment.get("start")))
            for segment in (segments if isinstance(segments, list) else [])
            if isinstance(segment, Mapping) and isinstance(segment.get("text"), str)
        ]
        language = body.get("language")
        return Transcript(
            parts=tuple(parts) or (Spoken(text=text.strip()),),
            language=language if isinstance(language, str) else "",
            duration_seconds=_number(body.get("duration")),
        )


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and value >= 0 else None
