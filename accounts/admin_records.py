"""What is looked at and never changed here: audits, erasures, keys, organisations, groups."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.admin_base import DetailAdmin, ReadOnlyAdmin
from accounts.models import (
    ApiKey,
    AuditEvent,
    Erasure,
    JoinRequest,
    Organisation,
    OrganisationSpace,
    PlatformAuditEvent,
    SpaceExport,
    SpaceGroup,
)


@admin.register(AuditEvent)
class AuditAdmin(DetailAdmin):
    """What was done and refused in the spaces."""

    list_display = (
        *("created_at", "space", "actor_name", "action", "outcome", "target_name"),
        *("ip_address", "count"),
    )
    list_filter = ("outcome", "actor_kind", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("actor_name", "action", "target_name", "target_id", "space__name")
    list_select_related = ("space",)


@admin.register(PlatformAuditEvent)
class PlatformAuditAdmin(DetailAdmin):
    """What was done to the installation, and at its door."""

    list_display = (
        *("created_at", "actor_name", "action", "outcome", "target_name", "ip_address"),
    )
    list_filter = ("outcome", "target_type", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("actor_name", "action", "target_name", "target_id")


@admin.register(Erasure)
class ErasureAdmin(DetailAdmin):
    """What was erased on request, with its report."""

    list_display = ("created_at", "kind", "subject_id", "state", "requested_by", "ended_at")
    list_filter = ("kind", "state", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("subject_id",)
    list_select_related = ("requested_by",)


@admin.register(SpaceExport)
class SpaceExportAdmin(ReadOnlyAdmin):
    """Copies of whole spaces that somebody asked for."""

    list_display = ("space", "state", "created_at")
    list_filter = ("state",)
    date_hierarchy = "created_at"
    list_select_related = ("space",)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """Which keys open what; the key itself is nowhere."""

    list_display = (
        *("name", "prefix", "whose", "created_by", "created_at", "expires_at"),
        *("revoked_at", "last_used_at"),
    )
    list_filter = ("created_at", "expires_at", "revoked_at")
    search_fields = ("name", "prefix", "space__name")
    list_select_related = ("space", "created_by")

    @admin.display(description=_("space"))
    def whose(self, key: ApiKey) -> str:
        """The space it opens, or that it is the installation's."""
        return str(key.space) if key.space_id else str(_("the installation"))


@admin.register(Organisation)
class OrganisationAdmin(DetailAdmin):
    """Circles of spaces; without the code that lets spaces in."""

    list_display = ("name", "owner_space", "is_searchable", "member_limit", "created_at")
    list_filter = ("is_searchable", "require_approval")
    search_fields = ("name", "owner_space__name")
    list_select_related = ("owner_space",)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Show what tells nothing secret."""
        return (
            *("name", "description", "owner_space", "created_by", "require_approval"),
            *("is_searchable", "member_limit", "invite_code_expires_at", "created_at"),
        )


@admin.register(OrganisationSpace)
class OrganisationSpaceAdmin(ReadOnlyAdmin):
    """Which space is in which organisation."""

    list_display = ("organisation", "member", "role", "representative", "joined_at")
    list_filter = ("role",)
    search_fields = ("organisation__name", "member__name")
    list_select_related = ("organisation", "member", "representative")


@admin.register(JoinRequest)
class JoinRequestAdmin(ReadOnlyAdmin):
    """Who wanted to join which organisation."""

    list_display = ("organisation", "member", "role", "state", "requested_by", "created_at")
    list_filter = ("state", "role")
    search_fields = ("organisation__name", "member__name")
    list_select_related = ("organisation", "member", "requested_by")


@admin.register(SpaceGroup)
class SpaceGroupAdmin(ReadOnlyAdmin):
    """Groups of members to whom access is given together."""

    list_display = ("name", "space", "created_by", "created_at")
    search_fields = ("name", "space__name")
    list_select_related = ("space", "created_by")
