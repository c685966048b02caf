"""A throw-away installation of the product: services, models, database, one space with an owner."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accounts.access import Actor

_OUTSIDE = ("DATABASE_URL", "REDIS_URL", "EMBEDDING_MODEL_NAME", "RERANK_MODEL_NAME")
"""Settings that would lead away from the built-in services and models."""


@contextmanager
def throw_away_installation(*, models: bool = True) -> Iterator[None]:
    """Run the services, and the models unless told otherwise, on an empty data directory."""
    with tempfile.TemporaryDirectory(prefix="weknora-bench-", ignore_cleanup_errors=True) as folder:
        # Root's servers run as another account, which has to reach the directory.
        Path(folder).chmod(0o711)
        for name in _OUTSIDE:
            os.environ.pop(name, None)
        os.environ["WEKNORA_DATA_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "weknora_site.settings"
        # Settings read the environment when they are imported.
        from weknora_site.command_line import background  # noqa: PLC0415

        # What the command of this name needs is what runs.
        with background("ingest" if models else "migrate", arguments=[]):
            import django  # noqa: PLC0415

            django.setup()
            # This process does the jobs itself.
            import_module("knowledge.tasks")
            yield


def first_owner() -> Actor:
    """Make the tables and the first space; return its owner."""
    from django.core.management import call_command  # noqa: PLC0415  after the settings

    from accounts.actors import actor_of  # noqa: PLC0415
    from accounts.models import Membership  # noqa: PLC0415
    from weknora_site.seeding import make_first_space  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    make_first_space()
    owner = Membership.objects.select_related("user").get()
    return actor_of(owner.user, space_id=owner.space_id)
