"""The map of this app's pages."""

from django.urls import URLPattern, URLResolver, path

from sandbox import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("sandboxes/", views.sandboxes, name="sandboxes"),
    path("sandboxes/new/", views.sandbox_new, name="sandbox_new"),
    path("sandboxes/test/", views.sandbox_test, name="sandbox_default_test"),
    path("sandboxes/reports/<str:ticket>/", views.sandbox_report, name="sandbox_report"),
    path(
        "sandboxes/workspaces/<uuid:workspace_id>/stop/",
        views.workspace_stop,
        name="workspace_stop",
    ),
    path("sandboxes/<uuid:config_id>/", views.sandbox, name="sandbox"),
    path("sandboxes/<uuid:config_id>/test/", views.sandbox_test, name="sandbox_test"),
    path("sandboxes/<uuid:config_id>/default/", views.sandbox_default, name="sandbox_default"),
    path("sandboxes/<uuid:config_id>/archive/", views.sandbox_archive, name="sandbox_archive"),
    path("sandboxes/<uuid:config_id>/restore/", views.sandbox_restore, name="sandbox_restore"),
]
