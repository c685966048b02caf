"""The map of this app's pages."""

from django.urls import URLPattern, URLResolver, path

from accounts.views import invitations, members, profile, spaces

urlpatterns: list[URLPattern | URLResolver] = [
    path("spaces/", spaces.list_spaces, name="spaces"),
    path("spaces/<int:space_id>/switch/", spaces.enter_space, name="space_switch"),
    path("spaces/<int:space_id>/leave/", spaces.quit_space, name="space_leave"),
    path("spaces/current/", spaces.edit_space, name="space_settings"),
    path("spaces/current/members/", members.list_members, name="members"),
    path("spaces/current/members/<int:membership_id>/role/", members.set_role, name="member_role"),
    path(
        "spaces/current/members/<int:membership_id>/remove/", members.remove, name="member_remove"
    ),
    path("spaces/current/invitations/", members.invite, name="invitations"),
    path(
        "spaces/current/invitations/<uuid:invitation_id>/revoke/",
        members.revoke,
        name="invitation_revoke",
    ),
    path("invitation/<str:token>/", invitations.open_invitation, name="invitation"),
    path("profile/", profile.edit_profile, name="profile"),
]
