"""Keys of the installation, for its administrators: the list, a new one, rotation, the end.

For everybody else there is nothing here. The addresses work for an administrator without a space.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import add_refusal, posted
from accounts.keys.forms import KeyForm, RotationForm
from accounts.keys.pages import capability_groups
from accounts.keys.platform import (
    create_platform_key,
    revoke_platform_key,
    rotate_platform_key,
)
from accounts.keys.queries import get_platform_key, list_platform_keys, rows_of_platform
from accounts.keys.services import IssuedKey
from accounts.middleware import PersonRequest
from accounts.platform.administrators import is_administrator
from core.errors import Invalid, NotFound
from core.htmx import redirect, render


@never_cache
@require_http_methods(["GET", "POST"])
def list_keys_page(request: PersonRequest) -> HttpResponseBase:
    """List the keys of the installation; make a new one and show it this once."""
    if not is_administrator(request.user):
        raise NotFound(_("There is no such page."))
    form = KeyForm(posted(request))
    issued = None
    if form.is_valid():
        try:
            issued = create_platform_key(
                request.user, form.wish(), ip_address=request.META.get("REMOTE_ADDR")
            )
        except Invalid as refusal:
            add_refusal(form, refusal)
    return _page(request, form=KeyForm() if issued else form, issued=issued)


@never_cache
@require_POST
def rotate(request: PersonRequest, key_id: UUID) -> HttpResponseBase:
    """Replace a key and show the new one this once."""
    get_platform_key(request.user, key_id)
    form = RotationForm(request.POST)
    if not form.is_valid():
        raise Invalid(_("Choose for how long the old key works on."))
    address = request.META.get("REMOTE_ADDR")
    issued = rotate_platform_key(
        request.user, key_id=key_id, grace=form.grace(), ip_address=address
    )
    return _page(request, form=KeyForm(), issued=issued)


@require_POST
def revoke(request: PersonRequest, key_id: UUID) -> HttpResponseBase:
    """End a key."""
    address = request.META.get("REMOTE_ADDR")
    key = revoke_platform_key(request.user, key_id=key_id, ip_address=address)
    messages.success(request, _("%(name)s opens nothing any more.") % {"name": key.name})
    return redirect(request, reverse("platform_keys"))


def _page(request: PersonRequest, *, form: KeyForm, issued: IssuedKey | None) -> HttpResponseBase:
    context: dict[str, Any] = {
        "rows": rows_of_platform(list(list_platform_keys(request.user))),
        "form": form,
        "groups": capability_groups(form["capabilities"].value() or (), of_platform=True),
        "rotation": RotationForm(auto_id=False),
        "issued": issued,
    }
    status = 422 if form.errors else 200
    return render(request, "accounts/keys/platform.html", context, status=status)
