#!/usr/bin/env python
"""Django's command line."""

import os
import sys


def main() -> None:
    """Run a management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weknora_site.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415  after settings

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
