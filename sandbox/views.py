"""Pages of sandboxes: the list with what lives in them, the form, and trying one out."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from core.errors import Conflict, ProjectError
from core.htmx import render
from sandbox.constants import Backend
from sandbox.forms import SandboxConfigForm
from sandbox.models import SandboxConfig
from sandbox.queries import (
    ConfigCard,
    card_of,
    get_config,
    list_configs,
    list_removed_configs,
    list_sessions,
)
from sandbox.services.configs import (
    archive_config,
    create_config,
    restore_config,
    set_default_config,
    update_config,
)
from sandbox.services.probing import ProbeAnswer, begin_probe, read_probe
from sandbox.services.sessions import stop_session
from sandbox.words import LIMIT_WORDS, enforcement_words


@require_GET
def sandboxes(request: SpaceRequest) -> HttpResponse:
    """List the space's sandboxes, and to administrators the workspaces that live."""
    may_change = may(request.actor, "create", SandboxConfig)
    context = {
        "rows": [_row(card) for card in list_configs(request.actor)],
        "sessions": list_sessions(request.actor, now=timezone.now()) if may_change else [],
        "removed": list_removed_configs(request.actor) if may_change else [],
        "may_change": may_change,
    }
    return render(request, "sandbox/sandboxes.html", context)


@require_http_methods(["GET", "POST"])
def sandbox_new(request: SpaceRequest) -> HttpResponseBase:
    """Set up a sandbox."""
    require(request.actor, "create", SandboxConfig)
    form = SandboxConfigForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            create_config(request.actor, values=form.values())
        except ProjectError as refusal:
            _refuse(form, refusal)
        else:
            return redirect("sandboxes")
    return _form_page(request, form, None)


@require_http_methods(["GET", "POST"])
def sandbox(request: SpaceRequest, config_id: UUID) -> HttpResponseBase:
    """Change a sandbox."""
    row = get_config(request.actor, config_id)
    require(request.actor, "change", row)
    card = card_of(row)
    form = SandboxConfigForm(request.POST if request.method == "POST" else None, card=card)
    if form.is_bound and form.is_valid():
        try:
            update_config(request.actor, config_id=row.pk, values=form.values())
        except ProjectError as refusal:
            _refuse(form, refusal)
        else:
            return redirect("sandboxes")
    return _form_page(request, form, card)


@require_POST
def sandbox_test(request: SpaceRequest, config_id: UUID | None = None) -> HttpResponse:
    """Let a worker try a saved sandbox out, or the installation's."""
    ticket = begin_probe(request.actor, config_id=config_id)
    return _report(request, ticket, None)


@require_GET
def sandbox_report(request: SpaceRequest, ticket: str) -> HttpResponse:
    """Show what trying it out showed; asked again until there is an answer."""
    return _report(request, ticket, read_probe(request.actor, ticket=ticket))


@require_POST
def sandbox_default(request: SpaceRequest, config_id: UUID) -> HttpResponseBase:
    """Make a sandbox the space's default."""
    set_default_config(request.actor, config_id=config_id)
    return redirect("sandboxes")


@require_POST
def sandbox_archive(request: SpaceRequest, config_id: UUID) -> HttpResponseBase:
    """Take a sandbox away."""
    archive_config(request.actor, config_id=config_id)
    messages.success(request, _("The sandbox was removed. You can restore it below."))
    return redirect("sandboxes")


@require_POST
def sandbox_restore(request: SpaceRequest, config_id: UUID) -> HttpResponseBase:
    """Undo taking a sandbox away."""
    try:
        restore_config(request.actor, config_id=config_id)
    except Conflict as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("The sandbox is there again."))
    return redirect("sandboxes")


@require_POST
def workspace_stop(request: SpaceRequest, workspace_id: UUID) -> HttpResponseBase:
    """Remove a workspace that lives."""
    stop_session(request.actor, session_id=workspace_id)
    messages.success(request, _("The workspace is being removed."))
    return redirect("sandboxes")


def _row(card: ConfigCard) -> dict[str, object]:
    return {
        "id": card.id,
        "name": card.name,
        "kind": str(Backend(card.backend).label),
        "is_default": card.is_default,
    }


def _report(request: SpaceRequest, ticket: str, answer: ProbeAnswer | None) -> HttpResponse:
    limits = [
        (str(label), enforcement_words(answer.limits[name]))
        for name, label in LIMIT_WORDS.items()
        if answer is not None and name in answer.limits
    ]
    context = {
        "ticket": ticket,
        "answer": answer,
        "detail": _(answer.detail) if answer is not None and answer.detail else "",
        "limits": limits,
    }
    return render(request, "sandbox/_report.html", context)


def _form_page(
    request: SpaceRequest, form: SandboxConfigForm, card: ConfigCard | None
) -> HttpResponse:
    status = 422 if form.is_bound else 200
    return render(request, "sandbox/sandbox.html", {"form": form, "card": card}, status=status)


def _refuse(form: SandboxConfigForm, refusal: ProjectError) -> None:
    field = str(refusal.data.get("field", ""))
    form.add_error(field if field in form.fields else None, refusal.message)
