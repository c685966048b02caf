"""Turns a model row into an endpoint and the HTTP clients that may speak to it."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import lru_cache
from weakref import WeakKeyDictionary

import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from core.aio import loop_lasts
from core.errors import Conflict
from core.secrets import LostSecret
from providers.adapters import transport
from providers.adapters.endpoint import AsyncClientFactory, Endpoint
from providers.adapters.failures import failure, from_status, to_model_error
from providers.constants import Provider
from providers.models import AIModel
from providers.parameters import read_parameters
from providers.queries import read_headers

_LONGEST_SECONDS = 3600.0
_clients_of_loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[bool, httpx.AsyncClient]] = (
    WeakKeyDictionary()
)


def endpoint_of(row: AIModel) -> Endpoint:
    """Return where the row's model is served; the built-in ones are where settings say.

    Raises:
        Conflict: a stored secret can't be read with the configured keys.
    """
    if isinstance(row.api_key, LostSecret) or isinstance(row.extra_headers, LostSecret):
        raise Conflict(
            _("The key of “%(name)s” cannot be read; an admin has to enter it again.")
            % {"name": row.name}
        )
    parameters = read_parameters(row.parameters)
    if row.provider == Provider.LOCAL:
        return Endpoint(
            base_url=settings.LOCAL_MODELS_URL,
            api_key=settings.LOCAL_MODELS_KEY,
            model_id=row.model_id,
            timeout_seconds=parameters.timeout_seconds,
        )
    return Endpoint(
        base_url=row.base_url,
        api_key=row.api_key,
        model_id=row.model_id,
        headers=read_headers(row),
        azure_api_version=parameters.api_version if row.provider == Provider.AZURE else "",
        timeout_seconds=parameters.timeout_seconds,
    )


def async_http(row: AIModel) -> AsyncClientFactory:
    """Return what gives the row's client for one streamed call.

    A loop that stays has one client for all its calls, so that connections are kept; it outlives
    the call. Any other loop gets a client that ends with the call.
    """
    local = row.provider == Provider.LOCAL

    def give(timeout_seconds: float) -> AbstractAsyncContextManager[httpx.AsyncClient]:
        if loop_lasts():
            return nullcontext(_client_of_loop(local=local))
        make = transport.loopback_async_client if local else transport.async_client
        return make(timeout_seconds)

    return give


def _client_of_loop(*, local: bool) -> httpx.AsyncClient:
    """Return the running loop's client; each call brings its own time limit."""
    clients = _clients_of_loops.setdefault(asyncio.get_running_loop(), {})
    if local not in clients:
        make = transport.loopback_async_client if local else transport.async_client
        clients[local] = make(_LONGEST_SECONDS)
    return clients[local]


def sync_http(row: AIModel) -> httpx.Client:
    """Return the client that the process's blocking calls share."""
    return _shared_client(row.provider == Provider.LOCAL)


def local_identity(endpoint: Endpoint) -> str:
    """Ask the built-in server what weights and engine stand behind a model.

    Raises:
        ModelError: it can't be reached, or knows no such model.
    """
    broken: Exception | None = None
    answer: httpx.Response | None = None
    try:
        answer = _shared_client(True).get(
            f"{endpoint.base_url}/models",
            headers={"Authorization": f"Bearer {endpoint.api_key}"},
            timeout=10.0,
        )
    except httpx.HTTPError as error:
        broken = error
    if broken is not None or answer is None:
        raise to_model_error(broken or RuntimeError("no answer"), endpoint)
    if not answer.is_success:
        raise from_status(answer.status_code, answer.text, answer.headers, endpoint)
    known = {entry["id"]: entry["identity"] for entry in answer.json()["data"]}
    if endpoint.model_id not in known:
        raise failure("not_found", endpoint, words=f"it knows {', '.join(known)}")
    return str(known[endpoint.model_id])


@lru_cache(maxsize=2)
def _shared_client(local: bool) -> httpx.Client:
    """Opened lazily, so that a forked worker never inherits a parent's connections."""
    make = transport.loopback_sync_client if local else transport.sync_client
    return make(120.0)
