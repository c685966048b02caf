"""The person's own page."""

from __future__ import annotations

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.forms import ProfileForm, posted
from accounts.middleware import PersonRequest
from accounts.services.profile import change_name
from core.htmx import redirect, render


@require_http_methods(["GET", "POST"])
def edit_profile(request: PersonRequest) -> HttpResponseBase:
    """Show and change what the person is called; the password has its own page."""
    form = ProfileForm(posted(request), initial={"name": request.user.name})
    if form.is_valid():
        change_name(request.user, name=form.cleaned_data["name"])
        messages.success(request, _("Saved."))
        return redirect(request, request.path)
    return render(
        request, "accounts/profile.html", {"form": form}, status=422 if form.errors else 200
    )
