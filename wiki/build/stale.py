"""Pages that rest on a document which does not speak of their subject any more."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext as _

from knowledge.models import EvidenceRow, KnowledgeBase
from wiki.build.publishing import put_patch, remove
from wiki.build.run import Run
from wiki.build.state import find_state
from wiki.build.values import Patch, Source, Subject
from wiki.build.write import task_for
from wiki.constants import PageKind
from wiki.models import WikiPage
from wiki.text.patch import sentences_named, without_sentences
from wiki.text.sentences import split_sentences


def slugs_resting_on(base: KnowledgeBase, source: Source) -> list[Subject]:
    """Return the pages, as subjects without passages, that have something from a document."""
    cited = EvidenceRow.objects.filter(document_id=source.document_id).values("origin_id")
    pages = WikiPage.objects.filter(base=base, pk__in=cited, trashed_at__isnull=True)
    return [
        Subject(slug=page.slug, name=page.title, kind=PageKind(page.kind))
        for page in pages.exclude(kind=PageKind.INDEX).order_by("slug")
    ]


def retire_unread(run: Run, source: Source, *, read: Collection[str]) -> None:
    """Take out what a changed document does not say any more of subjects that it left.

    What it still says word for word is bound to where it says it now.
    """
    for subject in slugs_resting_on(run.base, source):
        if subject.slug in read:
            continue
        state = find_state(run.base, subject.slug, with_pending=False)
        task = task_for(subject, source, state)
        if state is None or task is None:
            continue
        gone = task.outdated - task.told_by_others
        reason = (
            _("Its document does not say it any more.")
            if source.is_walled
            else _("“%(name)s” does not say it any more.") % {"name": source.name}
        )
        left = without_sentences(state.content, sentences_named(state.content, gone))
        if not split_sentences(left):
            remove(run, state, reason=reason)
            continue
        put_patch(
            run,
            subject,
            Patch(kept=task.anchored, removed=gone, left=task.told_by_others),
            source=source,
            reason=reason,
            targets=(),
            with_pending=False,
        )
