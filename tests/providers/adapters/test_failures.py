"""Every way a service says no becomes the right kind, and no secret gets out."""

from __future__ import annotations

import logging
import traceback
from datetime import timedelta
from email.utils import format_datetime

import pytest
import time_machine
from django.utils import timezone

from providers.adapters.embeddings import OpenAIEmbeddingModel
from providers.adapters.endpoint import Endpoint
from providers.adapters.failures import from_status, retry_after, scrub, words_of
from providers.adapters.transport import loopback_sync_client
from providers.contracts.errors import ModelError, ModelErrorKind
from tests.providers.adapters.test_openai_compatible import KEY, failure_of, model_at
from tests.providers.vendor import Vendor

ENDPOINT = Endpoint(base_url="http://x/v1", model_id="m", api_key=KEY)


def openai_error(message: str, *, code: str | None = None) -> dict[str, object]:
    return {"error": {"message": message, "type": "error", "code": code}}


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, openai_error("Incorrect API key"), "auth"),
        (403, openai_error("Not allowed"), "auth"),
        (404, openai_error("The model `m` does not exist"), "not_found"),
        (408, "", "timeout"),
        (429, openai_error("Too many requests"), "rate_limited"),
        (429, openai_error("You exceeded your quota", code="insufficient_quota"), "auth"),
        (400, openai_error("nonsense"), "bad_request"),
        (400, openai_error("x", code="context_length_exceeded"), "context_overflow"),
        (400, openai_error("This model's maximum context length is 8192"), "context_overflow"),
        (400, openai_error("输入超过模型的最大长度限制，上下文长度为 8192"), "context_overflow"),
        (413, "too big", "context_overflow"),
        (400, openai_error("blocked", code="content_filter"), "content_filter"),
        (
            400,
            {"error": {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
            "content_filter",
        ),
        (400, openai_error("x", code="data_inspection_failed"), "content_filter"),
        (500, openai_error("boom"), "server"),
        (500, "<html><body><h1>Oops</h1></body></html>", "server"),
        (502, "", "server"),
        (503, "", "overloaded"),
        (504, "", "timeout"),
        (529, {"type": "error", "error": {"message": "Overloaded"}}, "overloaded"),
    ],
)
async def test_each_status_becomes_its_kind(
    vendor: Vendor, status: int, body: object, kind: ModelErrorKind
) -> None:
    vendor.will_fail(status, body)
    error = await failure_of(model_at(vendor.url))
    assert (error.kind, error.status) == (kind, status)


def test_the_services_own_words_are_kept() -> None:
    assert words_of(openai_error("Say please", code="rude")) == ("Say please", "rude error")
    assert words_of({"detail": "no"}) == ("no", "")
    assert words_of('{"error": "plain text"}') == ("plain text", "")
    assert words_of("<html><h1>Bad</h1><p>gateway</p></html>") == ("Bad gateway", "")
    assert words_of({"detail": [{"loc": ["body"]}]}) == ('[{"loc": ["body"]}]', "")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_as_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_retry_after_is_read_as_a_date() -> None:
    with time_machine.travel("2026-05-01T12:00:00Z", tick=False):
        when = format_datetime(timezone.now() + timedelta(seconds=90))
        assert retry_after({"retry-after": when}) == 90.0


async def test_retry_after_reaches_the_error(vendor: Vendor) -> None:
    vendor.will_fail(429, openai_error("slow down"), {"Retry-After": "3"})
    error = await failure_of(model_at(vendor.url))
    assert (error.retry, error.retry_after_seconds) == (True, 3.0)


async def test_no_secret_is_in_message_traceback_or_log(
    vendor: Vendor, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    vendor.will_fail(401, openai_error(f"Incorrect API key provided: {KEY}; header hush-hush-1"))
    model = model_at(vendor.url, headers={"X-Auth": "hush-hush-1"})
    error = await failure_of(model)
    everything = "".join(traceback.format_exception(error)) + caplog.text + repr(vars(error))
    everything += repr(error.__context__) + repr(error.__cause__)
    assert KEY not in everything
    assert "hush-hush-1" not in everything
    assert error.provider_message == "Incorrect API key provided: •••; header •••"


def test_no_secret_is_in_the_traceback_of_an_embedding(vendor: Vendor) -> None:
    vendor.will_fail(500, openai_error(f"failed with {KEY}"))
    endpoint = Endpoint(base_url=vendor.url, model_id="m", api_key=KEY)
    with loopback_sync_client(5) as http:
        model = OpenAIEmbeddingModel(endpoint, http=http, identity="x")
        with pytest.raises(ModelError) as caught:
            model.embed(["a"], kind="query")
    error = caught.value
    assert KEY not in "".join(traceback.format_exception(error)) + repr(error.__context__)


def test_secrets_are_not_in_an_endpoints_representation() -> None:
    endpoint = Endpoint(base_url="x", model_id="m", api_key=KEY, headers={"a": "hush-hush"})
    assert KEY not in repr(endpoint)
    assert "hush-hush" not in repr(endpoint)


def test_scrubbing_takes_out_keys_credentials_and_control_characters() -> None:
    text = "key sk-abcdefgh12345 at https://me:pw@host/x\x00 Bearer abcdefghi"
    assert scrub(text, ["host"]) == "key ••• at https://•••@•••/x  •••"
    assert len(scrub("a" * 5000, [])) == 1001


def test_quota_is_final_but_a_rate_limit_is_not() -> None:
    quota = from_status(429, openai_error("insufficient balance"), {}, ENDPOINT)
    limit = from_status(429, openai_error("slow"), {}, ENDPOINT)
    assert (quota.retry, limit.retry) == (False, True)
