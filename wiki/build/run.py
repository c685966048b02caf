"""One batch of building at work: for which base, as whom, with which model, and what it tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from django.db import transaction
from django.utils import timezone

from accounts.access import Actor
from core.jobs.handlers import JobCancelled, JobContext
from knowledge.models import KnowledgeBase
from wiki.build.asking import Asker
from wiki.constants import AuthorKind
from wiki.models import WikiBuild, WikiSettings
from wiki.values import Author

MOST_LOG: Final = 200


@dataclass(kw_only=True)
class Run:
    """A batch at work."""

    context: JobContext
    base: KnowledgeBase
    settings: WikiSettings
    actor: Actor
    build: WikiBuild
    asker: Asker | None
    """None: no model writes here; pages are made of quotes."""
    touched: set[str] = field(default_factory=set)
    """Slugs of pages that were made, changed or removed."""
    removed: dict[str, str] = field(default_factory=dict)
    """Slugs of removed pages with their titles."""

    @property
    def author(self) -> Author:
        """Who revisions and proposals are by."""
        return Author(kind=AuthorKind.PIPELINE, run_id=self.build.pk)

    def check(self) -> None:
        """Return when the batch should go on.

        Raises:
            JobCancelled: somebody stopped the building, or another worker has the job.
        """
        self.context.check()
        if WikiBuild.objects.filter(pk=self.build.pk, stop_asked_at__isnull=False).exists():
            self.context.stop("The building was stopped.")
            raise JobCancelled(self.context.stop_reason)

    def count(self, **what: float) -> None:
        """Add to the counts of the building."""
        with transaction.atomic():
            row = WikiBuild.objects.select_for_update().get(pk=self.build.pk)
            for name, more in what.items():
                row.counts[name] = row.counts.get(name, 0) + more
            row.save(update_fields=["counts"])

    def log(self, what: str, *, page: str = "", detail: str = "") -> None:
        """Tell something about a page; the oldest lines make room."""
        with transaction.atomic():
            row = WikiBuild.objects.select_for_update().get(pk=self.build.pk)
            line = {"at": timezone.now().isoformat(), "page": page, "what": what, "detail": detail}
            row.log = [*row.log, line][-MOST_LOG:]
            row.save(update_fields=["log"])

    def spent(self, tokens_in: int, tokens_out: int, cents: float) -> None:
        """Count a call of the model."""
        self.count(calls=1, tokens_in=tokens_in, tokens_out=tokens_out, cents=cents)
