"""The access lens on the admin site: any space, for administrators of the installation."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from accounts.admin_base import administrator_of
from accounts.models import Space
from accounts.platform.lens import look_as_administrator
from accounts.platform.lens_page import read_lens_page


def show_lens(request: HttpRequest, *, site: AdminSite) -> HttpResponseBase:
    """Ask for a space first, then as on the space's own page."""
    user = administrator_of(request)
    chosen = request.GET.get("space", "")
    query: Any = request.GET.dict()
    page = None
    if chosen.isdecimal():
        page = read_lens_page(look_as_administrator(user, space_id=int(chosen)), query)
    context = {
        **site.each_context(request),
        "title": _("Access lens"),
        "spaces": Space.objects.order_by("name")[:500],
        "chosen": chosen,
        "page": page,
    }
    response = TemplateResponse(request, "admin/lens.html", context)
    response.headers["Cache-Control"] = "no-store"
    return response
