"""What all pages of the admin site stand on: superusers only, rows of all spaces, asked before done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin

from accounts.models import User
from accounts.platform.administrators import is_administrator, require_administrator
from accounts.services.platform_audit import record_platform_audit
from core.errors import ProjectError
from core.tenancy import unscoped

# The theme comes without types; what is built on its classes is checked as far as ours goes.
# mypy: disable-error-code="misc"

REASON = "the admin site lists rows of all spaces"
CONFIRMED = "confirmed"
MOST_ROWS = 500
"""So many rows one action works on at most."""


def administrator_of(request: HttpRequest) -> User:
    """Return who asks, an administrator of the installation."""
    return require_administrator(request.user)


class SuperuserAdmin(ModelAdmin):
    """Opens a model to superusers alone, whatever permissions others were given."""

    list_filter_submit = True
    warn_unsaved_form = True

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the model in the menu."""
        return is_administrator(request.user)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Show rows."""
        return is_administrator(request.user)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Add rows."""
        return is_administrator(request.user)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Change rows."""
        return is_administrator(request.user)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Delete rows."""
        return is_administrator(request.user)

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """Write an addition to the audit of the installation, too."""
        self._audit(request, "admin.add", obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """Write a change to the audit of the installation, too: which fields, not their values."""
        self._audit(request, "admin.change", obj, changes=message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Write deletions to the audit of the installation, too."""
        for row in queryset:
            self._audit(request, "admin.delete", row)
        return super().log_deletions(request, queryset)

    def _audit(self, request: HttpRequest, action: str, row: Model, **details: Any) -> None:
        address = request.META.get("REMOTE_ADDR")
        user = administrator_of(request)
        record_platform_audit(user, action, target=row, ip_address=address, **details)

    def confirmed(
        self,
        request: HttpRequest,
        queryset: QuerySet[Any],
        *,
        question: str | Promise,
        run: Callable[[Any], object],
        is_dangerous: bool = False,
    ) -> HttpResponseBase | None:
        """Ask before an action; once it is confirmed, run it for each row and say how it went."""
        rows = list(queryset[: MOST_ROWS + 1])
        if len(rows) > MOST_ROWS:
            self.message_user(
                request, _("At most %d rows at once.") % MOST_ROWS, level=messages.ERROR
            )
            return None
        if request.POST.get(CONFIRMED) != "yes":
            context = {
                **self.admin_site.each_context(request),
                "title": question,
                "opts": self.model._meta,
                "rows": rows,
                "action": request.POST.get("action", ""),
                "checkbox": ACTION_CHECKBOX_NAME,
                "is_dangerous": is_dangerous,
            }
            return TemplateResponse(request, "admin/confirm_action.html", context)
        self._run(request, rows, run)
        return None

    def _run(self, request: HttpRequest, rows: list[Any], run: Callable[[Any], object]) -> None:
        done = 0
        for row in rows:
            try:
                run(row)
            except ProjectError as refusal:
                self.message_user(request, f"{row}: {refusal.message}", level=messages.ERROR)
            else:
                done += 1
        if done:
            self.message_user(request, _("Done for %d.") % done, level=messages.SUCCESS)


class AllSpacesAdmin(SuperuserAdmin):
    """Works on rows of all spaces; the pages are rendered before the scope ends."""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        """List the rows."""
        with unscoped(reason=REASON):
            return _rendered(super().changelist_view(request, extra_context))

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponseBase:
        """Show one row."""
        with unscoped(reason=REASON):
            return _rendered(super().changeform_view(request, object_id, form_url, extra_context))

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        """Show what was done with one row here."""
        with unscoped(reason=REASON):
            return _rendered(super().history_view(request, object_id, extra_context))


class DetailAdmin(AllSpacesAdmin):
    """Shows rows and opens them, and changes none: the product's pages do."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Rows come from the product."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """The product's pages change them."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """The product's pages delete them."""
        return False


class ReadOnlyAdmin(DetailAdmin):
    """Lists rows and opens none."""

    list_display_links = None

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Show the list, no single row."""
        return obj is None and is_administrator(request.user)


def _rendered(response: HttpResponseBase) -> HttpResponseBase:
    return response.render() if isinstance(response, TemplateResponse) else response
