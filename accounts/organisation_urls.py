"""The part of the map that is about organisations."""

from django.urls import URLPattern, URLResolver, path

from accounts.views import organisation_spaces, organisations

urlpatterns: list[URLPattern | URLResolver] = [
    path("organisations/", organisations.organisations, name="organisations"),
    path("organisations/join/", organisations.organisation_join, name="organisation_join"),
    path("organisations/shared/", organisations.shared_with_us, name="shared_with_us"),
    path(
        "organisations/requests/<uuid:request_id>/decide/",
        organisation_spaces.decide,
        name="organisation_request_decide",
    ),
    path(
        "organisations/requests/<uuid:request_id>/withdraw/",
        organisation_spaces.withdraw,
        name="organisation_request_withdraw",
    ),
    path("organisations/<uuid:organisation_id>/", organisations.organisation, name="organisation"),
    path(
        "organisations/<uuid:organisation_id>/join/",
        organisations.organisation_enter,
        name="organisation_enter",
    ),
    path(
        "organisations/<uuid:organisation_id>/code/",
        organisations.organisation_code,
        name="organisation_code",
    ),
    path(
        "organisations/<uuid:organisation_id>/delete/",
        organisations.organisation_delete,
        name="organisation_delete",
    ),
    path(
        "organisations/<uuid:organisation_id>/leave/",
        organisations.organisation_leave,
        name="organisation_leave",
    ),
    path(
        "organisations/<uuid:organisation_id>/role/",
        organisation_spaces.ask_role,
        name="organisation_role",
    ),
    path(
        "organisations/<uuid:organisation_id>/spaces/",
        organisation_spaces.spaces,
        name="organisation_spaces",
    ),
    path(
        "organisations/<uuid:organisation_id>/spaces/<int:member_id>/role/",
        organisation_spaces.change_role,
        name="organisation_space_role",
    ),
    path(
        "organisations/<uuid:organisation_id>/spaces/<int:member_id>/remove/",
        organisation_spaces.remove,
        name="organisation_space_remove",
    ),
    path(
        "organisations/<uuid:organisation_id>/shares/<slug:kind>/<int:share_id>/end/",
        organisation_spaces.close_share,
        name="organisation_share_end",
    ),
]
