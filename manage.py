#!/usr/bin/env python
"""Django's command line, with the embedded services behind it when a command needs them."""

import os
import sys


def main() -> int:
    """Run a management command; return its exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weknora_site.settings")
    try:
        from weknora_site.command_line import run  # noqa: PLC0415  fails in words, see below
    except ModuleNotFoundError as error:
        sys.stderr.write(f"error: {error}: run `make setup`, then .venv/bin/python manage.py\n")
        return 2
    return run(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
