"""People, spaces, memberships and invitations on the admin site: for superusers only."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Count, Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _

from accounts.admin_base import SuperuserAdmin, administrator_of
from accounts.invitation_doors import close_links_to
from accounts.models import Invitation, Membership, Space
from accounts.platform.erasure_holds import set_legal_hold
from accounts.services.invitations import revoke_rows
from accounts.services.members import end_membership, is_last_owner

# Both packages come without types; what is built on their classes is checked as far as ours goes.
# mypy: disable-error-code="misc"


@admin.register(Space)
class SpaceAdmin(SuperuserAdmin):
    """Spaces."""

    list_display = (
        *("name", "id", "member_count", "storage_quota_bytes", "legal_hold"),
        *("created_by", "created_at"),
    )
    list_filter = ("legal_hold", "requires_two_factor", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("name", "=id")
    readonly_fields = ("created_at", "created_by", "legal_hold")
    fields = (
        *("name", "description", "storage_quota_bytes", "audit_days", "legal_hold"),
        *("created_by", "created_at"),
    )
    actions = ("hold", "release")

    @admin.action(description=_("Put under legal hold…"))
    def hold(self, request: HttpRequest, queryset: QuerySet[Space]) -> HttpResponseBase | None:
        """Let nothing of it be erased."""
        return self.confirmed(
            request,
            queryset,
            question=_("Put under legal hold? Nothing of these spaces is erased while it lasts."),
            run=lambda row: set_legal_hold(administrator_of(request), row, held=True),
        )

    @admin.action(description=_("Release from legal hold…"))
    def release(self, request: HttpRequest, queryset: QuerySet[Space]) -> HttpResponseBase | None:
        """End the hold."""
        return self.confirmed(
            request,
            queryset,
            question=_("Release from legal hold? These spaces can be erased then."),
            run=lambda row: set_legal_hold(administrator_of(request), row, held=False),
            is_dangerous=True,
        )

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
            close_links_to(obj.user, space_id=obj.space_id)


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


for _part in ("people", "records", "settings"):
    import_module(f"accounts.admin_{_part}")
