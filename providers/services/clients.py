"""Gives the contracts' objects for model rows; the same one until the row changes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _

from core.errors import Conflict, Invalid, NotFound
from core.live import live
from providers.adapters.embeddings import EmbeddingStyle, OpenAIEmbeddingModel
from providers.adapters.endpoint import Endpoint
from providers.adapters.openai_compatible import ChatStyle, OpenAIChatModel
from providers.adapters.rerank import RerankService
from providers.adapters.speech import SpeechService
from providers.background import LimitedEmbeddingModel, LimitedRerankModel, LimitedSpeechModel
from providers.constants import ModelType, Provider
from providers.contracts.chat import ChatModel
from providers.contracts.embedding import EmbeddingModel, RerankModel
from providers.contracts.speech import SpeechModel
from providers.endpoints import async_http, endpoint_of, local_identity, sync_http
from providers.models import AIModel
from providers.parameters import ModelParameters, read_parameters

MAXIMUM_CLIENTS = 128
T = TypeVar("T")


class _Clients:
    """The newest clients by row version; the oldest unused ones are dropped."""

    def __init__(self) -> None:
        self._entries: OrderedDict[object, object] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, row: AIModel, kind: type[T], make: Callable[[], T]) -> T:
        """Return the client of this version of the row, made when there is none."""
        endpoint = endpoint_of(row)
        # Address and key, too: those of the built-in models come from settings.
        key = (row.pk, row.updated_at, endpoint.base_url, endpoint.api_key)
        with self._lock:
            found = self._entries.get((kind, key))
            if not isinstance(found, kind):
                found = make()
                self._entries[(kind, key)] = found
            self._entries.move_to_end((kind, key))
            while len(self._entries) > MAXIMUM_CLIENTS:
                self._entries.popitem(last=False)
            return found


_clients = _Clients()


def get_chat_model(model: AIModel | UUID | None) -> ChatModel:
    """Return the chat model of a row (or of the row with this id in the current space).

    Raises:
        NotFound: there is no such model.
        Conflict: it is switched off, or its stored key can't be read any more.
        Invalid: it is of another type.
    """
    row = _usable(model, ModelType.CHAT, ModelType.VISION)
    return _clients.get(row, OpenAIChatModel, lambda: build_chat_model(row))


def get_embedding_model(
    model: AIModel | UUID | None,
    *,
    background: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
) -> EmbeddingModel:
    """Return the embedding model of a row.

    Args:
        model: the row, or its id in the current space.
        background: whether its calls take one of the model's places for background work; a
            person's query never waits for one.
        cancelled: ends such a wait; nobody needs the answer any more.

    Raises:
        NotFound, Conflict, Invalid: as for `get_chat_model`.
    """
    row = _usable(model, ModelType.EMBEDDING)
    plain = _clients.get(row, OpenAIEmbeddingModel, lambda: build_embedding_model(row))
    if not background:
        return plain
    return LimitedEmbeddingModel(
        plain, key=str(row.pk), limit=background_places(row), cancelled=cancelled
    )


def get_rerank_model(model: AIModel | UUID | None, *, background: bool = False) -> RerankModel:
    """Return the rerank model of a row; see `get_embedding_model`."""
    row = _usable(model, ModelType.RERANK)
    plain = _clients.get(row, RerankService, lambda: build_rerank_model(row))
    if not background:
        return plain
    return LimitedRerankModel(plain, key=str(row.pk), limit=background_places(row))


def get_speech_model(model: AIModel | UUID | None) -> SpeechModel:
    """Return the speech model of a row; each call takes a place for background work.

    Raises:
        NotFound, Conflict, Invalid: as for `get_chat_model`.
    """
    row = _usable(model, ModelType.SPEECH)
    plain = _clients.get(row, SpeechService, lambda: build_speech_model(row))
    return LimitedSpeechModel(plain, key=str(row.pk), limit=background_places(row))


def background_places(row: AIModel) -> int:
    """Return how many background calls of a model run at once: its own limit, within everybody's."""
    return min(row.max_concurrency, int(live("MODEL_CONCURRENCY")))


def build_chat_model(row: AIModel) -> OpenAIChatModel:
    """Return a new chat model for a row, saved or not."""
    p = read_parameters(row.parameters)
    style = ChatStyle(
        context_tokens=p.context_tokens,
        max_output_tokens=p.max_output_tokens,
        temperature=p.temperature,
        output_limit_field=p.output_limit_field,
        thinking=p.thinking,
        thinking_effort=p.thinking_effort,
        return_reasoning=p.return_reasoning,
        stream_usage=p.stream_usage,
    )
    return OpenAIChatModel(endpoint_of(row), name=row.name, http=async_http(row), style=style)


def build_embedding_model(row: AIModel) -> OpenAIEmbeddingModel:
    """Return a new embedding model for a row, saved or not."""
    p = read_parameters(row.parameters)
    style = EmbeddingStyle(
        dimensions=p.dimensions,
        request_dimensions=p.request_dimensions,
        input_style=p.input_style,
        encoding_format=p.encoding_format,
        batch_size=p.batch_size,
    )
    endpoint, http = endpoint_of(row), sync_http(row)
    return OpenAIEmbeddingModel(
        endpoint, http=http, style=style, identity=_identity(row, endpoint, p)
    )


def build_rerank_model(row: AIModel) -> RerankService:
    """Return a new rerank model for a row, saved or not; a person who searches waits for it."""
    endpoint, http = endpoint_of(row), sync_http(row)
    seconds = min(endpoint.timeout_seconds, float(settings.RERANK_SECONDS))
    endpoint = replace(endpoint, timeout_seconds=seconds)
    identity = _identity(row, endpoint, read_parameters(row.parameters))
    return RerankService(endpoint, http=http, identity=identity)


def build_speech_model(row: AIModel) -> SpeechService:
    """Return a new speech model for a row, saved or not."""
    endpoint = endpoint_of(row)
    identity = f"{urlsplit(endpoint.base_url).netloc}/{endpoint.model_id}"
    return SpeechService(endpoint, http=sync_http(row), identity=identity)


def _identity(row: AIModel, endpoint: Endpoint, p: ModelParameters) -> str | Callable[[], str]:
    """Name weights and engine: the built-in server says it, others are host, model and size."""
    if row.provider == Provider.LOCAL:
        return lambda: local_identity(endpoint)
    size = f"@{p.dimensions}" if p.request_dimensions and p.dimensions else ""
    return f"{urlsplit(endpoint.base_url).netloc}/{endpoint.model_id}{size}/{p.input_style}"


def _usable(model: AIModel | UUID | None, *types: ModelType) -> AIModel:
    row = AIModel.objects.filter(pk=model).first() if isinstance(model, UUID) else model
    if row is None:
        raise NotFound(_("The model was removed, or none is chosen; choose another one."))
    if not row.is_enabled:
        raise Conflict(
            _("The model “%(name)s” is turned off; an admin can turn it on.") % {"name": row.name}
        )
    if row.type not in types:
        raise Invalid(
            f"The model {row.name!r} is of the type {row.type!r}, which does not fit here."
        )
    return row
