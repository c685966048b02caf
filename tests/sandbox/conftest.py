"""Where skills are kept in tests: nothing is left behind, nothing is shared."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture
def skill_files(tmp_path: Path, settings: Settings) -> Path:
    """Folders of this test alone for archives and unpacked skills."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.SKILL_UNPACKED_DIR = tmp_path / "unpacked"
    return tmp_path
