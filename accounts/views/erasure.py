"""Pages of erasure: a person's own account, and the administrators' list."""

from __future__ import annotations

from uuid import UUID

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import add_refusal, posted
from accounts.middleware import PersonRequest, SpaceRequest
from accounts.platform.erasure_forms import DeleteAccountForm, ErasureForm
from accounts.platform.erasure_pages import erasure_rows
from accounts.platform.erasure_requests import (
    delete_own_account,
    find_subject,
    list_erasures,
    request_erasure,
    retry_erasure,
    spaces_in_the_way,
    spaces_that_go,
)
from core.errors import Conflict, NotFound, Refused
from core.htmx import redirect, render


@require_http_methods(["GET", "POST"])
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth ships no types
def delete_account(request: PersonRequest) -> HttpResponseBase:
    """Say what goes and what stays; then let the person go."""
    form = DeleteAccountForm(posted(request), user=request.user)
    if form.is_valid():
        try:
            delete_own_account(request.user, with_documents=form.cleaned_data["with_documents"])
        except (Refused, Conflict) as refusal:
            add_refusal(form, refusal)
        else:
            logout(request)
            messages.success(request, _("Your account is being deleted. You are signed out."))
            return redirect(request, reverse("account_login"))
    context = {
        "form": form,
        "in_the_way": spaces_in_the_way(request.user),
        "going": spaces_that_go(request.user),
    }
    return render(
        request, "accounts/delete_account.html", context, status=422 if form.errors else 200
    )


@require_http_methods(["GET", "POST"])
def erasures(request: SpaceRequest) -> HttpResponseBase:
    """Show what was erased, and begin another erasure."""
    form = ErasureForm(posted(request))
    rows = list_erasures(request.user)
    if form.is_valid():
        data = form.cleaned_data
        try:
            request_erasure(
                request.user,
                kind=data["kind"],
                subject_id=find_subject(data["kind"], data["subject"]),
                reason=data["reason"],
                with_documents=data["with_documents"],
            )
        except (Refused, Conflict, NotFound) as refusal:
            add_refusal(form, refusal)
            rows = list_erasures(request.user)
        else:
            messages.success(request, _("It is hidden at once. A background job erases it now."))
            return redirect(request, reverse("erasures"))
    context = {"form": form, "rows": erasure_rows(rows)}
    return render(request, "accounts/erasures.html", context, status=422 if form.errors else 200)


@require_POST
def erasure_retry(request: SpaceRequest, erasure_id: UUID) -> HttpResponseBase:
    """Go on with an erasure that failed."""
    retry_erasure(request.user, erasure_id=erasure_id)
    messages.success(request, _("The job goes on."))
    return redirect(request, reverse("erasures"))
