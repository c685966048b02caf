"""System settings on the admin site: every setting with value, source, default and restart flag."""

from __future__ import annotations

from typing import Any, assert_never

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldBooleanSwitchWidget,
)

from accounts.admin_base import SuperuserAdmin, administrator_of
from accounts.models import SystemSetting
from accounts.platform.settings import (
    SettingRow,
    change_setting,
    get_setting,
    list_settings,
    reset_setting,
)
from accounts.platform.settings_kinds import Choice, Kind, Switch, Whole, Words
from core.errors import Invalid


class SettingForm(forms.Form):
    """One value; its field depends on the setting's type."""

    def __init__(self, row: SettingRow, data: Any = None) -> None:
        super().__init__(data, initial={"value": _initial(row)})
        self._kind = row.definition.kind
        field = _field(self._kind)
        field.label, field.help_text = str(row.definition.label), str(row.definition.help)
        self.fields["value"] = field

    def value(self) -> Any:
        """Return the JSON value."""
        value = self.cleaned_data["value"]
        return value.split() if isinstance(self._kind, Words) else value


@admin.register(SystemSetting)
class SystemSettingAdmin(SuperuserAdmin):
    """A page of the registry instead of a page of rows: most settings have no row."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """The catalogue is in the code."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Reset it on its page instead."""
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        """List every setting."""
        rows = list_settings(administrator_of(request))
        return self._page(request, "admin/system_settings.html", _("System settings"), rows=rows)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponseBase:
        """Show, change or reset one setting."""
        if object_id is None:
            raise PermissionDenied
        user, key = administrator_of(request), unquote(object_id)
        row = get_setting(user, key=key)
        address = request.META.get("REMOTE_ADDR")
        if request.method == "POST" and "reset" in request.POST:
            reset_setting(user, key=key, ip_address=address)
            return self._back(request, row, _("%(setting)s is reset."))
        form = SettingForm(row, request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid():
            try:
                change_setting(user, key=key, value=form.value(), ip_address=address)
            except Invalid as refusal:
                form.add_error("value", refusal.message)
            else:
                return self._back(request, row, _("%(setting)s is changed."))
        title = str(row.definition.label)
        return self._page(request, "admin/system_setting.html", title, row=row, form=form)

    def _page(
        self, request: HttpRequest, template: str, title: str, **values: Any
    ) -> HttpResponseBase:
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.model._meta,
            **values,
        }
        return TemplateResponse(request, template, context)

    def _back(self, request: HttpRequest, row: SettingRow, text: str) -> HttpResponseBase:
        text %= {"setting": row.definition.label}
        if row.definition.restart_needed:
            text += " " + _("It waits for the next start of the workers.")
        self.message_user(request, text, level=messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:accounts_systemsetting_changelist"))


def _initial(row: SettingRow) -> Any:
    value = row.held.stored if row.held.stored is not None else row.held.value
    return "\n".join(value) if isinstance(row.definition.kind, Words) else value


def _field(kind: Kind) -> forms.Field:
    match kind:
        case Choice():
            return forms.ChoiceField(choices=kind.options, widget=UnfoldAdminSelectWidget)
        case Whole():
            return forms.IntegerField(
                min_value=kind.at_least,
                max_value=kind.at_most,
                widget=UnfoldAdminIntegerFieldWidget,
            )
        case Switch():
            return forms.BooleanField(required=False, widget=UnfoldBooleanSwitchWidget)
        case Words():
            return forms.CharField(required=False, widget=UnfoldAdminTextareaWidget)
        case _:
            assert_never(kind)
