"""Pages of keys: the list, a new one, rotation, the end; and credentials of the playground."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import require
from accounts.forms import add_refusal, posted
from accounts.keys.authentication import TEST_SECONDS, mint_test_credential
from accounts.keys.external import HEADER, ExternalPerson, mint_token
from accounts.keys.forms import KeyForm, RotationForm, TestForm
from accounts.keys.pages import capability_groups
from accounts.keys.queries import choosable_bases, get_key, list_keys, rows_of, state_of
from accounts.keys.services import IssuedKey, create_key, revoke_key, rotate_key
from accounts.middleware import SpaceRequest
from accounts.models import ApiKey
from accounts.services.audit import record_audit
from core.errors import Conflict, Invalid, LimitReached
from core.htmx import redirect, render


@never_cache
@require_http_methods(["GET", "POST"])
def list_keys_page(request: SpaceRequest) -> HttpResponseBase:
    """List the keys of the space; make a new one and show it this once."""
    require(request.actor, "create", ApiKey)
    form = KeyForm(posted(request), bases=choosable_bases(request.actor))
    issued = None
    if request.method == "POST" and form.is_valid():
        try:
            issued = create_key(request.actor, form.wish())
        except (Invalid, LimitReached) as refusal:
            add_refusal(form, refusal)
    return _page(request, form=form, issued=issued)


@never_cache
@require_POST
def rotate(request: SpaceRequest, key_id: UUID) -> HttpResponseBase:
    """Replace a key and show the new one this once."""
    form = RotationForm(request.POST)
    get_key(request.actor, key_id)
    if not form.is_valid():
        raise Invalid(_("Choose for how long the old key works on."))
    issued = rotate_key(request.actor, key_id=key_id, grace=form.grace())
    fresh = KeyForm(bases=choosable_bases(request.actor))
    return _page(request, form=fresh, issued=issued, is_rotation=True)


@require_POST
def revoke(request: SpaceRequest, key_id: UUID) -> HttpResponseBase:
    """End a key."""
    key = revoke_key(request.actor, key_id=key_id)
    messages.success(request, _("%(name)s opens nothing any more.") % {"name": key.name})
    return redirect(request, reverse("keys"))


@never_cache
@require_POST
def test_credential(request: SpaceRequest, key_id: UUID) -> HttpResponseBase:
    """Give the playground a credential that acts as a key for ten minutes, and a user's token."""
    key = get_key(request.actor, key_id)
    require(request.actor, "change", key)
    if state_of(key) not in ("active", "ending"):
        raise Conflict(_("This key opens nothing any more."))
    form = TestForm(request.POST)
    if not form.is_valid():
        raise Invalid(_("An external user id has at most 128 characters."))
    headers = {"X-API-Key": mint_test_credential(key, user_id=request.user.pk)}
    subject = form.cleaned_data["subject"]
    if subject:
        person = ExternalPerson(subject=subject, name=form.cleaned_data["name"])
        headers[HEADER] = mint_token(key, person, expires_in_seconds=TEST_SECONDS)
    record_audit(request.actor, "key.test", target=key, for_external_person=bool(subject))
    return JsonResponse({"headers": headers, "expires_in_seconds": TEST_SECONDS})


test_credential.__test__ = False  # type: ignore[attr-defined]  # no case of pytest


def _page(
    request: SpaceRequest, *, form: KeyForm, issued: IssuedKey | None, is_rotation: bool = False
) -> HttpResponseBase:
    made = issued is not None and not is_rotation
    shown = KeyForm(bases=choosable_bases(request.actor)) if made else form
    chosen = set(shown["capabilities"].value() or ())
    context: dict[str, Any] = {
        "rows": rows_of(request.actor, list(list_keys(request.actor))),
        "form": shown,
        "groups": capability_groups(chosen, of_platform=False),
        "rotation": RotationForm(auto_id=False),
        "issued": issued,
        "tab": "keys",
    }
    status = 422 if form.errors else 200
    return render(request, "accounts/keys/list.html", context, status=status)
