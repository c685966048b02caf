"""`manage.py erase person|document|space ID` and `manage.py erase check`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from accounts.models import Erasure
from accounts.platform.erasure import KINDS
from accounts.platform.erasure_check import find_text
from accounts.platform.erasure_requests import find_subject, request_erasure
from core.errors import ProjectError
from weknora_site.terminal import give_up, wait_until, write_json


class Command(BaseCommand):
    """Erase something everywhere and print the report; or look whether a text is left anywhere."""

    help = "Erase a person, a document or a space everywhere, or check that a text is nowhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("what", choices=[*KINDS, "check"])
        parser.add_argument(
            "subject",
            nargs="?",
            default="",
            help="number, address of a person, or id of a document; check reads its text from stdin,"
            " so that it is in no history of commands",
        )
        parser.add_argument("--reason", default="", help="kept in the record: write no names")
        parser.add_argument(
            "--with-documents", action="store_true", help="of a person: what they added, too"
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print one object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit code 1 when something is left or the erasure failed, 2 when it was refused."""
        if options["what"] == "check":
            _check(as_json=options["as_json"])
            return
        if not options["subject"]:
            give_up("Say what is to be erased: a number, an address or an id.")
        try:
            row = request_erasure(
                None,
                kind=options["what"],
                subject_id=find_subject(options["what"], options["subject"]),
                reason=options["reason"],
                with_documents=options["with_documents"],
            )
        except ProjectError as error:
            give_up(error.message)
        wait_until(lambda: not _is_running(row), queue="default")
        row.refresh_from_db()
        _report(row, as_json=options["as_json"])


def _is_running(row: Erasure) -> bool:
    return Erasure.objects.filter(pk=row.pk, state="running").exists()


def _check(*, as_json: bool) -> None:
    text = sys.stdin.readline().strip("\n")
    try:
        found = find_text(text, with_files=True)
    except ValueError as error:
        give_up(str(error))
    if as_json:
        write_json({"remains": {each.place: each.count for each in found}})
    else:
        for each in found:
            sys.stdout.write(f"{each.count:>8} {each.place}\n")
        sys.stdout.write("It is nowhere.\n" if not found else "")
    sys.exit(1 if found else 0)


def _report(row: Erasure, *, as_json: bool) -> None:
    if as_json:
        write_json({"id": str(row.pk), "state": row.state, "report": row.report})
    else:
        for name, count in sorted(row.report.get("erased", {}).items()):
            sys.stdout.write(f"{count:>8} {name}\n")
        for place, count in row.report.get("remains", {}).items():
            sys.stdout.write(f"{count:>8} left in {place}\n")
        sys.stdout.write(f"{row.state}\n")
    if row.state != "done" or row.report.get("remains"):
        sys.exit(1)
