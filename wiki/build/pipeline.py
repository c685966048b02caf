"""Building in its order: read → candidates → cite → merge → taxonomy → write → finalise.

One batch of documents at a time. What a step made of a document or a page is stored when it is done, so
a killed batch goes on behind it; a document that fails costs the others nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.utils.translation import gettext as _

from knowledge.models import Document
from providers.contracts.errors import ModelError
from wiki.build import candidates, cite, merge, taxonomy, write
from wiki.build.asking import ask_values
from wiki.build.crosslinks import Target
from wiki.build.finalise import finalise, targets_of
from wiki.build.folders import folder_paths
from wiki.build.publishing import put_patch
from wiki.build.quoting import quoting_patch, summary_subject
from wiki.build.reading import (
    earlier_subjects,
    fingerprint_of,
    keep_reading,
    kept_reading,
    load_source,
    renamed,
)
from wiki.build.retract import retract_document
from wiki.build.run import Run
from wiki.build.stale import retire_unread
from wiki.build.state import find_state
from wiki.build.values import Patch, Reading, Source, Subject
from wiki.constants import Granularity, OperationKind, PageKind
from wiki.models import WikiOperation, WikiPage

Failures = dict[UUID, str]
"""Id of a document -> why it could not be built in."""


def build_batch(run: Run, operations: Sequence[WikiOperation]) -> Failures:
    """Build a batch's documents in, and take others out; return what could not be done.

    Raises:
        JobCancelled: somebody stopped it, or another worker has the job.
        ModelError: the model cannot be asked now, whatever is asked.
        Conflict: a budget is spent.
    """
    failures: Failures = {}
    sources = retract_gone(run, operations)
    if run.asker is None:
        quote_documents(run, sources)
    else:
        readings = read_documents(run, sources, failures)
        readings = merge_subjects(run, readings)
        readings = place_subjects(run, readings)
        write_pages(run, readings, failures)
    finalise(run)
    return failures


def retract_gone(run: Run, operations: Sequence[WikiOperation]) -> list[Source]:
    """Take out what is gone; return the documents that are there, each with its passages."""
    sources: list[Source] = []
    for operation in operations:
        run.check()
        source = load_source(operation.document_id)
        if source is not None and operation.kind == OperationKind.INGEST:
            sources.append(source)
        elif not Document.objects.filter(pk=operation.document_id).exists():
            # One in the trash, or that is read anew, is there still.
            retract_document(run, operation.document_id, name=operation.document_name)
    return sources


def quote_documents(run: Run, sources: Sequence[Source]) -> None:
    """Make pages of quotes: what can be done without a model."""
    for source in sources:
        run.check()
        subject = summary_subject(source)
        patch = quoting_patch(subject, source, find_state(run.base, subject.slug))
        if not patch.is_empty:
            put_patch(
                run,
                subject,
                patch,
                source=source,
                reason=_reason(source),
                targets=targets_of(run),
            )
        retire_unread(run, source, read={subject.slug})
        made_from = fingerprint_of(source, run.settings, by="")
        reading = Reading(source=source, made_from=made_from, subjects=(subject,))
        keep_reading(reading, space_id=run.base.space_id)


def read_documents(run: Run, sources: Sequence[Source], failures: Failures) -> list[Reading]:
    """Read each document: its subjects, and the passages that tell of each; kept ones are not asked for."""
    by = str(run.settings.model_id or "default")
    made_from = {each.document_id: fingerprint_of(each, run.settings, by=by) for each in sources}
    readings = {
        each.document_id: kept
        for each in sources
        if (kept := kept_reading(each, made_from[each.document_id]))
    }
    unread = [each for each in sources if each.document_id not in readings and each.passages]
    subjects = _candidates(run, unread, failures)
    for source, found in _cited(run, subjects, failures):
        earlier = {each.slug: each for each in earlier_subjects(source.document_id)}
        summary = summary_subject(source)
        known = earlier.get(summary.slug)
        reading = Reading(
            source=source,
            made_from=made_from[source.document_id],
            subjects=(replace(summary, seen=known.seen if known else frozenset()), *found),
        )
        keep_reading(reading, space_id=run.base.space_id)
        readings[source.document_id] = reading
    return [readings[each.document_id] for each in sources if each.document_id in readings]


def merge_subjects(run: Run, readings: Sequence[Reading]) -> list[Reading]:
    """Let subjects that are what a page is about already be that page's."""
    known = [
        merge.Known(slug=row.slug, title=row.title, aliases=tuple(row.aliases), summary=row.summary)
        for row in WikiPage.objects.filter(
            base=run.base, trashed_at__isnull=True, kind__in=merge.KINDS
        ).order_by("slug")
    ]
    found = [_merged(run, reading, known) for reading in readings]
    return found


