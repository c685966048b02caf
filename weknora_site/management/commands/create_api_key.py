"""`manage.py create_api_key --name NAME --full-access`: a key for a program, printed once."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand
from django.utils import timezone

from accounts.access import Actor
from accounts.keys.capabilities import FOR_BASES, PLATFORM_ONLY, Capability
from accounts.keys.platform import create_platform_key
from accounts.keys.services import IssuedKey, KeyWish, create_key
from core.errors import NotFound, ProjectError
from knowledge.queries import find_base, get_base
from weknora_site.terminal import acting, add_space_argument, give_up, write_json

USUAL_DAYS = 90
MOST_DAYS = 3650


class Command(BaseCommand):
    """Make a key of a space, in the name of its owner, or of the installation."""

    help = "Create an API key and print it; it cannot be read again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--name", required=True, help="of the program that uses it")
        parser.add_argument(
            "--platform", action="store_true", help="of the installation instead of one space"
        )
        may = parser.add_mutually_exclusive_group(required=True)
        may.add_argument(
            "--full-access", action="store_true", help="everything that such a key can be allowed"
        )
        may.add_argument(
            "--capability",
            action="append",
            default=None,
            choices=Capability.values,
            metavar="NAME",
            help=f"what it may do, as often as needed: {', '.join(Capability.values)}",
        )
        parser.add_argument(
            "--base",
            action="append",
            default=[],
            help="name or id of a knowledge base to which it is limited, as often as needed",
        )
        parser.add_argument(
            "--days",
            type=int,
            default=USUAL_DAYS,
            help=f"for how long it works (default: {USUAL_DAYS}); 0: until it is revoked",
        )
        add_space_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it and print it; exit code 2 when it cannot be made as asked."""
        if not 0 <= options["days"] <= MOST_DAYS:
            give_up(
                f"--days takes 1 to {MOST_DAYS}, or 0 for a key that lasts until it is revoked."
            )
        issued = _of_platform(options) if options["platform"] else _of_space(options)
        if options["as_json"]:
            write_json(_described(issued))
        else:
            sys.stdout.write(f"{issued.text}\n")


def _of_platform(options: dict[str, Any]) -> IssuedKey:
    if options["space"] or options["base"]:
        give_up("A key of the installation names no --space and no --base; its requests do.")
    try:
        return create_platform_key(None, _wish(options, possible=frozenset(Capability)))
    except ProjectError as error:
        give_up(error.message)


def _of_space(options: dict[str, Any]) -> IssuedKey:
    with acting(options["space"]) as actor:
        base_ids = tuple(_base_id(actor, each) for each in options["base"])
        possible = frozenset(Capability) - PLATFORM_ONLY
        return create_key(actor, _wish(options, possible=possible, base_ids=base_ids))


def _wish(
    options: dict[str, Any],
    *,
    possible: frozenset[Capability],
    base_ids: tuple[UUID, ...] = (),
) -> KeyWish:
    """Return the key as asked; full access to some bases is what makes sense for bases."""
    everything = possible & FOR_BASES if base_ids else possible
    named = frozenset(Capability(one) for one in options["capability"] or ())
    days = options["days"]
    return KeyWish(
        name=options["name"],
        capabilities=everything if options["full_access"] else named,
        base_ids=base_ids,
        expires_at=timezone.now() + timedelta(days=days) if days else None,
    )


def _base_id(actor: Actor, wanted: str) -> UUID:
    """Return the id of a base by its name, else by its id."""
    try:
        return find_base(actor, wanted).pk
    except NotFound:
        try:
            return get_base(actor, UUID(wanted)).pk
        except ValueError:
            give_up(f"There is no knowledge base {wanted!r}.")


def _described(issued: IssuedKey) -> dict[str, Any]:
    key = issued.key
    return {
        "key": issued.text,
        "signing_secret": issued.signing_secret,
        "id": str(key.pk),
        "name": key.name,
        "space": key.space_id,
        "capabilities": key.capabilities,
        "bases": key.base_ids,
        "expires_at": key.expires_at.isoformat() if key.expires_at else None,
    }
