"""ASGI entry point: HTTP and WebSocket routing."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weknora_site.settings")
_http = get_asgi_application()

from django.conf import settings  # noqa: E402  read after the line above

from weknora_site.root_path import RootPathMiddleware  # noqa: E402
from weknora_site.routing import websocket_application  # noqa: E402  needs the app registry

application = RootPathMiddleware(
    ProtocolTypeRouter({"http": _http, "websocket": websocket_application}),
    prefix=settings.ROOT_PATH,
)
