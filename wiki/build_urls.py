"""Addresses of building, below those of the wiki."""

from django.urls import URLPattern, URLResolver, path

from wiki.views import building

urlpatterns: list[URLPattern | URLResolver] = [
    path("<uuid:base_id>/building/", building.wiki_building, name="wiki_building"),
]
