"""Serves the built-in models on loopback."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, NoReturn
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand

from providers.local.server import KEY_VARIABLE


class Command(BaseCommand):
    """Becomes the models' server: Django is not kept in its memory."""

    help = "Serve the built-in embedding, rerank and extractive models on loopback."
    requires_system_checks: list[str] = []  # noqa: RUF012 -- declared like this by Django

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Take a port; by default the one that the other processes expect."""
        parser.add_argument("--port", type=int, default=None)
        parser.add_argument("--threads", type=int, default=2)
        parser.add_argument("--die-with-parent", action="store_true")

    def handle(self, *args: Any, **options: Any) -> NoReturn:
        """Replace this process by the server."""
        del args
        address = urlsplit(settings.LOCAL_MODELS_URL)
        port = options["port"] or address.port or 80
        command = [sys.executable, "-m", "providers.local.server"]
        command += ["--host", address.hostname or "127.0.0.1", "--port", str(port)]
        command += ["--threads", str(options["threads"]), "--data-dir", str(settings.DATA_DIR)]
        if options["die_with_parent"]:
            command.append("--die-with-parent")
        os.chdir(settings.BASE_DIR)
        environment = {**os.environ, KEY_VARIABLE: settings.LOCAL_MODELS_KEY}
        os.execve(sys.executable, command, environment)  # noqa: S606 -- our own module, no shell