def place_subjects(run: Run, readings: Sequence[Reading]) -> list[Reading]:
    """Choose folders for subjects that get a new page; without an answer they get none."""
    new = {
        subject.slug: subject
        for reading in readings
        for subject in reading.subjects
        if subject.kind in merge.KINDS and not subject.folder and _is_new(run, subject)
    }
    if not new or run.asker is None:
        return list(readings)
    run.check()
    folders = folder_paths(run.base)
    portions = taxonomy.portions_of(list(new.values()))
    answers = ask_values(
        run.asker,
        [taxonomy.wish_for(each, folders) for each in portions],
        taxonomy.Answer,
        parallel=run.settings.map_parallel,
    )
    places: dict[str, str] = {}
    for portion, answer in zip(portions, answers, strict=True):
        if isinstance(answer, ModelError):
            run.log(_("No folders were chosen"), detail=answer.message)
        else:
            places.update(taxonomy.folders_by_slug(answer, portion, folders))
    placed = [
        replace(
            reading,
            subjects=tuple(
                replace(each, folder=places.get(each.slug, each.folder))
                for each in reading.subjects
            ),
        )
        for reading in readings
    ]
    for reading in placed:
        keep_reading(reading, space_id=run.base.space_id)
    return placed


def write_pages(run: Run, readings: Sequence[Reading], failures: Failures) -> None:
    """Write the pages: a document and a page at a time, different pages at once."""
    for reading in readings:
        failed = len(failures)
        for wave in _waves(run, reading):
            _write_wave(run, wave, failures)
        if len(failures) == failed:
            retire_unread(run, reading.source, read={each.slug for each in reading.subjects})


@dataclass(frozen=True, kw_only=True)
class _Portion:
    """What one call writes from."""

    subject: Subject
    source: Source
    whole: Subject
    is_last: bool


def _waves(run: Run, reading: Reading) -> list[list[_Portion]]:
    """Return the portions of a document in an order in which no page is written twice at once."""
    split = [
        [
            _Portion(
                subject=part, source=reading.source, whole=subject, is_last=number == len(parts)
            )
            for number, part in enumerate(parts, 1)
        ]
        for subject in reading.subjects
        for parts in [write.portions_of(subject, reading.source)]
    ]
    longest = max((len(each) for each in split), default=0)
    at_once = max(1, run.settings.reduce_parallel)
    waves: list[list[_Portion]] = []
    for number in range(longest):
        turn = [each[number] for each in split if number < len(each)]
        waves += [turn[at : at + at_once] for at in range(0, len(turn), at_once)]
    return waves


def _write_wave(run: Run, wave: Sequence[_Portion], failures: Failures) -> None:
    run.check()
    if run.asker is None:
        return
    tasks = [
        (portion, task)
        for portion in wave
        if (
            task := write.task_for(
                portion.subject, portion.source, find_state(run.base, portion.subject.slug)
            )
        )
    ]
    asked = [(portion, task) for portion, task in tasks if task.needs_model]
    answers = ask_values(
        run.asker,
        [write.wish_for(task, run.settings) for _portion, task in asked],
        write.Answer,
        parallel=run.settings.reduce_parallel,
    )
    made: list[tuple[_Portion, write.Made]] = [
        (portion, write.Made(patch=Patch(kept=task.anchored, supported=task.repeated)))
        for portion, task in tasks
        if not task.needs_model
    ]
    for (portion, task), answer in zip(asked, answers, strict=True):
        if isinstance(answer, ModelError):
            failures[portion.source.document_id] = answer.message
            run.count(failed=1)
            run.log(_("Not written"), page=portion.subject.slug, detail=answer.message)
        else:
            made.append((portion, write.patch_of(answer, task)))
    targets = [*targets_of(run), *_soon(made)]
    for portion, each in made:
        _put(run, portion, each, targets)


def _put(run: Run, portion: _Portion, made: write.Made, targets: Sequence[Target]) -> None:
    if made.dropped:
        run.count(dropped=len(made.dropped))
        run.log(
            _("Left out, without a passage that says so"),
            page=portion.subject.slug,
            detail=" · ".join(each[:160] for each in made.dropped[:5]),
        )
    put_patch(
        run,
        portion.whole,
        made.patch,
        source=portion.source,
        reason=_reason(portion.source),
        targets=targets,
        doubts=made.doubts,
        is_last=portion.is_last,
    )


