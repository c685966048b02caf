"""Use cases of model rows: create, change, delete, and the default of each type."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.db.models import ProtectedError
from django.utils.translation import gettext as _

from accounts.access import Actor, require
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, NotFound
from core.wording import listed
from providers.constants import ModelType
from providers.models import AIModel
from providers.parameters import read_parameters
from providers.queries import read_headers
from providers.values import ModelValues, check_values, same_address


def create_model(actor: Actor, *, values: ModelValues) -> AIModel:
    """Add a model to the actor's space; the first of its type becomes the default.

    Raises:
        AccessDenied: only admins may.
        Invalid: a value can't be used; `field` names it.
    """
    require(actor, "create", AIModel)
    check_values(values)
    _check_currency(values, model_id=None)
    row = AIModel(space_id=actor.space_id)
    with transaction.atomic():
        first = not AIModel.objects.filter(type=values.type, is_default=True).exists()
        _write(row, values, is_default=values.is_default or (first and values.is_enabled))
        record_audit(actor, "model.create", target=row, **_facts(row))
    return row


def update_model(actor: Actor, *, model_id: UUID, values: ModelValues) -> AIModel:
    """Change a model. Secrets that are None stay as they are.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Invalid: a value can't be used, or the key must be entered again because the address
            changed (else a stored key could be sent to an address of one's choice).
        Conflict: it is built in, and what it is can't be changed.
    """
    check_values(values)
    with transaction.atomic():
        row = _locked_row(actor, "change", model_id)
        _check_change(row, values)
        _check_currency(values, model_id=row.pk)
        old, secrets = _facts(row), (row.api_key, row.extra_headers)
        _write(row, values, is_default=values.is_default)
        record_audit(
            actor,
            "model.change",
            target=row,
            old=old,
            new=_facts(row),
            secrets_changed=secrets != (row.api_key, row.extra_headers),
        )
    return row


def set_default_model(actor: Actor, *, model_id: UUID) -> AIModel:
    """Make a model the default of its type.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Conflict: it is switched off.
    """
    with transaction.atomic():
        row = _locked_row(actor, "change", model_id)
        if not row.is_enabled:
            raise Conflict(_("It is turned off; turn it on first."))
        _clear_default(row.type)
        row.is_default = True
        row.save(update_fields=["is_default", "updated_at"])
        record_audit(actor, "model.default", target=row, type=row.type)
    return row


def delete_model(actor: Actor, *, model_id: UUID) -> None:
    """Delete a model that nothing uses.

    Raises:
        NotFound, AccessDenied: the actor may not.
        Conflict: it is built in (switch it off instead), or a base or agent uses it.
    """
    with transaction.atomic():
        row = _locked_row(actor, "delete", model_id)
        if row.builtin_key:
            raise Conflict(_("Built-in models cannot be deleted; turn it off instead."))
        record_audit(actor, "model.delete", target=row, **_facts(row))
        try:
            row.delete()
        except ProtectedError as error:
            users = sorted({str(o._meta.verbose_name) for o in error.protected_objects})
            raise Conflict(
                _("It is in use by: %(names)s. Choose another model there first.")
                % {"names": listed(users)}
            ) from error


def default_model(space_id: int, type: ModelType | str) -> AIModel:
    """Return the space's default model of a type.

    Raises:
        NotFound: there is none; says where to choose it.
    """
    row = AIModel.objects.filter(
        space_id=space_id, type=type, is_default=True, is_enabled=True
    ).first()
    if row is None:
        label = ModelType(type).label
        raise NotFound(
            _("This space has no default %(label)s model; an admin can choose one.")
            % {"label": label}
        )
    return row


def _locked_row(actor: Actor, action: str, model_id: UUID) -> AIModel:
    row = AIModel.objects.select_for_update().filter(pk=model_id).first()
    if row is None:
        raise NotFound(_("There is no such model."))
    require(actor, "delete" if action == "delete" else "change", row)
    return row


def _check_change(row: AIModel, values: ModelValues) -> None:
    if row.builtin_key and (row.type, row.provider) != (values.type, values.provider):
        raise Conflict(_("A built-in model keeps its type and service."))
    if row.type != values.type:
        raise Invalid(_("A model keeps its type; add another model instead."), field="type")
    if row.base_url and not same_address(row.base_url, values.base_url):
        if row.api_key and values.api_key is None:
            raise Invalid(_("Enter the key again: the address changed."), field="api_key")
        if read_headers(row) and values.extra_headers is None:
            raise Invalid(_("Enter the headers again: the address changed."), field="extra_headers")


def _check_currency(values: ModelValues, *, model_id: UUID | None) -> None:
    """Costs of a space are added up, so its prices have one currency."""
    if not values.parameters.has_prices:
        return
    for other in AIModel.objects.only("parameters"):
        if other.pk == model_id:
            continue
        parameters = read_parameters(other.parameters)
        if parameters.has_prices and parameters.currency != values.parameters.currency:
            raise Invalid(
                _(
                    "The prices of this space's other models are in %(currency)s; enter these in it, too."
                )
                % {"currency": parameters.currency},
                field="currency",
            )


def _write(row: AIModel, values: ModelValues, *, is_default: bool) -> None:
    row.name = values.name.strip()
    row.type = values.type
    row.provider = values.provider
    row.model_id = values.model_id.strip()
    row.base_url = values.base_url.strip()
    row.parameters = values.parameters.model_dump(exclude_defaults=True)
    row.is_enabled = values.is_enabled
    row.is_default = is_default
    row.max_concurrency = values.max_concurrency
    if values.api_key is not None:
        row.api_key = values.api_key.strip()
    if values.extra_headers is not None:
        headers = dict(values.extra_headers)
        row.extra_headers = json.dumps(headers) if headers else ""
    if is_default:
        _clear_default(row.type)
    row.save()


def _facts(row: AIModel) -> dict[str, Any]:
    """Return what the audit keeps of a model: no key, no header, and of its address the host."""
    return {
        "type": row.type,
        "provider": row.provider,
        "model_id": row.model_id,
        "host": urlsplit(row.base_url).hostname or "",
        "is_enabled": row.is_enabled,
        "is_default": row.is_default,
    }


def _clear_default(type: str) -> None:
    AIModel.objects.filter(type=type, is_default=True).update(is_default=False)
