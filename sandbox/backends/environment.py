"""The environment that every sandboxed command starts with: a list of ours, nothing of the host."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from core.errors import Invalid
from sandbox.backends.paths import HOME

PYTHON_DIR = "/opt/weknora-python"
"""Where the packages of the sandbox's Python stand, read-only."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BASE = {
    "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
    "HOME": HOME,
    "USER": "user",
    "LANG": "C.UTF-8",
    "TMPDIR": "/tmp",  # noqa: S108  of the sandbox
    "PYTHONPATH": PYTHON_DIR,
    "PYTHONDONTWRITEBYTECODE": "1",
    "MPLCONFIGDIR": f"{HOME}/matplotlib",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    """Return the variables of a command, with those of its caller.

    Raises:
        Invalid: a name is none, or a value has a NUL.
    """
    variables = {**_BASE, **(extra or {})}
    for name, value in variables.items():
        if not _NAME.fullmatch(name) or "\0" in value:
            raise Invalid(_("%(name)r cannot be an environment variable.") % {"name": name})
    return variables
