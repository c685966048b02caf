"""Turns whatever goes wrong in a call into a ModelError that says what to do.

Retry or final is decided by the kind (see `providers.contracts.errors`). The service's own words
are kept for the person who can mend it, with everything secret taken out.
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

import httpx
import httpx2
import openai

from core.addresses import AddressRefused
from providers.adapters.endpoint import Endpoint
from providers.contracts.errors import ModelError, ModelErrorKind

MAXIMUM_WORDS = 1000
_HIDDEN = "•••"
_KEY_LIKE = re.compile(
    r"(?i)\b(?:sk|pk|key|gsk|xai|hf|api)[-_][A-Za-z0-9_\-*]{8,}|\bBearer\s+\S{6,}"
)
_URL_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
_MARKUP = re.compile(r"(?s)<(?:style|script).*?</(?:style|script)>|<[^>]+>")
_OVERFLOW = re.compile(
    r"context.?(?:length|window|size)|maximum.{0,20}tokens|too many (?:input )?tokens|max_model_len"
    r"|(?:prompt|input|request).{0,20}too (?:long|large)|exceeds.{0,40}token|上下文长度|超过.{0,12}长度",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content.?filter|content_policy|content management policy|responsibleai|data_inspection"
    r"|safety system|sensitive",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(r"insufficient.?(?:quota|balance|credit)|billing|欠费|余额", re.IGNORECASE)
_BUSY = re.compile(r"overload|capacity|too busy|server.?busy", re.IGNORECASE)

_BROKEN = (httpx.ReadError, httpx.WriteError, httpx2.ReadError, httpx2.WriteError)
"""The connection was there and went away."""
_KIND_OF_STATUS: dict[int, ModelErrorKind] = {
    401: "auth",
    402: "auth",
    403: "auth",
    404: "not_found",
    405: "not_found",
    408: "timeout",
    409: "server",
    413: "context_overflow",
    425: "server",
    429: "rate_limited",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
_MESSAGES: dict[ModelErrorKind, str] = {
    "rate_limited": "The model's service allows no more calls right now.",
    "timeout": "The model did not answer in time.",
    "overloaded": "The model's service is overloaded.",
    "server": "The model's service failed.",
    "unreachable": "The model's service cannot be reached; check its address and the network.",
    "auth": "The model's service refuses the key, or the account may not use this model.",
    "not_found": "The address or the model's name is unknown to the service.",
    "bad_request": "The model's service does not accept the request.",
    "context_overflow": "The conversation is longer than the model can read.",
    "content_filter": "The model's service refused for reasons of its content policy.",
    "bad_response": "The model's service answered with something that is not a valid answer.",
}


def failure(
    kind: ModelErrorKind,
    endpoint: Endpoint,
    *,
    words: str = "",
    status: int | None = None,
    retry_after_seconds: float | None = None,
) -> ModelError:
    """Return an error of this kind with the service's words, scrubbed."""
    return ModelError(
        kind,
        _MESSAGES[kind],
        provider_message=scrub(words, endpoint.secrets),
        retry_after_seconds=retry_after_seconds,
        status=status,
    )


def to_model_error(error: Exception, endpoint: Endpoint) -> ModelError:
    """Return the ModelError for an exception of the openai or httpx libraries."""
    if isinstance(error, ModelError):
        return error
    if isinstance(error, openai.APIStatusError):
        body = error.body if error.body is not None else error.response.text
        return from_status(error.status_code, body, error.response.headers, endpoint)
    if isinstance(
        error,
        (openai.APITimeoutError, httpx.TimeoutException, httpx2.TimeoutException, TimeoutError),
    ):
        return failure("timeout", endpoint)
    if isinstance(error, (httpx.RemoteProtocolError, httpx2.RemoteProtocolError, *_BROKEN)):
        return failure("server", endpoint, words=str(error))
    if isinstance(error, AddressRefused):
        return ModelError("not_found", error.message)
    if isinstance(error, openai.APIConnectionError):
        if isinstance(error.__cause__, AddressRefused):
            return to_model_error(error.__cause__, endpoint)
        if isinstance(error.__cause__, (httpx.RequestError, httpx2.RequestError)):
            return to_model_error(error.__cause__, endpoint)
        return failure("unreachable", endpoint, words=str(error.__cause__ or error))
    if isinstance(error, (httpx.InvalidURL, httpx2.InvalidURL, httpx.UnsupportedProtocol)):
        return failure("not_found", endpoint, words=str(error))
    if isinstance(error, (httpx.RequestError, httpx2.RequestError)):
        return failure("unreachable", endpoint, words=str(error))
    if isinstance(error, openai.APIResponseValidationError):
        return failure("bad_response", endpoint, words=error.message)
    if isinstance(error, openai.APIError):
        return _from_stream(error, endpoint)
    return failure("bad_response", endpoint, words=f"{type(error).__name__}: {error}")


