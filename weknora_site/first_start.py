"""What a new installation begins with: each step makes its part when it is missing.

The steps run at every start, in order, each in a transaction of its own; a step that finds its
part returns nothing. What a step returns is shown once, to the person at the terminal.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import transaction

from accounts.platform.users_first import promote_first_administrator
from weknora_site.seeding import bring_in_built_ins, make_first_space

Step = Callable[[], list[str]]
"""Makes something that is missing; returns the lines to show about it."""

STEPS: tuple[Step, ...] = (make_first_space, bring_in_built_ins, promote_first_administrator)


def seed() -> list[str]:
    """Run all steps; return what the person should read now, because it is never shown again."""
    lines: list[str] = []
    for step in STEPS:
        with transaction.atomic():
            lines += step()
    return lines
