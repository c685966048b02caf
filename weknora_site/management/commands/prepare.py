"""`manage.py prepare`: makes the database fit to serve; the start command runs it first."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from weknora_site.database import (
    DatabaseUnfit,
    make_extensions,
    missing_extensions,
    pending_migrations,
    wait_for_database,
)
from weknora_site.first_start import seed

WAIT_SECONDS = 30.0
"""An outside database may start at the same time as we do."""


class Command(BaseCommand):
    """Make the database fit to serve."""

    help = "Checks the database, applies migrations, makes what a first start needs."

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the steps in order; each failure says what to do."""
        settings.MEDIA_ROOT.mkdir(parents=True, exist_ok=True)
        try:
            wait_for_database(timeout_seconds=WAIT_SECONDS)
            make_extensions()
        except DatabaseUnfit as error:
            raise CommandError(str(error)) from None
        if problems := missing_extensions():
            raise CommandError("the database is not fit:\n" + "\n".join(problems))
        self._migrate()
        for line in seed():
            self.stdout.write(line)

    def _migrate(self) -> None:
        pending = pending_migrations()
        if not pending:
            return
        began = time.monotonic()
        self.stdout.write(f"applying {len(pending)} migrations")
        try:
            call_command("migrate", verbosity=0, interactive=False)
        except (DatabaseError, ValueError, RuntimeError) as error:
            failed = next(iter(pending_migrations()), "unknown")
            raise CommandError(
                f"the migration {failed} failed, so nothing is served: {error}\n"
                "Migrations before it are kept; correct the cause and start again, "
                "or go back to the former version."
            ) from error
        self.stdout.write(f"migrations applied in {time.monotonic() - began:.1f} s")
