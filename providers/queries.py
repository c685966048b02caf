"""Reads of model rows, without their secrets."""

from __future__ import annotations

import json
from dataclasses import dataclass
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from core.errors import NotFound
from providers.models import AIModel
from providers.parameters import ModelParameters, read_parameters


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """A model as pages and the API show it. Secrets are only said to be there."""

    id: UUID
    name: str
    type: str
    provider: str
    model_id: str
    base_url: str
    has_api_key: bool
    header_names: tuple[str, ...]
    parameters: ModelParameters
    is_default: bool
    is_enabled: bool
    builtin_key: str
    max_concurrency: int


def list_models(actor: Actor, *, type: str | None = None) -> list[ModelCard]:
    """Return the space's models by type and name, of one type when it is named."""
    rows = visible(actor, "view", AIModel.objects.all())
    if type is not None:
        rows = rows.filter(type=type)
    return [card_of(row) for row in rows]


def get_model_card(actor: Actor, *, model_id: UUID) -> ModelCard:
    """Return one model.

    Raises:
        NotFound: there is none with that id in the space.
    """
    row = visible(actor, "view", AIModel.objects.filter(pk=model_id)).first()
    if row is None:
        raise NotFound(_("There is no such model."))
    return card_of(row)


def card_of(row: AIModel) -> ModelCard:
    """Return what may be shown of a row."""
    return ModelCard(
        id=row.pk,
        name=row.name,
        type=row.type,
        provider=row.provider,
        model_id=row.model_id,
        base_url=row.base_url,
        has_api_key=bool(row.api_key),
        header_names=tuple(read_headers(row)),
        parameters=read_parameters(row.parameters),
        is_default=row.is_default,
        is_enabled=row.is_enabled,
        builtin_key=row.builtin_key,
        max_concurrency=row.max_concurrency,
    )


def read_headers(row: AIModel) -> dict[str, str]:
    """Return the row's extra headers with their values: for adapters, never for people."""
    return {str(k): str(v) for k, v in json.loads(row.extra_headers or "{}").items()}
