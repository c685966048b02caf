"""People, spaces, memberships and invitations on the admin site: for superusers only."""

from __future__ import annotations

from typing import Any, ClassVar

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin, UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts.models import Invitation, Membership, Space, User
from accounts.services.invitations import revoke_rows
from accounts.services.members import end_membership, is_last_owner

# Both packages come without types; what is built on their classes is checked as far as ours goes.
# mypy: disable-error-code="misc"


class SuperuserAdmin(ModelAdmin):
    """Opens a model to superusers alone, whatever permissions others were given."""

    list_filter_submit = True
    warn_unsaved_form = True

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the model in the menu."""
        return self._is_superuser(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Show rows."""
        return self._is_superuser(request)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Add rows."""
        return self._is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Change rows."""
        return self._is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Delete rows."""
        return self._is_superuser(request)

    @staticmethod
    def _is_superuser(request: HttpRequest) -> bool:
        user = request.user
        return isinstance(user, User) and user.is_active and user.is_superuser


class PersonCreationForm(UserCreationForm):
    """A new person, by address."""

    class Meta:
        model = User
        fields = ("email", "name")


class PersonChangeForm(UserChangeForm):
    """A person; the password has its own form."""

    class Meta:
        model = User
        fields = "__all__"
        field_classes: ClassVar[dict[str, Any]] = {}


@admin.register(User)
class PersonAdmin(DjangoUserAdmin[User], SuperuserAdmin):
    """People. One who is switched off is signed out everywhere with their next request."""

    form = PersonChangeForm
    add_form = PersonCreationForm
    change_password_form = AdminPasswordChangeForm
    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("email", "name")
    readonly_fields = ("last_login", "date_joined")
    filter_horizontal = ("groups", "user_permissions")
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        (_("Person"), {"fields": ("name", "last_space")}),
        (
            _("Rights on this installation"),
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        (_("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"fields": ("email", "name", "usable_password", "password1", "password2")}),
    )
    autocomplete_fields = ("last_space",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Switch people off instead: what they made in their spaces stays somebody's."""
        return False


@admin.register(Space)
class SpaceAdmin(SuperuserAdmin):
    """Spaces."""

    list_display = ("name", "id", "member_count", "created_by", "created_at")
    search_fields = ("name", "=id")
    readonly_fields = ("created_at", "created_by")
    fields = ("name", "description", "created_by", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Space]:
        """Count the members."""
        rows: QuerySet[Space] = super().get_queryset(request)
        return rows.annotate(members_count=Count("memberships"))

    @admin.display(description=_("members"), ordering="members_count")
    def member_count(self, space: Space) -> int:
        """How many people are in it."""
        return int(getattr(space, "members_count", 0))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Make spaces on their page, which gives them an owner, models and agents."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """A space goes only together with its files and indexes, by a service."""
        return False


@admin.register(Membership)
class MembershipAdmin(SuperuserAdmin):
    """Who is in which space, as what."""

    list_display = ("user", "space", "role", "state", "joined_at")
    list_filter = ("role", "state")
    search_fields = ("user__email", "user__name", "space__name")
    autocomplete_fields = ("user", "space")
    readonly_fields = ("joined_at", "invited_by")
    fields = ("user", "space", "role", "state", "invited_by", "joined_at")
    list_select_related = ("user", "space")
    actions = None

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Keep person and space of a membership, and the role of a space's only owner."""
        if not isinstance(obj, Membership):
            return self.readonly_fields
        fixed = (*self.readonly_fields, "user", "space")
        return (*fixed, "role", "state") if is_last_owner(obj) else fixed

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Keep a space's only owner."""
        allowed: bool = super().has_delete_permission(request, obj)
        return allowed and not (isinstance(obj, Membership) and is_last_owner(obj))

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        """End the membership as its space's page does, pointers and invitations included."""
        with transaction.atomic():
            end_membership(obj)


@admin.register(Invitation)
class InvitationAdmin(SuperuserAdmin):
    """Invitations, without their secret links."""

    list_display = ("space", "email", "role", "invited_by", "expires_at", "is_open_now")
    list_filter = ("role",)
    search_fields = ("email", "space__name")
    list_select_related = ("space", "invited_by")
    fields = (
        "space",
        "email",
        "role",
        "invited_by",
        "created_at",
        "expires_at",
        "revoked_at",
        "accepted_count",
    )
    actions = ("revoke",)

    @admin.display(description=_("open"), boolean=True)
    def is_open_now(self, invitation: Invitation) -> bool:
        """Whether it can still be accepted."""
        return invitation.is_open

    @admin.action(description=_("Revoke the selected invitations"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        """End the links."""
        revoke_rows(queryset)
        self.message_user(request, _("They no longer work."))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Invite on the space's page, which shows the link."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """An invitation is revoked and made anew, never changed."""
        return False


admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, SuperuserAdmin):
    """Django's groups, for rights on the admin site."""


admin.site.unregister(EmailAddress)


@admin.register(EmailAddress)
class EmailAddressAdmin(SuperuserAdmin):
    """Addresses that allauth knows of people."""

    list_display = ("email", "user", "primary", "verified")
    list_filter = ("primary", "verified")
    search_fields = ("email",)
    autocomplete_fields = ("user",)
