"""What lint finds: values, before they are issues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from wiki.constants import IssueKind
from wiki.issues.fingerprints import fingerprint_of


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong with a page."""

    page_id: UUID
    kind: IssueKind
    key: str = ""
    """What tells it from other findings of its kind on this page."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """What a fix and a sentence for people need; JSON."""
    document_ids: tuple[UUID, ...] = ()
    """Sources that may be why."""

    @property
    def fingerprint(self) -> str:
        """By which it is known again."""
        return fingerprint_of(self.page_id, self.kind, self.key)


LINT_KINDS = (
    IssueKind.ORPHAN_PAGE,
    IssueKind.BROKEN_LINK,
    IssueKind.STALE_REF,
    IssueKind.MISSING_CROSS_REF,
    IssueKind.EMPTY_CONTENT,
    IssueKind.DUPLICATE,
    IssueKind.CONTRADICTORY_FACTS,
)
"""What lint looks for, in the order of the page's filter."""
