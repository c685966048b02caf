"""`manage.py ingest PATH… --base NAME`: put files and folders into a base."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand

from accounts.access import Actor
from core.errors import Conflict, NotFound, ProjectError
from core.tenancy import space_scope
from knowledge.constants import OPEN_STATES, DocumentState
from knowledge.models import Document, KnowledgeBase
from knowledge.queries import find_base
from knowledge.services.bases import create_base
from knowledge.services.documents import add_document, retry_document
from weknora_site.terminal import acting, add_space_argument, give_up, wait_until, write_json


@dataclass(kw_only=True)
class Entry:
    """One file and what became of it."""

    name: str
    state: str = ""
    reason: str = ""
    document_id: UUID | None = None


class Command(BaseCommand):
    """Put files and folders into a base; exit code 1 when one of them was not taken."""

    help = "Put files and folders into a knowledge base."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--base", required=True, help="name of the base; made when absent")
        parser.add_argument("--wait", action="store_true", help="return when all files are read")
        add_space_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Add each file, wait if asked, and tell the state of each."""
        files = list(_files(options["paths"]))
        with acting(options["space"]) as actor:
            base = _base(actor, options["base"])
            entries = [_add(actor, base, path, folder) for path, folder in files]
            if options["wait"]:
                _wait(actor, entries)
            _look_up(entries)
        _report(entries, as_json=options["as_json"])
        if any(entry.state not in (*OPEN_STATES, DocumentState.COMPLETED) for entry in entries):
            sys.exit(1)


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file with the folder it shall stand in."""
    for path in paths:
        if path.is_dir():
            for child in sorted(path.rglob("*")):
                if child.is_file():
                    yield child, str(child.parent.relative_to(path)).strip(".")
        elif path.is_file():
            yield path, ""
        else:
            give_up(f"There is no file or folder {str(path)!r}.")


def _base(actor: Actor, name: str) -> KnowledgeBase:
    try:
        return find_base(actor, name)
    except NotFound:
        return create_base(actor, name=name)


def _add(actor: Actor, base: KnowledgeBase, path: Path, folder: str) -> Entry:
    """Add one file; the same file again is read again unless it is ready."""
    entry = Entry(name=f"{folder}/{path.name}".strip("/"))
    try:
        with path.open("rb") as content:
            document = add_document(
                actor, base_id=base.pk, name=path.name, content=content, folder_path=folder
            )
        entry.document_id = document.pk
    except Conflict as same:
        entry.document_id = UUID(same.data["document_id"])
        _read_again(actor, entry.document_id)
    except ProjectError as refusal:
        entry.state, entry.reason = DocumentState.REFUSED, refusal.message
    except OSError as error:
        entry.state, entry.reason = DocumentState.FAILED, f"It cannot be opened: {error.strerror}."
    return entry


def _read_again(actor: Actor, document_id: UUID) -> None:
    document = Document.objects.get(pk=document_id)
    if document.state not in (*OPEN_STATES, DocumentState.COMPLETED):
        retry_document(actor, document_id=document_id)


def _wait(actor: Actor, entries: Sequence[Entry]) -> None:
    ids = [entry.document_id for entry in entries if entry.document_id]

    def done() -> bool:
        with space_scope(actor.space_id):
            return not Document.objects.filter(pk__in=ids, state__in=OPEN_STATES).exists()

    wait_until(done, queue="ingest")


def _look_up(entries: Sequence[Entry]) -> None:
    documents = Document.objects.in_bulk([e.document_id for e in entries if e.document_id])
    for entry in entries:
        document = documents.get(entry.document_id) if entry.document_id else None
        if document is not None:
            entry.state, entry.reason = document.state, document.reason


def _report(entries: Sequence[Entry], *, as_json: bool) -> None:
    if as_json:
        rows = [{"name": e.name, "state": str(e.state), "reason": e.reason} for e in entries]
        write_json({"documents": rows})
        return
    for entry in entries:
        line = f"{entry.state:<12} {entry.name}"
        sys.stdout.write(f"{line}: {entry.reason}\n" if entry.reason else f"{line}\n")
