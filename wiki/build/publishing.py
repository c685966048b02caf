"""From a patch to the page: on the newest text, past the guards, handed in like everybody's edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from knowledge.models import Document
from wiki.build.compose import Composed, compose
from wiki.build.crosslinks import Target
from wiki.build.folders import folder_for
from wiki.build.guards import Judgement, judge
from wiki.build.naming import names_of
from wiki.build.reading import mark_written
from wiki.build.run import Run
from wiki.build.state import PageState, find_state, keep_evidence
from wiki.build.values import Patch, Source, Subject
from wiki.changes.submitting import Outcome, submit
from wiki.constants import ChangeAction, ChangeState, PageKind
from wiki.models import WikiChange, WikiPage
from wiki.pages.sources import leave_document, restate
from wiki.pages.writing import lock_wiki
from wiki.signals import change_moved
from wiki.values import Edit, PageText

Result = Literal["made", "changed", "proposed", "unchanged", "refused", "removed"]


def put_patch(
    run: Run,
    subject: Subject,
    patch: Patch,
    *,
    source: Source | None,
    reason: str,
    targets: Sequence[Target],
    doubts: Sequence[str] = (),
    is_last: bool = True,
    with_pending: bool = True,
) -> Result:
    """Let the page of a subject be what a patch makes of it, or propose it, or refuse it.

    `source` is the document behind the patch; None when one is gone. `is_last` says that all of its
    passages are through. `with_pending` goes on from building's open proposal, if there is one; what
    was made on it waits as it did. Everything happens in one transaction: a killed worker did it or did not.

    Raises:
        JobCancelled: another worker has the job.
    """
    with transaction.atomic():
        run.context.check_lease()
        lock_wiki(run.base)
        state = find_state(run.base, subject.slug, with_pending=with_pending)
        if state is None and not patch.added:
            result: Result = "unchanged"
        else:
            state = state or _new(run, subject)
            result = _put(run, state, subject, patch, source, reason, targets, doubts)
        if source is not None and is_last and result != "refused":
            mark_written(source.document_id, subject.slug)
    run.count(**{result: 1})
    return result


def remove(run: Run, state: PageState, *, reason: str) -> Result:
    """Remove a page that nothing is left of, or propose to."""
    with transaction.atomic():
        run.context.check_lease()
        lock_wiki(run.base)
        if state.pending is not None:
            supersede(state.pending)
        if state.page is None:
            return "removed"
        text = PageText(slug=state.slug, title=state.title, kind=state.kind)
        outcome = submit(
            run.actor,
            run.base,
            WikiPage.objects.get(pk=state.page.pk),
            Edit(text=text, author=run.author, reason=reason),
            on_version=state.version,
            action=ChangeAction.DELETE,
        )
    result: Result = "removed" if outcome.revision else "proposed"
    if outcome.revision:
        run.removed[state.slug] = state.title
        run.touched.add(state.slug)
    run.count(**{result: 1})
    run.log(_outcome_words(outcome, result), page=state.slug, detail=reason)
    return result


def supersede(change: WikiChange) -> None:
    """End a proposal of building that a newer one takes the place of."""
    was = change.state
    WikiChange.objects.filter(pk=change.pk).update(
        state=ChangeState.SUPERSEDED, decided_at=timezone.now()
    )
    transaction.on_commit(
        lambda: change_moved.send(WikiChange, change_id=change.pk, was=was, actor=None)
    )


def _put(
    run: Run,
    state: PageState,
    subject: Subject,
    patch: Patch,
    source: Source | None,
    reason: str,
    targets: Sequence[Target],
    doubts: Sequence[str],
) -> Result:
    composed = compose(state, patch, targets)
    judgement = _judge(state, patch, composed, source)
    if judgement.refusal:
        run.log(_("Refused"), page=state.slug, detail=judgement.refusal)
        return "refused"
    doubts = [*judgement.doubts, *doubts]
    names = _aliases(state, subject)
    same = composed.content == state.content and composed.summary == state.summary
    if same and state.pending is None and (state.page is None or names == state.aliases):
        _restate(state, patch, source)
        return "unchanged"
    edit = Edit(
        text=PageText(
            slug=state.slug,
            title=state.title,
            kind=state.kind,
            status=state.status,
            summary=composed.summary,
            content=composed.content,
            aliases=names,
        ),
        author=run.author,
        reason=" ".join([reason, *doubts])[:500],
        folder_id=state.folder_id,
        sources=_sources(state, patch, composed, source),
    )
    outcome = submit(
        run.actor,
        run.base,
        state.page,
        edit,
        on_version=state.version,
        action=ChangeAction.EDIT if state.page else ChangeAction.CREATE,
        review=True if doubts or state.pending is not None else None,
    )
    return _settle(run, state, subject, patch, source, outcome, doubts)


def _settle(
    run: Run,
    state: PageState,
    subject: Subject,
    patch: Patch,
    source: Source | None,
    outcome: Outcome,
    doubts: Sequence[str],
) -> Result:
    replaces = state.pending is not None and (
        outcome.revision is not None
        or (outcome.change is not None and outcome.change.pk != state.pending.pk)
    )
    if replaces and state.pending is not None:
        supersede(state.pending)
    result: Result = "unchanged"
    if outcome.revision is not None:
        result = "changed" if state.page else "made"
        run.touched.add(state.slug)
        if subject.kind == PageKind.SUMMARY and source is not None and state.page is None:
            WikiPage.objects.filter(pk=outcome.revision.page_id).update(
                summarises=Document.objects.filter(pk=source.document_id).first()
            )
    elif outcome.change is not None:
        keep_evidence(outcome.change)
        result = "proposed"
    _restate(state, patch, source)
    run.log(_outcome_words(outcome, result), page=state.slug, detail=" ".join(doubts))
    return result


def _judge(state: PageState, patch: Patch, composed: Composed, source: Source | None) -> Judgement:
    return judge(
        state.content,
        composed.content,
        sourced={text_hash for text_hash, supports in state.rests.items() if supports},
        gone=patch.removed,
        replaced={text_hash: worded.text for text_hash, worded in patch.replaced.items()},
        told_now=[each.text for each in source.passages] if source else (),
    )


def _restate(state: PageState, patch: Patch, source: Source | None) -> None:
    """Let sentences that stay rest on where the document states them now."""
    if state.page is None or source is None:
        return
    if patch.kept:
        restate(state.page, patch.kept, instead_of=source.document_id)
    if patch.supported:
        restate(state.page, patch.supported)
    if patch.left:
        leave_document(state.page, patch.left, source.document_id)


def _sources(
    state: PageState, patch: Patch, composed: Composed, source: Source | None
) -> dict[str, list[UUID]]:
    """Return what the sentences rest on that are new, or that only a proposal knows."""
    sources: dict[str, dict[UUID, None]] = {}
    if state.pending is not None:
        pending: Mapping[str, Iterable[str]] = state.pending.sources
        for text_hash, known in pending.items():
            sources[text_hash] = dict.fromkeys(UUID(each) for each in known)
        for text_hash in {*patch.kept, *patch.left} & set(sources):
            for each in state.rests.get(text_hash, ()):
                if source is not None and each.document_id == source.document_id:
                    sources[text_hash].pop(each.chunk_id, None)
        for more in (patch.supported, patch.kept):
            for text_hash, chunks in more.items():
                if text_hash in sources:
                    sources[text_hash].update(dict.fromkeys(chunks))
    for text_hash, ids in composed.sources.items():
        sources.setdefault(text_hash, {}).update(dict.fromkeys(ids))
    gone = patch.removed | set(patch.replaced)
    return {
        text_hash: list(chunks)
        for text_hash, chunks in sources.items()
        if text_hash not in gone or text_hash in composed.sources
    }


def _new(run: Run, subject: Subject) -> PageState:
    return PageState(
        slug=subject.slug,
        title=subject.name,
        kind=subject.kind,
        aliases=subject.aliases,
        folder_id=folder_for(run.base, subject.folder),
    )


def _aliases(state: PageState, subject: Subject) -> tuple[str, ...]:
    known = names_of(
        Subject(slug=state.slug, name=state.title, kind=state.kind, aliases=state.aliases)
    )
    more = [
        each
        for each in (subject.name, *subject.aliases)
        if not names_of(Subject(slug="", name=each, kind=state.kind)) & known
    ]
    return tuple(dict.fromkeys((*state.aliases, *more)))


def _outcome_words(outcome: Outcome, result: Result) -> str:
    words = {
        "made": _("New page"),
        "changed": _("Changed"),
        "proposed": _("Proposed"),
        "removed": _("Removed"),
        "unchanged": outcome.note or _("Unchanged"),
        "refused": _("Refused"),
    }
    return words[result]
