"""Trying a model out: what it shows, and that stored secrets go nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.errors import AccessDenied, Invalid, NotFound
from providers.constants import ModelType
from providers.parameters import ModelParameters
from providers.services.builtin import sync_builtin_models
from providers.services.connection import check_connection
from providers.services.models import create_model, default_model
from tests.personas import Persona
from tests.providers.local_server import LocalServer
from tests.providers.services.test_models import SECRET, values
from tests.providers.vendor import Vendor, chunk, sse, stream

OK = sse(chunk({"content": "OK"}), chunk(finish="stop"))


@pytest.fixture
def scope(adam: Persona) -> Iterator[Persona]:
    with adam.scope():
        yield adam


@pytest.mark.parametrize(
    ("type", "shown"),
    [
        (ModelType.CHAT, {"finish": "stop", "extractive": "yes"}),
        (ModelType.EMBEDDING, {"dimensions": "384"}),
        (ModelType.RERANK, {}),
    ],
)
def test_each_built_in_model_answers(
    scope: Persona, local_models: LocalServer, type: ModelType, shown: dict[str, str]
) -> None:
    sync_builtin_models(scope.space.pk)
    row = default_model(scope.space.pk, type)
    report = check_connection(scope.actor, model_id=row.pk)
    assert report.ok
    assert report.latency_ms > 0
    assert shown.items() <= report.details.items()


def test_a_model_is_tried_before_it_is_saved(scope: Persona, vendor: Vendor) -> None:
    vendor.will(stream(OK))
    report = check_connection(scope.actor, values=values(base_url=vendor.url))
    assert report.ok
    assert report.details["answer"] == "OK"
    assert vendor.seen[0].headers["authorization"] == f"Bearer {SECRET}"
    assert vendor.seen[0].headers["x-auth"] == "hush-hush"


def test_stored_secrets_stand_in_towards_their_own_address(scope: Persona, vendor: Vendor) -> None:
    vendor.will(stream(OK))
    row = create_model(scope.actor, values=values(base_url=vendor.url))
    entered = values(base_url=vendor.url, api_key=None, extra_headers=None)
    assert check_connection(scope.actor, model_id=row.pk, values=entered).ok
    assert vendor.seen[0].headers["authorization"] == f"Bearer {SECRET}"
    assert vendor.seen[0].headers["x-auth"] == "hush-hush"


def test_stored_secrets_are_not_sent_to_another_address(scope: Persona, vendor: Vendor) -> None:
    vendor.will(stream(OK))
    row = create_model(scope.actor, values=values())
    entered = values(base_url=vendor.url, api_key=None, extra_headers=None)
    check_connection(scope.actor, model_id=row.pk, values=entered)
    headers = str(vendor.seen[0].headers)
    assert SECRET not in headers
    assert "hush-hush" not in headers


def test_a_failure_carries_the_services_words(scope: Persona, vendor: Vendor) -> None:
    vendor.will_fail(404, {"error": {"message": "The model `gpt` does not exist"}})
    report = check_connection(scope.actor, values=values(base_url=vendor.url))
    assert not report.ok
    assert report.provider_message == "The model `gpt` does not exist"
    assert report.details == {"kind": "not_found", "status": "404"}


def test_an_empty_answer_is_not_a_success(scope: Persona, vendor: Vendor) -> None:
    vendor.will(stream(sse(chunk({"content": " "}), chunk(finish="stop"))))
    report = check_connection(scope.actor, values=values(base_url=vendor.url))
    assert (report.ok, report.message) == (False, "The model answered nothing.")


def test_a_vision_model_is_shown_a_picture(scope: Persona, vendor: Vendor) -> None:
    vendor.will(stream(OK))
    entered = values(type=ModelType.VISION, base_url=vendor.url, parameters=ModelParameters())
    assert check_connection(scope.actor, values=entered).ok
    assert "image_url" in str(vendor.seen[0].body)


def test_only_admins_try_models_out(scope: Persona, victor: Persona, mallory: Persona) -> None:
    row = create_model(scope.actor, values=values())
    with pytest.raises(AccessDenied):
        check_connection(victor.actor, model_id=row.pk)
    with pytest.raises(AccessDenied):
        check_connection(victor.actor, values=values())
    with mallory.scope(), pytest.raises(NotFound):
        check_connection(mallory.actor, model_id=row.pk)


def test_nothing_to_try_is_said(scope: Persona) -> None:
    with pytest.raises(Invalid, match="Enter a model"):
        check_connection(scope.actor)
