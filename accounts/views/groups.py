"""Pages of a space's groups, and the picker of people and groups."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import may
from accounts.forms import add_refusal, posted
from accounts.middleware import SpaceRequest
from accounts.models import SpaceGroup
from accounts.services.groups import (
    add_to_group,
    change_group,
    create_group,
    delete_group,
    get_group,
    list_groups,
    people_and_groups,
    people_in,
    people_outside,
    take_from_group,
)
from accounts.space_forms import GroupForm
from core.errors import Conflict, Invalid
from core.htmx import redirect, render


@require_http_methods(["GET", "POST"])
def list_all(request: SpaceRequest) -> HttpResponseBase:
    """Show the groups; make one."""
    form = GroupForm(posted(request))
    may_make = may(request.actor, "create", SpaceGroup)
    if request.method == "POST" and (form.is_valid() or not may_make):
        try:
            made = create_group(
                request.actor,
                name=form.cleaned_data.get("name", ""),
                description=form.cleaned_data.get("description", ""),
            )
        except (Invalid, Conflict) as refusal:
            add_refusal(form, refusal)
        else:
            return redirect(request, reverse("group", args=[made.pk]))
    context = {
        "rows": list_groups(request.actor),
        "form": form if may_make else None,
        "tab": "groups",
    }
    status = 422 if form.errors else 200
    return render(request, "accounts/groups.html", context, status=status)


@require_http_methods(["GET", "POST"])
def group(request: SpaceRequest, group_id: int) -> HttpResponseBase:
    """Show a group with its members; change its name."""
    found = get_group(request.actor, group_id)
    may_change = may(request.actor, "change", found)
    known = {"name": found.name, "description": found.description}
    form = GroupForm(posted(request), initial=known)
    if request.method == "POST" and (form.is_valid() or not may_change):
        try:
            change_group(
                request.actor,
                group_id=group_id,
                name=form.cleaned_data.get("name", ""),
                description=form.cleaned_data.get("description", ""),
            )
        except (Invalid, Conflict) as refusal:
            add_refusal(form, refusal)
            found.refresh_from_db()
        else:
            messages.success(request, _("Changes saved."))
            return redirect(request, request.path)
    context = {
        "group": found,
        "people": people_in(found),
        "others": people_outside(request.actor, found) if may_change else [],
        "form": form if may_change else None,
        "tab": "groups",
    }
    status = 422 if form.errors else 200
    return render(request, "accounts/groups_one.html", context, status=status)


@require_POST
def delete(request: SpaceRequest, group_id: int) -> HttpResponseBase:
    """Delete a group."""
    name = delete_group(request.actor, group_id=group_id)
    messages.success(request, _("The group %(name)s is deleted.") % {"name": name})
    return redirect(request, reverse("groups"))


@require_POST
def add(request: SpaceRequest, group_id: int) -> HttpResponseBase:
    """Put members into a group."""
    chosen = [int(each) for each in request.POST.getlist("user") if _is_number(each)]
    try:
        add_to_group(request.actor, group_id=group_id, user_ids=chosen)
    except Invalid as refusal:
        messages.error(request, refusal.message)
    return redirect(request, reverse("group", args=[group_id]))


@require_POST
def take_out(request: SpaceRequest, group_id: int, user_id: int) -> HttpResponseBase:
    """Take somebody out of a group."""
    person = take_from_group(request.actor, group_id=group_id, user_id=user_id)
    text = _("%(person)s is no longer in the group.") % {"person": str(person)}
    messages.success(request, text)
    return redirect(request, reverse("group", args=[group_id]))


@never_cache
@require_GET
def pick(request: SpaceRequest) -> HttpResponseBase:
    """Return people and groups by a part of their name: options for htmx, JSON for scripts."""
    found = people_and_groups(request.actor, request.GET.get("q", ""))
    if _wants_json(request):
        picks = [
            {"value": each.value, "kind": each.kind, "label": each.label, "detail": each.detail}
            for each in found
        ]
        return JsonResponse({"picks": picks})
    return render(request, "accounts/groups_picks.html", {"picks": found})


def _wants_json(request: HttpRequest) -> bool:
    return "application/json" in request.headers.get("Accept", "")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
