"""`manage.py search "…" --base NAME`: what a search finds."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from knowledge.queries import find_base
from knowledge.retrieval.hits import Retrieval, RetrievalHit
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from weknora_site.terminal import acting, add_space_argument, write_json


class Command(BaseCommand):
    """Search a base; exit code 1 when nothing was found."""

    help = "Search a knowledge base."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("query")
        parser.add_argument("--base", required=True, help="name of the base")
        parser.add_argument("-k", type=int, default=10, help="most hits (default: 10)")
        add_space_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Search and print the hits, best first."""
        with acting(options["space"]) as actor:
            base = find_base(actor, options["base"])
            found = retrieve(
                actor,
                query=options["query"],
                scope=Scope(base_ids=(base.pk,)),
                settings=RetrievalSettings(limit=max(1, options["k"])),
            )
        for warning in found.warnings:
            sys.stderr.write(f"{warning}\n")
        if options["as_json"]:
            write_json({"hits": [_as_json(hit) for hit in found.hits]})
        else:
            _print(found)
        if not found.hits:
            sys.exit(1)


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