def _soon(made: Sequence[tuple[_Portion, write.Made]]) -> list[Target]:
    """Return the pages that are about to be made, for links between them."""
    return [
        Target(slug=portion.whole.slug, name=name)
        for portion, each in made
        if each.patch.added and portion.whole.kind != PageKind.SUMMARY
        for name in dict.fromkeys((portion.whole.name, *portion.whole.aliases))
    ]


def _candidates(
    run: Run, sources: Sequence[Source], failures: Failures
) -> list[tuple[Source, list[Subject]]]:
    if run.asker is None or not sources:
        return []
    run.check()
    earlier = [
        [each for each in earlier_subjects(source.document_id) if each.kind in merge.KINDS]
        for source in sources
    ]
    answers = ask_values(
        run.asker,
        [
            candidates.wish_for(source, run.settings, known)
            for source, known in zip(sources, earlier, strict=True)
        ],
        candidates.Answer,
        parallel=run.settings.map_parallel,
    )
    found: list[tuple[Source, list[Subject]]] = []
    for source, known, answer in zip(sources, earlier, answers, strict=True):
        if isinstance(answer, ModelError):
            _failed(run, source, answer, failures)
        else:
            found.append((source, candidates.subjects_of(answer, source, run.settings, known)))
    return found


def _cited(
    run: Run, found: Sequence[tuple[Source, list[Subject]]], failures: Failures
) -> list[tuple[Source, list[Subject]]]:
    if run.asker is None or not found:
        return []
    run.check()
    asked = [
        (number, batch)
        for number, (source, _subjects) in enumerate(found)
        for batch in cite.batches_of(source)
    ]
    answers = ask_values(
        run.asker,
        [cite.wish_for(batch, *found[number], run.settings) for number, batch in asked],
        cite.Answer,
        parallel=run.settings.map_parallel,
    )
    most = candidates.MOST_SUBJECTS[Granularity(run.settings.granularity)]
    done: list[tuple[Source, list[Subject]]] = []
    for number, (source, subjects) in enumerate(found):
        mine: list[tuple[cite.Batch, cite.Answer]] = []
        for (place, batch), answer in zip(asked, answers, strict=True):
            if place != number:
                continue
            if isinstance(answer, ModelError):
                _failed(run, source, answer, failures)
            else:
                mine.append((batch, answer))
        if source.document_id not in failures:
            done.append((source, cite.cited(mine, source, subjects, most=most)))
    return done


def _merged(run: Run, reading: Reading, known: list[merge.Known]) -> Reading:
    """Return the reading with its subjects under the slugs of the pages that they are; extends `known`."""
    subjects = [each for each in reading.subjects if each.kind in merge.KINDS]
    slugs = {page.slug for page in known}
    renames = merge.same_by_name(subjects, known)
    unsure = [
        each
        for each in subjects
        if each.slug not in renames and each.slug not in slugs and not each.seen
    ]
    question = merge.question_for(unsure, known) if unsure and known else None
    if question is not None and run.asker is not None:
        run.check()
        answer = ask_values(run.asker, [merge.wish_for(question)], merge.Answer, parallel=1)[0]
        if isinstance(answer, ModelError):
            run.log(_("Not compared with pages of a similar name"), detail=answer.message)
        else:
            renames.update(merge.same_by_answer(question, answer))
    merged = renamed(reading, renames) if renames else reading
    if renames:
        keep_reading(merged, space_id=run.base.space_id)
    slugs = {page.slug for page in known}
    known += [
        merge.Known(slug=each.slug, title=each.name, aliases=each.aliases, summary=each.description)
        for each in merged.subjects
        if each.kind in merge.KINDS and each.slug not in slugs
    ]
    return merged


def _is_new(run: Run, subject: Subject) -> bool:
    return not subject.is_written and find_state(run.base, subject.slug) is None


def _failed(run: Run, source: Source, error: ModelError, failures: Failures) -> None:
    if source.document_id not in failures:
        run.log(_("Not read"), detail=error.message)
    failures[source.document_id] = error.message


def _reason(source: Source) -> str:
    if source.is_walled:
        # The history of a page is read by more people than the document.
        return _("From a restricted document.")
    return _("From “%(name)s”.") % {"name": source.name}
