"""Brings a space's built-in models in line with the file."""

from __future__ import annotations

import json

from django.db import transaction
from django.db.models import ProtectedError

from core.tenancy import space_scope
from providers.builtin import BuiltinModel, read_builtin_models
from providers.models import AIModel


def sync_builtin_models(space_id: int) -> list[AIModel]:
    """Create, update or remove the space's built-in models; return those that are there now.

    What admins decide stays: whether a model is on, whether it is the default, how many background
    calls it gets. An entry that left the file is deleted, or switched off while something uses it.
    """
    entries = read_builtin_models()
    with space_scope(space_id), transaction.atomic():
        rows = [_upsert(space_id, entry) for entry in entries]
        gone = AIModel.objects.exclude(builtin_key="").exclude(
            builtin_key__in=[entry.key for entry in entries]
        )
        for row in gone:
            _remove(row)
        for entry, row in zip(entries, rows, strict=True):
            _maybe_default(entry, row)
    return rows


def _upsert(space_id: int, entry: BuiltinModel) -> AIModel:
    row = AIModel.objects.filter(builtin_key=entry.key).first()
    fields = {
        "name": entry.name,
        "type": entry.type,
        "provider": entry.provider,
        "model_id": entry.model_id,
        "base_url": entry.base_url,
        "api_key": entry.api_key,
        "extra_headers": json.dumps(entry.extra_headers) if entry.extra_headers else "",
        "parameters": entry.parameters.model_dump(exclude_defaults=True),
    }
    if row is None:
        row = AIModel(
            space_id=space_id, builtin_key=entry.key, max_concurrency=entry.max_concurrency
        )
    elif all(getattr(row, name) == value for name, value in fields.items()):
        return row  # unchanged: keep its version, and with it the clients that are open
    for name, value in fields.items():
        setattr(row, name, value)
    row.save()
    return row


def _maybe_default(entry: BuiltinModel, row: AIModel) -> None:
    taken = AIModel.objects.filter(type=row.type, is_default=True).exists()
    if entry.default and row.is_enabled and not taken:
        row.is_default = True
        row.save(update_fields=["is_default", "updated_at"])


def _remove(row: AIModel) -> None:
    try:
        with transaction.atomic():
            row.delete()
    except ProtectedError:
        row.is_enabled = row.is_default = False
        row.save(update_fields=["is_enabled", "is_default", "updated_at"])
