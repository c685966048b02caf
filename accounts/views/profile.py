"""The person's own page."""

from __future__ import annotations

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.forms import ProfileForm, posted
from accounts.middleware import PersonRequest
from accounts.services.profile import change_profile
from core.htmx import redirect, render


@require_http_methods(["GET", "POST"])
def edit_profile(request: PersonRequest) -> HttpResponseBase:
    """Show and change name and language; passwords and factors have a page of their own."""
    known = {"name": request.user.name, "language": request.user.language}
    form = ProfileForm(posted(request), initial=known)
    if form.is_valid():
        change_profile(request.user, **form.cleaned_data)
        with translation.override(request.user.language or translation.get_language()):
            messages.success(request, _("Changes saved."))
        return redirect(request, request.path)
    return render(
        request, "accounts/profile.html", {"form": form}, status=422 if form.errors else 200
    )
