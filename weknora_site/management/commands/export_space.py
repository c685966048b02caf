"""`manage.py export_space --output FILE`: a copy of a space, written to a file of this machine."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from accounts.platform.export_writing import write_copy
from accounts.services.audit import record_audit
from weknora_site.terminal import acting, add_space_argument, give_up, write_json


class Command(BaseCommand):
    """Write what the space's owner may take away: tables without secrets, original files, hashes."""

    help = "Write a copy of a space to a zip file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--output", required=True, type=Path, metavar="FILE")
        add_space_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the copy as the space's owner; the file must not exist."""
        path: Path = options["output"]
        with acting(options["space"]) as actor:
            try:
                target = path.open("xb")
            except OSError as error:
                give_up(f"{str(path)!r} cannot be written: {error.strerror}.")
            path.chmod(0o600)
            with target:
                done = write_copy(target, actor)
            record_audit(actor, "space.export", by="command", rows=done.row_count)
        found = {"rows": done.row_count, "files": done.file_count, "missing": done.missing}
        if options["as_json"]:
            write_json({"output": str(path), **found})
        else:
            sys.stdout.write(f"{path}: {done.row_count} rows, {done.file_count} files\n")
