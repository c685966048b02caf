"""The map of the playground."""

from django.urls import URLPattern, path

from integrations.playground import views

urlpatterns: list[URLPattern] = [
    path("keys/playground/", views.playground, name="api_playground"),
]
