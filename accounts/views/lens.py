"""The access lens of a space, for its admins."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.middleware import SpaceRequest
from accounts.platform.lens import look_as_member
from accounts.platform.lens_page import read_lens_page
from core.htmx import render


@never_cache
@require_GET
def show_lens(request: SpaceRequest) -> HttpResponseBase:
    """Show what a member may do with something and why, or what they see."""
    look = look_as_member(request.actor, request.user)
    page = read_lens_page(look, request.GET.dict())
    return render(request, "accounts/lens.html", {"page": page, "tab": "lens"})
