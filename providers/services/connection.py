"""Tries a model out before or after it is saved, and says what came back."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Invalid, NotFound
from providers.constants import ModelType, Provider
from providers.contracts.chat import ChatMessage, ChatOptions, ImagePart
from providers.contracts.errors import ModelError
from providers.models import AIModel
from providers.services.clients import build_chat_model, build_embedding_model, build_rerank_model
from providers.values import ModelValues, check_values, same_address

TIMEOUT_SECONDS = 30.0
_ONE_PIXEL_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@dataclass(frozen=True, kw_only=True)
class ConnectionReport:
    """What trying a model out showed."""

    ok: bool
    message: str
    """For the person at the form."""
    provider_message: str = ""
    """The service's own words, without secrets."""
    latency_ms: int = 0
    details: Mapping[str, str] = field(default_factory=dict)


def check_connection(
    actor: Actor, *, model_id: UUID | None = None, values: ModelValues | None = None
) -> ConnectionReport:
    """Call a saved model, or one that is being entered, with the smallest sensible request.

    With both, the stored secrets stand in for those that were not entered, but only towards the
    address they were entered for.

    Raises:
        NotFound, AccessDenied: the actor may not change models.
        Invalid: a value can't be used.
    """
    row = _row_to_try(actor, model_id, values)
    report = _call(row)
    record_audit(
        actor,
        "model.test",
        target=None if row._state.adding else row,
        outcome="done" if report.ok else "failed",
        name=row.name,
        host=urlsplit(row.base_url).hostname or "",
        kind=report.details.get("kind", ""),
    )
    return report


def _call(row: AIModel) -> ConnectionReport:
    started = time.monotonic()
    try:
        details = _try(row)
    except ModelError as error:
        return ConnectionReport(
            ok=False,
            message=error.message,
            provider_message=error.provider_message,
            latency_ms=_since(started),
            details={"kind": error.kind, "status": str(error.status or "")},
        )
    return ConnectionReport(
        ok=True, message="The model answers.", latency_ms=_since(started), details=details
    )


def _row_to_try(actor: Actor, model_id: UUID | None, values: ModelValues | None) -> AIModel:
    stored = AIModel.objects.filter(pk=model_id).first() if model_id else None
    if model_id and stored is None:
        raise NotFound(_("There is no such model."))
    if stored is None:
        require(actor, "create", AIModel)
    else:
        require(actor, "change", stored)
    if values is None:
        if stored is None:
            raise Invalid(_("Enter a model, or name a saved one."))
        return stored
    check_values(values)
    return _unsaved_row(actor, values, stored)


def _unsaved_row(actor: Actor, values: ModelValues, stored: AIModel | None) -> AIModel:
    reuse = stored is not None and same_address(stored.base_url, values.base_url)
    api_key, headers = values.api_key, values.extra_headers
    if api_key is None:
        api_key = stored.api_key if stored is not None and reuse else ""
    stored_headers = stored.extra_headers if stored is not None and reuse else ""
    return AIModel(
        space_id=actor.space_id,
        name=values.name,
        type=values.type,
        provider=values.provider,
        model_id=values.model_id.strip(),
        base_url=values.base_url.strip(),
        api_key=api_key.strip(),
        extra_headers=stored_headers if headers is None else json.dumps(dict(headers)),
        parameters=values.parameters.model_dump(),
    )


def _try(row: AIModel) -> dict[str, str]:
    row.parameters = {**row.parameters, "timeout_seconds": TIMEOUT_SECONDS}
    match row.type:
        case ModelType.EMBEDDING:
            vectors = build_embedding_model(row).embed(["connection test"], kind="query")
            return {"dimensions": str(vectors.shape[1])}
        case ModelType.RERANK:
            scores = build_rerank_model(row).rerank("capital", ["Seoul is a capital", "A pear"])
            return {"scores": ", ".join(f"{score.score:.3f}" for score in scores)}
        case ModelType.CHAT | ModelType.VISION:
            return asyncio.run(_try_chat(row))
        case _:
            raise Invalid(
                f"Models of the type {row.type!r} cannot be tried out here.", field="type"
            )


async def _try_chat(row: AIModel) -> dict[str, str]:
    image = ImagePart(media_type="image/png", data_base64=_ONE_PIXEL_PNG)
    images = (image,) if row.type == ModelType.VISION else ()
    question = ChatMessage(role="user", content="Answer with the word OK.", images=images)
    text, reasoning, finish = "", "", ""
    options = ChatOptions(timeout_seconds=TIMEOUT_SECONDS)
    async for chunk in build_chat_model(row).stream([question], options=options):
        text += chunk.text
        reasoning += chunk.reasoning
        finish = chunk.finish_reason or finish
    if not text.strip() and not reasoning.strip():
        raise ModelError("bad_response", "The model answered nothing.")
    details = {"answer": text.strip()[:200], "finish": finish}
    return {**details, "extractive": "yes"} if row.provider == Provider.LOCAL else details


def _since(started: float) -> int:
    return round((time.monotonic() - started) * 1000)
