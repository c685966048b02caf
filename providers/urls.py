"""The map of this app's pages."""

from django.urls import URLPattern, URLResolver, path

from providers import views

urlpatterns: list[URLPattern | URLResolver] = [
    path("models/", views.models, name="models"),
    path("models/new/", views.model_new, name="model_new"),
    path("models/new/test/", views.model_test, name="model_new_test"),
    path("models/<uuid:model_id>/", views.model, name="model"),
    path("models/<uuid:model_id>/test/", views.model_test, name="model_test"),
    path("models/<uuid:model_id>/default/", views.model_default, name="model_default"),
    path("models/<uuid:model_id>/delete/", views.model_delete, name="model_delete"),
]
