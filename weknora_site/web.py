"""The web server process: `python -m weknora_site.web`, Daphne with this project's settings."""

from __future__ import annotations

import logging
import os
import sys
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weknora_site.settings")
os.environ.setdefault("WEKNORA_DATABASE_POOL", "24")
django.setup()

from daphne.endpoints import build_endpoint_description_strings  # noqa: E402  after the settings
from django.conf import settings  # noqa: E402
from django.core.exceptions import ImproperlyConfigured  # noqa: E402

from core.aio import take_short_turns  # noqa: E402
from weknora_site.asgi import application  # noqa: E402
from weknora_site.http_server import BodyLimits, HttpServer  # noqa: E402
from weknora_site.supervisor.program import EXIT_GIVE_UP  # noqa: E402

logger = logging.getLogger(__name__)
ROOM_FOR_FIELDS = 2_500_000
"""Bytes of a form beside its files: what Django takes by itself (DATA_UPLOAD_MAX_MEMORY_SIZE)."""


class WebServer(HttpServer):
    """Daphne, remembering when it could not listen."""

    could_listen = True

    def listen_error(self, failure: Any) -> None:
        """Say what to do, and end."""
        self.could_listen = False
        logger.error(
            "Cannot listen on %s port %d: %s. Stop what uses it or set WEKNORA_PORT.",
            settings.LISTEN_HOST,
            settings.LISTEN_PORT,
            failure.getErrorMessage(),
        )
        self.stop()


def main() -> int:
    """Serve until SIGTERM; return the exit code."""
    if not settings.SECRETS_ARE_KEPT:
        raise ImproperlyConfigured("there are no secrets yet: run `manage.py start` once")
    take_short_turns()
    server = WebServer(
        application,
        endpoints=build_endpoint_description_strings(
            host=settings.LISTEN_HOST, port=settings.LISTEN_PORT
        ),
        server_name="weknora",
        limits=BodyLimits(
            known=settings.MAX_UPLOAD_BYTES + ROOM_FOR_FIELDS,
            unknown=ROOM_FOR_FIELDS,
            session_cookie=settings.SESSION_COOKIE_NAME.encode(),
        ),
        # A proxy in front says who asks; without one the header would be anybody's word.
        proxy_forwarded_address_header="X-Forwarded-For" if settings.BEHIND_HTTPS else None,
    )
    server.run()
    return 0 if server.could_listen else EXIT_GIVE_UP


if __name__ == "__main__":
    sys.exit(main())
