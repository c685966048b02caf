"""Makes Django ready when it is imported: for benchmarks of code that stands beside tables."""

from __future__ import annotations

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "weknora_site.settings")
django.setup()
