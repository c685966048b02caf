"""A mirrored wiki, and what is in its repository."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from core.jobs.handlers import JobContext
from knowledge.models import KnowledgeBase
from wiki.mirror.mirroring import bring_up_to_date
from wiki.mirror.repository import BRANCH, folder_of
from wiki.models import WikiMirror

Git = Callable[..., str]


def context() -> JobContext:
    return JobContext(
        job_id=uuid4(), space_id=1, attempt=1, lease_epoch=1, deadline=time.monotonic() + 600
    )


@pytest.fixture
def mirror(wiki: KnowledgeBase, settings: Any, tmp_path: Path) -> WikiMirror:
    settings.WIKI_MIRRORS = tmp_path / "mirrors"
    return WikiMirror.objects.create(space_id=wiki.space_id, base=wiki, is_on=True)


@pytest.fixture
def run(mirror: WikiMirror) -> Callable[[], WikiMirror]:
    """Bring the mirror up to date and return its row."""

    def once() -> WikiMirror:
        bring_up_to_date(context(), base_id=mirror.base_id)
        return WikiMirror.objects.get(pk=mirror.pk)

    return once


@pytest.fixture
def git(mirror: WikiMirror) -> Git:
    """What the real git says of the repository."""
    folder = folder_of(mirror.space_id, mirror.base_id)

    def said(*arguments: str) -> str:
        done = subprocess.run(
            ["git", f"--git-dir={folder}", "-c", "core.quotePath=false", *arguments],
            capture_output=True,
            check=True,
        )
        return done.stdout.decode(errors="replace")

    return said


def files(git: Git, commit: str = BRANCH) -> dict[str, str]:
    """All files of a commit with their texts."""
    names = git("ls-tree", "-r", "--name-only", "-z", commit).split("\0")[:-1]
    return {name: git("show", f"{commit}:{name}") for name in names}
