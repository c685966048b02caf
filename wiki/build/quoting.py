"""What can be built without a language model: pages that quote the beginning of each part of a document."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from wiki.build.naming import clean_name, summary_slug
from wiki.build.state import PageState
from wiki.build.values import Addition, Patch, Source, Subject, Worded
from wiki.build.write import clean_sentence, task_for
from wiki.constants import PageKind
from wiki.text.sentences import sentence_hash, split_sentences

MOST_SENTENCES: Final = 16
A_PART: Final = 2
"""Sentences quoted from each part."""
_LONGEST: Final = 400
_SHORTEST: Final = 12


def summary_subject(source: Source) -> Subject:
    """Return the summary page of a document as a subject that all of its passages speak of."""
    return Subject(
        slug=summary_slug(source.document_id),
        name=clean_name(source.title) or str(source.document_id),
        kind=PageKind.SUMMARY,
        hashes=frozenset(each.hash for each in source.passages),
    )


def quoting_patch(subject: Subject, source: Source, state: PageState | None) -> Patch:
    """Return what a document's quotes change of its summary page.

    A sentence that stands in the document still stays where it is; one that does not goes.
    """
    task = task_for(subject, source, state)
    outdated = task.outdated if task else frozenset[str]()
    shared = task.told_by_others if task else frozenset[str]()
    known = {each.hash for each in state.sentences} if state else set()
    if task is None and state is not None:
        return Patch()
    added: dict[str, list[Worded]] = {}
    quotes = quotes_of(source)[:MOST_SENTENCES]
    for heading, text, chunk_id in quotes:
        if sentence_hash(text) not in known:
            known.add(sentence_hash(text))
            added.setdefault(heading, []).append(Worded(text=text, chunks=(chunk_id,)))
    first = quotes[0] if quotes else None
    wants_summary = state is None or not state.summary or sentence_hash(state.summary) in outdated
    return Patch(
        summary=Worded(text=first[1], chunks=(first[2],)) if first and wants_summary else None,
        kept=task.anchored if task else {},
        removed=outdated - shared,
        left=shared,
        added=tuple(
            Addition(heading=heading, sentences=tuple(each)) for heading, each in added.items()
        ),
    )


def quotes_of(source: Source) -> list[tuple[str, str, UUID]]:
    """Return the first sentences of each part of a document: heading, words, passage."""
    found: list[tuple[str, str, UUID]] = []
    counts: dict[tuple[str, ...], int] = {}
    for passage in source.passages:
        for sentence in split_sentences(passage.text):
            text = clean_sentence(sentence.text)
            if not _SHORTEST <= len(text) <= _LONGEST or sentence.text.lstrip().startswith("|"):
                continue
            if counts.get(passage.headings, 0) >= A_PART:
                break
            counts[passage.headings] = counts.get(passage.headings, 0) + 1
            heading = passage.headings[-1] if len(passage.headings) > 1 else ""
            found.append((heading, text, passage.chunk_id))
    return found
