"""The URL map: each app mounts itself here once."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("account/", include("allauth.account.urls")),
    path("", include("accounts.urls")),
    path("", include("knowledge.urls")),
    path("", include("agents.urls")),
]
