"""Client libraries of stores, imported when one is first used; they are optional."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from django.utils.translation import gettext as _

from core.errors import Invalid

INSTALL = "pip install -r requirements-vectors.txt -c constraints.txt"


def library(name: str) -> Any:
    """Return a module.

    Raises:
        Invalid: it is not installed; the message has the command.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise Invalid(
            _(
                "The library %(name)s is not installed on the server. An operator installs it with: %(command)s"
            )
            % {"name": name.partition(".")[0], "command": INSTALL},
            field="kind",
        ) from error
