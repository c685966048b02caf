"""`manage.py start`, as Django's help shows it; `manage.py` runs it without loading Django."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from weknora_site.supervisor.main import main
from weknora_site.supervisor.options import add_arguments


class Command(BaseCommand):
    """Start everything."""

    help = "Starts the web server, the workers, the models and the services they need."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare what the supervisor understands."""
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the supervisor in this process."""
        arguments = [
            part
            for name in ("host", "port", "parts", "ready_fd")
            if options[name] is not None
            for part in (f"--{name.replace('_', '-')}", str(options[name]))
        ]
        sys.exit(main(arguments))
