"""ASGI entry point: HTTP and WebSocket routing."""

import os

from channels.routing import ProtocolTypeRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weknora_site.settings")
_http = get_asgi_application()

from weknora_site.routing import websocket_application  # noqa: E402  needs the app registry

application = ProtocolTypeRouter({"http": _http, "websocket": websocket_application})
