"""People on the admin site: each change goes through the services, which audit it."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import path
from django.utils.translation import gettext_lazy as _
from unfold.forms import UserChangeForm
from unfold.widgets import (
    UnfoldAdminEmailInputWidget,
    UnfoldAdminPasswordWidget,
    UnfoldAdminTextInputWidget,
)

from accounts.admin_base import SuperuserAdmin, administrator_of
from accounts.admin_lens import show_lens
from accounts.login.lockout import seconds_locked
from accounts.models import User
from accounts.platform import users
from accounts.platform.erasure_holds import set_legal_hold

# Both packages come without types; what is built on their classes is checked as far as ours goes.
# mypy: disable-error-code="misc"


class PersonCreationForm(forms.ModelForm[User]):
    """A new person, by address; without a password one is made up and shown once."""

    password1 = forms.CharField(
        label=_("Password"), required=False, strip=False, widget=UnfoldAdminPasswordWidget
    )
    password2 = forms.CharField(
        label=_("Confirm password"),
        required=False,
        strip=False,
        widget=UnfoldAdminPasswordWidget,
        help_text=_("Leave both empty: a password is generated and shown once."),
    )

    class Meta:
        model = User
        fields = ("email", "name")
        widgets: ClassVar[dict[str, Any]] = {
            "email": UnfoldAdminEmailInputWidget,
            "name": UnfoldAdminTextInputWidget,
        }

    def clean_email(self) -> str:
        """Keep addresses in one spelling, each for one person."""
        email = str(self.cleaned_data["email"]).strip().lower()
        if User.objects.filter(email__iexact=email).exists():
            raise ValidationError(_("Somebody has this e-mail address already."))
        return email

    def clean_password2(self) -> str:
        """Compare the two, and ask the installation's one password policy."""
        password = str(self.cleaned_data.get("password1", ""))
        if password != self.cleaned_data.get("password2", ""):
            raise ValidationError(_("The two passwords differ."))
        if password:
            validate_password(password, user=self.instance)
        return password


class PersonChangeForm(UserChangeForm):
    """A person; what gives rights or takes them is done by actions."""

    class Meta:
        model = User
        fields = "__all__"
        field_classes: ClassVar[dict[str, Any]] = {}


