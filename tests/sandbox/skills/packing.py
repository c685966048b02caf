"""Makes archives of skills, good and hostile, for tests."""

from __future__ import annotations

import io
import zipfile

GOOD = """---
name: {name}
description: Adds numbers up when somebody asks for a sum.
version: "{version}"
permissions:
{permissions}
---
# Adding up

Run `scripts/add.py` with the numbers.
"""


def skill_text(
    name: str = "adding-up", *, version: str = "1.0.0", permissions: str = "  files: write"
) -> str:
    """Return a SKILL.md."""
    return GOOD.format(name=name, version=version, permissions=permissions)


def zip_of(*files: tuple[str | zipfile.ZipInfo, str | bytes]) -> io.BytesIO:
    """Return a packed zip of exactly these entries."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    packed.seek(0)
    return packed


def skill_zip(
    name: str = "adding-up",
    *,
    version: str = "1.0.0",
    permissions: str = "  files: write",
    script: str = "print(1)\n",
) -> io.BytesIO:
    """Return a small good skill."""
    text = skill_text(name, version=version, permissions=permissions)
    return zip_of(("SKILL.md", text), ("scripts/add.py", script))
