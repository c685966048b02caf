"""Settings that an administrator may change while the installation runs.

Whoever uses such a setting asks `live("NAME")` instead of `settings.NAME`, each time. `core` knows no
table: accounts registers where changed values are found; without that the settings' own value holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings

Source = Callable[[str], Any]
_sources: list[Source] = []


def use_source(source: Source) -> None:
    """Ask `source` for every setting from now on; called once, in an app's `ready`."""
    _sources[:] = [source]


def live(name: str) -> Any:
    """Return the value that holds now of the setting `name` (its name in `settings`)."""
    return _sources[0](name) if _sources else getattr(settings, name)
