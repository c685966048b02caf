"""Loads the product's code into the supervisor, once, for all processes that are forked from it."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Callable, Mapping

_M_ARENA_MAX = -8


class SettingsUnusable(Exception):
    """A variable of the environment cannot be used; the message names it."""


def load(environment: Mapping[str, str]) -> None:
    """Import what web and workers use and make it cheap to share.

    Raises:
        SettingsUnusable: a setting is wrong.

    Nothing may start a thread or open a connection here: a fork has neither. What does both, such
    as Twisted's reactor, is imported in the fork.
    """
    os.environ.update(environment)
    # A pool of threads of the numeric library would not survive the fork.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("WEKNORA_DATABASE_POOL", "24")
    _use_few_arenas()

    # All below needs the settings, which need the ports of the services that run by now.
    import django  # noqa: PLC0415
    from django.core.exceptions import ImproperlyConfigured  # noqa: PLC0415

    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise SettingsUnusable(str(error)) from None

    from django.urls import get_resolver  # noqa: PLC0415

    from weknora_site.celery import app  # noqa: PLC0415

    app.loader.import_default_modules()
    app.finalize(auto=True)
    _ = get_resolver().url_patterns
    gc.collect()
    # Collections in the forks then leave these objects, and so their pages, alone.
    gc.freeze()


def web() -> int:
    """Run the web server."""
    from weknora_site.web import main  # noqa: PLC0415  in the fork: it installs a reactor

    return main()


def worker(role: str) -> Callable[[], int]:
    """Return what runs a worker."""

    def run() -> int:
        from weknora_site.worker import main  # noqa: PLC0415  needs the settings

        return main([role])

    return run


def prepare() -> int:
    """Run `manage.py prepare`."""
    from django.core.management import execute_from_command_line  # noqa: PLC0415  as above

    execute_from_command_line(["manage.py", "prepare"])
    return 0


def _use_few_arenas() -> None:
    """Keep the allocator from giving each of many threads memory of its own (glibc only)."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 2)
