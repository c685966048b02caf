"""The jobs that check wikis: ids in, one service."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from core.jobs.handlers import JobContext, handles
from wiki.issues.jobs import LINT_WIKI
from wiki.issues.lint import lint_failed, lint_wiki


def _failed(arguments: dict[str, Any], reason: str) -> None:
    lint_failed(UUID(arguments["base_id"]), reason)


@handles(LINT_WIKI, on_failure=_failed)
def lint(context: JobContext, *, base_id: str) -> None:
    """Check all pages of a base."""
    lint_wiki(context, base_id=UUID(base_id))
