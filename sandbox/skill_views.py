"""Pages of skills: the catalogue, one skill, and what administrators do with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, BinaryIO, cast
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.access import may, require
from accounts.middleware import SpaceRequest
from core.errors import AccessDenied, Conflict, Invalid, NotFound, ProjectError
from core.htmx import render
from sandbox.services.skill_install import Installed, install_offered, install_zip
from sandbox.services.skill_variables import set_variable
from sandbox.services.skills import (
    agree,
    choose_version,
    decline,
    remove_skill,
    restore_skill,
    set_enabled,
)
from sandbox.skill_constants import SkillSource
from sandbox.skill_models import Skill
from sandbox.skill_queries import (
    get_skill,
    get_version,
    list_log,
    list_offered,
    list_removed,
    list_skills,
    list_variables,
    list_versions,
)
from sandbox.skills.permissions import Permissions, read_permissions


@require_GET
def skills(request: SpaceRequest) -> HttpResponse:
    """Show what is installed, and to administrators what can be."""
    may_change = may(request.actor, "create", Skill)
    context = {
        "cards": list_skills(request.actor),
        "offered": list_offered() if may_change else [],
        "removed": list_removed(request.actor),
        "log": list_log(request.actor),
        "may_change": may_change,
    }
    return render(request, "skills/skills.html", context)


@require_POST
def skill_upload(request: SpaceRequest) -> HttpResponseBase:
    """Install an uploaded zip."""
    require(request.actor, "create", Skill)
    file = request.FILES.get("file")
    if file is None or isinstance(file, list):
        return _back(request, Invalid(_("Choose a zip file first.")))
    name, source = file.name or "", cast(BinaryIO, file.file)
    return _installing(request, lambda: install_zip(request.actor, source=source, file_name=name))


@require_POST
def skill_install(request: SpaceRequest) -> HttpResponseBase:
    """Install a skill that lies on the server, with the permissions that were shown."""
    require(request.actor, "create", Skill)
    try:
        source = SkillSource(request.POST.get("source", ""))
        agreed = _shown(request)
    except (ValueError, ProjectError):
        return _back(request, Invalid(_("The form cannot be read.")))
    name = request.POST.get("name", "")
    return _installing(
        request, lambda: install_offered(request.actor, source=source, name=name, agreed=agreed)
    )


@require_GET
def skill(request: SpaceRequest, skill_id: UUID) -> HttpResponse:
    """Show a skill: its instructions' versions, what it may, and its variables."""
    row = get_skill(request.actor, skill_id)
    context: dict[str, Any] = {
        "skill": row,
        "versions": list_versions(row),
        "variables": list_variables(request.actor, row),
        "log": list_log(request.actor, skill=row),
        "may_change": may(request.actor, "change", row),
    }
    return render(request, "skills/skill.html", context)


@require_POST
def skill_switch(request: SpaceRequest, skill_id: UUID) -> HttpResponseBase:
    """Turn a skill on or off."""
    enabled = request.POST.get("enabled") == "true"
    set_enabled(request.actor, skill_id=skill_id, enabled=enabled)
    messages.success(request, _("The skill is on.") if enabled else _("The skill is off."))
    return redirect("skill", skill_id=skill_id)


@require_POST
def skill_remove(request: SpaceRequest, skill_id: UUID) -> HttpResponseBase:
    """Uninstall a skill."""
    remove_skill(request.actor, skill_id=skill_id)
    messages.success(request, _("The skill was uninstalled. You can restore it below."))
    return redirect("skills")


@require_POST
def skill_restore(request: SpaceRequest, skill_id: UUID) -> HttpResponseBase:
    """Undo uninstalling."""
    restore_skill(request.actor, skill_id=skill_id)
    messages.success(request, _("The skill is installed again."))
    return redirect("skill", skill_id=skill_id)


@require_POST
def skill_variable(request: SpaceRequest, skill_id: UUID) -> HttpResponseBase:
    """Store a variable; what was entered is not shown again, not even in an error."""
    personal = request.POST.get("personal") == "true"
    try:
        set_variable(
            request.actor,
            skill_id=skill_id,
            name=request.POST.get("name", ""),
            value=request.POST.get("value", ""),
            personal=personal,
        )
    except Invalid as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("The variable was saved."))
    return redirect("skill", skill_id=skill_id)


@require_POST
def skill_agree(request: SpaceRequest, skill_version_id: UUID) -> HttpResponseBase:
    """Agree to what a version asks for."""
    return _with_version(
        request,
        skill_version_id,
        lambda: agree(request.actor, version_id=skill_version_id, shown=_shown(request)),
        _("The version is in use."),
    )


@require_POST
def skill_decline(request: SpaceRequest, skill_version_id: UUID) -> HttpResponseBase:
    """Do not use a version."""
    return _with_version(
        request,
        skill_version_id,
        lambda: decline(request.actor, version_id=skill_version_id),
        _("The version is not used."),
    )


@require_POST
def skill_use(request: SpaceRequest, skill_version_id: UUID) -> HttpResponseBase:
    """Go back, or forward, to a version."""
    return _with_version(
        request,
        skill_version_id,
        lambda: choose_version(request.actor, version_id=skill_version_id),
        _("The version is in use."),
    )


def _shown(request: SpaceRequest) -> Permissions:
    try:
        return read_permissions(json.loads(request.POST.get("shown", "")))
    except ValueError as error:
        raise Invalid(_("The form cannot be read.")) from error


def _installing(request: SpaceRequest, install: Callable[[], Installed]) -> HttpResponseBase:
    try:
        made = install()
    except (AccessDenied, NotFound):
        raise
    except ProjectError as refusal:
        return _back(request, refusal)
    words = {
        "in_use": _("The skill is installed."),
        "waits": _("The skill waits for your consent to what it asks for."),
        "unchanged": _("This very version is in use already."),
    }
    messages.success(request, words[made.state])
    return redirect("skill", skill_id=made.skill_id)


def _with_version(
    request: SpaceRequest, version_id: UUID, act: Callable[[], None], done: str
) -> HttpResponseBase:
    skill_id = get_version(request.actor, version_id).skill_id
    try:
        act()
    except (Conflict, Invalid) as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, done)
    return redirect("skill", skill_id=skill_id)


def _back(request: SpaceRequest, refusal: ProjectError) -> HttpResponseBase:
    messages.error(request, refusal.message)
    return redirect("skills")