@admin.register(User)
class PersonAdmin(DjangoUserAdmin[User], SuperuserAdmin):
    """People. One who is switched off is signed out everywhere with their next request."""

    form = PersonChangeForm
    add_form = PersonCreationForm
    change_user_password_template = None
    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_superuser", "legal_hold", "last_login")
    list_filter = ("is_active", "is_superuser", "legal_hold", "date_joined")
    date_hierarchy = "date_joined"
    search_fields = ("email", "name")
    readonly_fields = (
        *("email", "is_active", "is_superuser", "legal_hold", "locked_for"),
        *("last_login", "date_joined"),
    )
    fieldsets = (
        (None, {"fields": ("email", "name", "language", "last_space")}),
        (_("Status"), {"fields": ("is_active", "is_superuser", "legal_hold", "locked_for")}),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "name", "password1", "password2")}),)
    autocomplete_fields = ("last_space",)
    filter_horizontal = ()
    actions = (
        *("reset_password", "sign_out", "unlock", "forget_factors", "disable", "enable"),
        *("hold", "release", "promote", "demote"),
    )

    @admin.display(description=_("pause after failed tries"))
    def locked_for(self, user: User) -> str:
        """How long the person has to wait."""
        seconds = seconds_locked(user.email)
        return str(_("%d seconds") % seconds) if seconds else str(_("none"))

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """A new person's address is typed; later it is theirs to change."""
        return self.readonly_fields if obj is not None else ()

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Switch people off instead: what they made in their spaces stays somebody's."""
        return False

    def get_urls(self) -> list[Any]:
        """Leave out Django's form for another's password: it neither audits nor signs out."""
        urls = [one for one in super().get_urls() if one.name != "auth_user_password_change"]
        lens = self.admin_site.admin_view(partial(show_lens, site=self.admin_site))
        return [path("lens/", lens, name="accounts_lens"), *urls]

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Make a person by the service; of one who is there only the harmless fields change."""
        if change:
            super().save_model(request, obj, form, change)
            return
        made = users.create_person(
            administrator_of(request),
            email=obj.email,
            name=obj.name,
            password=form.cleaned_data["password2"],
        )
        obj.pk, obj.password = made.user.pk, made.user.password
        obj._state.adding = False
        if not form.cleaned_data["password2"]:
            vars(request)["made_up"] = [made]

    def response_add(
        self, request: HttpRequest, obj: User, post_url_continue: str | None = None
    ) -> Any:
        """Show a made-up password now: it is not kept, and goes through no message."""
        made = getattr(request, "made_up", None)
        return (
            self._show_once(request, made)
            if made
            else super().response_add(request, obj, post_url_continue)
        )

    def _show_once(self, request: HttpRequest, made: list[users.NewPassword]) -> TemplateResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": _("Passwords, shown this once"),
            "opts": self.model._meta,
            "made": made,
        }
        response = TemplateResponse(request, "admin/passwords_once.html", context)
        response.headers["Cache-Control"] = "no-store"
        return response

    @admin.action(description=_("Give a new password…"))
    def reset_password(
        self, request: HttpRequest, queryset: QuerySet[User]
    ) -> HttpResponseBase | None:
        """Make up a password and sign the person out everywhere."""
        made: list[users.NewPassword] = []
        asked = self.confirmed(
            request,
            queryset,
            question=_("Give new passwords? These people are signed out everywhere."),
            run=lambda row: made.append(
                users.reset_password(administrator_of(request), user_id=row.pk)
            ),
            is_dangerous=True,
        )
        return asked or (self._show_once(request, made) if made else None)

    @admin.action(description=_("Sign out everywhere…"))
    def sign_out(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """End all sessions."""
        return self.confirmed(
            request,
            queryset,
            question=_("Sign these people out everywhere?"),
            run=lambda row: users.end_all_sessions(administrator_of(request), user_id=row.pk),
        )

    @admin.action(description=_("Unlock after failed tries…"))
    def unlock(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """End the pause."""
        return self.confirmed(
            request,
            queryset,
            question=_("Let these people try to sign in again at once?"),
            run=lambda row: users.unlock_person(administrator_of(request), user_id=row.pk),
        )

    @admin.action(description=_("Forget lost second factors…"))
    def forget_factors(
        self, request: HttpRequest, queryset: QuerySet[User]
    ) -> HttpResponseBase | None:
        """Remove authenticator, passkeys and recovery codes."""
        return self.confirmed(
            request,
            queryset,
            question=_("Forget second factors? From then on the password alone lets in."),
            run=lambda row: users.forget_second_factors(administrator_of(request), user_id=row.pk),
            is_dangerous=True,
        )

    @admin.action(description=_("Deactivate…"))
    def disable(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """Switch accounts off."""
        return self.confirmed(
            request,
            queryset,
            question=_("Deactivate these accounts? They are signed out everywhere."),
            run=lambda row: users.disable_person(administrator_of(request), user_id=row.pk),
            is_dangerous=True,
        )

    @admin.action(description=_("Reactivate…"))
    def enable(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """Switch accounts on."""
        return self.confirmed(
            request,
            queryset,
            question=_("Reactivate these accounts?"),
            run=lambda row: users.enable_person(administrator_of(request), user_id=row.pk),
        )

    @admin.action(description=_("Put under legal hold…"))
    def hold(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """Let nothing of theirs be erased."""
        return self._set_hold(request, queryset, held=True)

    @admin.action(description=_("Release from legal hold…"))
    def release(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """End the hold."""
        return self._set_hold(request, queryset, held=False)

    def _set_hold(
        self, request: HttpRequest, queryset: QuerySet[User], *, held: bool
    ) -> HttpResponseBase | None:
        question = (
            _("Put under legal hold? Nothing of theirs is erased while it lasts.")
            if held
            else _("Release from legal hold? Their data can be erased then.")
        )
        return self.confirmed(
            request,
            queryset,
            question=question,
            run=lambda row: set_legal_hold(administrator_of(request), row, held=held),
            is_dangerous=not held,
        )

    @admin.action(description=_("Make administrator…"))
    def promote(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """Give the rights of this site."""
        return self.confirmed(
            request,
            queryset,
            question=_("Make these people administrators of the installation?"),
            run=lambda row: users.promote(administrator_of(request), user_id=row.pk),
            is_dangerous=True,
        )

    @admin.action(description=_("Take administrator's rights away…"))
    def demote(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponseBase | None:
        """Take the rights of this site."""
        return self.confirmed(
            request,
            queryset,
            question=_("Take the administrator's rights away?"),
            run=lambda row: users.demote(administrator_of(request), user_id=row.pk),
            is_dangerous=True,
        )