def from_status(
    status: int, body: object, headers: Mapping[str, str], endpoint: Endpoint
) -> ModelError:
    """Return the error for an answer with an HTTP status that isn't a success."""
    words, code = words_of(body)
    kind = _kind(status, f"{code} {words}")
    if 300 <= status < 400:
        words = f"it redirects to {headers.get('location', 'elsewhere')}; enter the final address"
    return failure(
        kind, endpoint, words=words, status=status, retry_after_seconds=retry_after(headers)
    )


def words_of(body: object) -> tuple[str, str]:
    """Return a service's message and code from the shapes that are in use."""
    if isinstance(body, (bytes, str)):
        body = _parsed(body)
    if not isinstance(body, Mapping):
        return _plain(str(body or "")), ""
    inner = body.get("error", body)
    if not isinstance(inner, Mapping):
        return _plain(str(inner)), ""
    text = next(
        (inner[name] for name in ("message", "detail", "msg", "error") if inner.get(name)), ""
    )
    if not isinstance(text, str):
        text = json.dumps(text, ensure_ascii=False)
    inner_error = inner.get("innererror")
    codes = [inner.get("code"), inner.get("type")]
    if isinstance(inner_error, Mapping):
        codes.append(inner_error.get("code"))
    return _plain(text), " ".join(str(code) for code in codes if code)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds a service asks to wait, None when it names none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        when = email.utils.parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError):
        return None
    return max(0.0, when.timestamp() - time.time())


def scrub(text: str, secrets: Iterable[str]) -> str:
    """Return the text without secrets, control characters and endless tails."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    text = _KEY_LIKE.sub(_HIDDEN, _URL_CREDENTIALS.sub(f"{_HIDDEN}@", text))
    text = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", " ", text).strip()
    return text if len(text) <= MAXIMUM_WORDS else f"{text[:MAXIMUM_WORDS]}…"


def _kind(status: int, words: str) -> ModelErrorKind:
    if status == 429 and _NO_CREDIT.search(words):
        return "auth"  # waiting does not fill an account
    if status in (400, 413, 422, 429, 500) and _OVERFLOW.search(words):
        # 429 too: a request above the tokens-per-minute limit never fits, however long one waits.
        return (
            "context_overflow" if status != 429 or "too large" in words.lower() else "rate_limited"
        )
    if status in (400, 403, 422) and _FILTERED.search(words):
        return "content_filter"
    if status in _KIND_OF_STATUS:
        return _KIND_OF_STATUS[status]
    if 300 <= status < 400:
        return "bad_response"
    if status >= 500:
        return "overloaded" if _BUSY.search(words) else "server"
    return "bad_request"


def _from_stream(error: openai.APIError, endpoint: Endpoint) -> ModelError:
    """Return the error that came as an event of the stream, after the status said 200."""
    words, code = words_of(error.body)
    known = f"{code} {words} {error.message}"
    numbers = re.findall(r"\b([45]\d\d)\b", code)
    kind: ModelErrorKind = "server"
    if numbers:
        kind = _kind(int(numbers[0]), known)
    elif _OVERFLOW.search(known):
        kind = "context_overflow"
    elif _FILTERED.search(known):
        kind = "content_filter"
    elif re.search(r"rate.?limit", known, re.IGNORECASE):
        kind = "rate_limited"
    elif _BUSY.search(known):
        kind = "overloaded"
    return failure(kind, endpoint, words=words or error.message)


def _parsed(body: bytes | str) -> object:
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _plain(text: str) -> str:
    """Return the words of an error page without its markup."""
    return re.sub(r"\s+", " ", _MARKUP.sub(" ", text)).strip() if "<" in text else text.strip()


def as_text(value: Any) -> str:
    """Return a text that can be sent: a lone surrogate has no UTF-8 form."""
    return str(value).encode("utf-8", "replace").decode("utf-8")
