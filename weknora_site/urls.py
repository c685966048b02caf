"""The URL map: each app mounts itself here once."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from accounts.views.lens import show_lens
from weknora_site import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("health/live", health.live, name="health_live"),
    path("health/ready", health.ready, name="health_ready"),
    path("admin/", admin.site.urls),
    path("account/", include("accounts.login.urls")),
    path("api/v1/", include("integrations.api.urls")),
    path("", include("integrations.playground.urls")),
    path("spaces/current/lens/", show_lens, name="lens"),
    path("", include("accounts.urls")),
    path("", include("providers.urls")),
    path("", include("sandbox.urls")),
    path("", include("knowledge.urls")),
    path("wiki/", include("wiki.urls")),
    path("w/", include("wiki.public_urls")),
    path("", include("sandbox.skill_urls")),
    path("", include("agents.urls")),
]

handler400 = "core.middleware.bad_request"
handler403 = "core.middleware.permission_denied"
handler404 = "core.middleware.page_not_found"
handler500 = "core.middleware.server_error"
