"""Pages of models: the list, the form, and trying one out. Only admins come past the list."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from core.errors import ProjectError
from core.htmx import render
from providers.constants import ModelType, Provider
from providers.forms import AIModelForm
from providers.models import AIModel
from providers.queries import ModelCard, get_model_card, list_models
from providers.services.connection import ConnectionReport, check_connection
from providers.services.models import create_model, delete_model, set_default_model, update_model


@require_GET
def models(request: SpaceRequest) -> HttpResponse:
    """List the space's models by type."""
    context = {
        "groups": _groups(list_models(request.actor)),
        "may_change": may(request.actor, "create", AIModel),
    }
    return render(request, "providers/models.html", context)


@require_http_methods(["GET", "POST"])
def model_new(request: SpaceRequest) -> HttpResponseBase:
    """Add a model."""
    require(request.actor, "create", AIModel)
    initial = {"type": ModelType.CHAT, "provider": Provider.OPENAI_COMPATIBLE}
    form = AIModelForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_bound and form.is_valid():
        try:
            create_model(request.actor, values=form.values())
        except ProjectError as refusal:
            _refuse(form, refusal)
        else:
            return redirect("models")
    return _form_page(request, form, None)


@require_http_methods(["GET", "POST"])
def model(request: SpaceRequest, model_id: UUID) -> HttpResponseBase:
    """Change a model."""
    card = _card_to_change(request, model_id)
    form = AIModelForm(request.POST if request.method == "POST" else None, card=card)
    if form.is_bound and form.is_valid():
        try:
            update_model(request.actor, model_id=card.id, values=form.values())
        except ProjectError as refusal:
            _refuse(form, refusal)
        else:
            return redirect("models")
    return _form_page(request, form, card)


@require_POST
def model_test(request: SpaceRequest, model_id: UUID | None = None) -> HttpResponse:
    """Try a model as the form describes it, saved or not; stored secrets stand in."""
    require(request.actor, "create", AIModel)
    card = _card_to_change(request, model_id) if model_id else None
    form = AIModelForm(request.POST, card=card)
    if form.is_valid():
        try:
            report = check_connection(request.actor, model_id=model_id, values=form.values())
        except ProjectError as refusal:
            report = ConnectionReport(ok=False, message=refusal.message)
    else:
        report = ConnectionReport(ok=False, message=_first_problem(form))
    return render(request, "providers/_report.html", {"report": report})


@require_POST
def model_default(request: SpaceRequest, model_id: UUID) -> HttpResponseBase:
    """Make a model the default of its type."""
    set_default_model(request.actor, model_id=model_id)
    return redirect("models")


@require_POST
def model_delete(request: SpaceRequest, model_id: UUID) -> HttpResponseBase:
    """Delete a model."""
    delete_model(request.actor, model_id=model_id)
    return redirect("models")


def _card_to_change(request: SpaceRequest, model_id: UUID) -> ModelCard:
    card = get_model_card(request.actor, model_id=model_id)
    require(request.actor, "change", AIModel.objects.get(pk=card.id))
    return card


def _form_page(request: SpaceRequest, form: AIModelForm, card: ModelCard | None) -> HttpResponse:
    status = 422 if form.is_bound else 200
    return render(request, "providers/model.html", {"form": form, "card": card}, status=status)


def _groups(cards: list[ModelCard]) -> list[dict[str, Any]]:
    """Return the cards by type, in the order of the types; empty types are left out."""
    groups = []
    for kind in ModelType:
        rows = [_row(card) for card in cards if card.type == kind]
        if rows:
            groups.append({"label": str(kind.label), "rows": rows})
    return groups


def _row(card: ModelCard) -> dict[str, Any]:
    return {
        "id": card.id,
        "name": card.name,
        "service": str(Provider(card.provider).label),
        "model_id": card.model_id,
        "address": card.base_url,
        "is_default": card.is_default,
        "is_enabled": card.is_enabled,
        "is_builtin": bool(card.builtin_key),
    }


def _refuse(form: AIModelForm, refusal: ProjectError) -> None:
    field = str(refusal.data.get("field", ""))
    form.add_error(field if field in form.fields else None, refusal.message)


def _first_problem(form: AIModelForm) -> str:
    for name, errors in form.errors.items():
        label = form.fields[name].label if name in form.fields else ""
        return f"{label}: {errors[0]}" if label else str(errors[0])
    return _("The form cannot be read.")
