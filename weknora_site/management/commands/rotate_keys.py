"""`manage.py rotate_keys`: a new key for everything that is stored encrypted."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from cryptography.fernet import Fernet
from django.core.management.base import BaseCommand

from accounts.platform.rotation import Rotation, renew_everything
from accounts.services.platform_audit import record_platform_audit
from core.field_keys import add_key, current_keys, drop_old_keys, keys_file
from weknora_site.terminal import give_up, write_json


class Command(BaseCommand):
    """Make a new key, encrypt everything with it, drop the old one. May be killed and run again."""

    help = "Encrypt all stored secrets with a new key, and drop the old one at the end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one object")
        parser.add_argument(
            "--keep-old", action="store_true", help="do not drop the old key at the end"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Go through the steps; each is safe to repeat."""
        if keys_file() is not None:
            add_key()
        elif len(current_keys()) < 2:
            give_up(
                "The key comes from WEKNORA_FIELD_KEYS. Put a new one in front of it, separated by a"
                " comma, restart all processes, and run this again. A new key:\n"
                + Fernet.generate_key().decode("ascii")
            )
        done = renew_everything(told=None if options["as_json"] else _tell)
        dropped = 0
        if keys_file() is not None and not options["keep_old"]:
            dropped = drop_old_keys()
        record_platform_audit(None, "keys.rotated", renewed=done.renewed, dropped=dropped)
        _report(done, dropped=dropped, as_json=options["as_json"])


def _tell(place: str, count: int) -> None:
    sys.stderr.write(f"{place}: {count} encrypted again\n")


def _report(done: Rotation, *, dropped: int, as_json: bool) -> None:
    if as_json:
        found = {"renewed": done.renewed, "unreadable": done.unreadable, "dropped_keys": dropped}
        write_json(found)
        return
    total = sum(done.renewed.values())
    sys.stdout.write(f"{total} secrets are encrypted with the new key.\n")
    for place, count in done.unreadable.items():
        sys.stdout.write(f"{place}: {count} fit no key; enter them again.\n")
    if dropped:
        sys.stdout.write(
            "The old key is dropped. Backups made before need it: keep it with them.\n"
        )
    elif keys_file() is None:
        sys.stdout.write("Now remove all keys but the first from WEKNORA_FIELD_KEYS.\n")
