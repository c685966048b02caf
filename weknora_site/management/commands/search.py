"""`manage.py search "…" --base NAME`: what a search finds."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand

from core.errors import Invalid
from core.hostile_json import read_json
from knowledge.constants import SearchDoor
from knowledge.queries import find_base
from knowledge.retrieval.filter_values import Filter, read_filter
from knowledge.retrieval.hits import Retrieval, RetrievalHit
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from knowledge.searches.record import record_search
from weknora_site.terminal import acting, add_space_argument, write_json


class Command(BaseCommand):
    """Search a base; exit code 1 when nothing was found."""

    help = "Search a knowledge base."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("query")
        parser.add_argument("--base", required=True, help="name of the base")
        parser.add_argument("-k", type=int, default=10, help="most hits (default: 10)")
        parser.add_argument(
            "--filter",
            type=_read_filter,
            metavar="JSON",
            help="which documents, as"
            ' {"all_of": [{"field": "folder", "operator": "equals", "value": "Contracts"}]}',
        )
        add_space_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Search and print the hits, best first."""
        with acting(options["space"]) as actor:
            base = find_base(actor, options["base"])
            scope = Scope(base_ids=(base.pk,), filter=options["filter"])
            settings = RetrievalSettings(limit=max(1, options["k"]))
            found = retrieve(actor, query=options["query"], scope=scope, settings=settings)
            record_search(
                actor, door=SearchDoor.COMMAND, scope=scope, found=found, settings=settings
            )
        for warning in found.warnings:
            sys.stderr.write(f"{warning}\n")
        if options["as_json"]:
            write_json({"hits": [_as_json(hit) for hit in found.hits]})
        else:
            _print(found)
        if not found.hits:
            sys.exit(1)


def _read_filter(text: str) -> Filter:
    """Read the argument; argparse shows what is wrong with it."""
    try:
        return read_filter(read_json(text))
    except ValueError as error:
        raise ArgumentTypeError(f"this is no JSON: {error}") from error
    except Invalid as refusal:
        raise ArgumentTypeError(refusal.message) from refusal


def _as_json(hit: RetrievalHit) -> dict[str, Any]:
    return {
        "document": hit.document_name,
        "chunk_id": str(hit.chunk_id),
        "page": hit.page_from,
        "score": round(hit.score, 4),
        "text": hit.text,
    }


def _print(found: Retrieval) -> None:
    for number, hit in enumerate(found.hits, 1):
        page = f", page {hit.page_from}" if hit.page_from else ""
        sys.stdout.write(f"{number}. {hit.document_name}{page}  ({hit.score:.3f})\n")
        sys.stdout.write(f"   {' '.join(hit.text.split())[:300]}\n")
    if not found.hits:
        sys.stdout.write("Nothing was found.\n")
