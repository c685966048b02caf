"""The map of this app's pages."""

from django.urls import URLPattern, URLResolver, path

from accounts.keys.urls import key_urls
from accounts.organisation_urls import urlpatterns as organisation_urls
from accounts.views import (
    audit,
    erasure,
    exports,
    groups,
    invitations,
    members,
    profile,
    security,
    spaces,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("spaces/", spaces.list_spaces, name="spaces"),
    path("spaces/<int:space_id>/switch/", spaces.enter_space, name="space_switch"),
    path("spaces/<int:space_id>/leave/", spaces.quit_space, name="space_leave"),
    path("spaces/current/", spaces.edit_space, name="space_settings"),
    path("spaces/deletions/", spaces.list_deletions, name="space_deletions"),
    path("spaces/current/rules/", spaces.set_rules, name="space_rules"),
    path("spaces/current/delete/", spaces.end_space, name="space_delete"),
    path("spaces/current/opening/", spaces.set_opening, name="space_opening"),
    path("spaces/current/two-factor/", security.require_two_factor, name="space_two_factor"),
    path("spaces/current/members/", members.list_members, name="members"),
    path("spaces/current/members/<int:membership_id>/role/", members.set_role, name="member_role"),
    path(
        "spaces/current/members/<int:membership_id>/remove/", members.remove, name="member_remove"
    ),
    path(
        "spaces/current/members/<int:membership_id>/suspend/",
        members.suspend,
        name="member_suspend",
    ),
    path(
        "spaces/current/members/<int:membership_id>/let-in/", members.let_in, name="member_let_in"
    ),
    path(
        "spaces/current/members/<int:membership_id>/hand-over/",
        members.give_space,
        name="member_hand_over",
    ),
    path("spaces/current/groups/", groups.list_all, name="groups"),
    path("spaces/current/groups/<int:group_id>/", groups.group, name="group"),
    path("spaces/current/groups/<int:group_id>/delete/", groups.delete, name="group_delete"),
    path("spaces/current/groups/<int:group_id>/add/", groups.add, name="group_add"),
    path(
        "spaces/current/groups/<int:group_id>/take-out/<int:user_id>/",
        groups.take_out,
        name="group_take_out",
    ),
    path("spaces/current/people/", groups.pick, name="people_and_groups"),
    path("audit/", audit.audit, name="audit"),
    path("audit/export/", audit.audit_export, name="audit_export"),
    path("spaces/current/invitations/", members.invite, name="invitations"),
    path("spaces/current/invitations/many/", members.invite_more, name="invitations_many"),
    path(
        "spaces/current/invitations/<uuid:invitation_id>/resend/",
        members.resend,
        name="invitation_resend",
    ),
    path(
        "spaces/current/invitations/<uuid:invitation_id>/revoke/",
        members.revoke,
        name="invitation_revoke",
    ),
    path("invitation/<str:token>/", invitations.open_invitation, name="invitation"),
    *organisation_urls,
    *key_urls,
    path("profile/invitations/", invitations.own_invitations, name="own_invitations"),
    path(
        "profile/invitations/<uuid:invitation_id>/accept/",
        invitations.accept_own_invitation,
        name="own_invitation_accept",
    ),
    path(
        "profile/invitations/<uuid:invitation_id>/decline/",
        invitations.decline_own_invitation,
        name="own_invitation_decline",
    ),
    path("profile/", profile.edit_profile, name="profile"),
    path("profile/delete/", erasure.delete_account, name="account_delete"),
    path("spaces/current/exports/", exports.exports, name="space_exports"),
    path(
        "spaces/current/exports/<uuid:export_id>/download/",
        exports.export_download,
        name="space_export_download",
    ),
    path(
        "spaces/current/exports/<uuid:export_id>/remove/",
        exports.export_remove,
        name="space_export_remove",
    ),
    path("platform/erasures/", erasure.erasures, name="erasures"),
    path("platform/erasures/<uuid:erasure_id>/retry/", erasure.erasure_retry, name="erasure_retry"),
]
