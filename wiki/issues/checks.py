"""The checks of lint: those that look at one page, those that look at all of them together.

Pages come in batches; what the checks over the whole wiki need is gathered on the way (`Survey`):
names, lengths, sentences with figures, never all texts at once.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import QuerySet
from rapidfuzz import fuzz

from accounts.actors import system_actor
from knowledge.evidence import Evidence, read_evidence_of
from knowledge.models import KnowledgeBase
from wiki.constants import IssueKind, PageKind, PageStatus
from wiki.issues.figures import Statement, disagreeing, statement_of
from wiki.issues.findings import Finding
from wiki.issues.mentions import Names
from wiki.models import WikiLink, WikiPage, WikiSentence
from wiki.text.sentences import split_sentences

EMPTY_BYTES = 50
MOST_MENTIONS = 5
"""Missing links told of one page: the rest shows once these are mended."""
_NEAR_EQUAL = 95.0
"""Likeness of two texts, 0 to 100, from which one page stands twice."""
_NEIGHBOURS = 12
"""A text is compared with so many of the next longer ones."""
_COMPARED_CHARACTERS = 4_000
_SHORTEST_COMPARED = 200
_NO_ORPHANS = (PageKind.INDEX,)


@dataclass(kw_only=True)
class Survey:
    """What is kept of all pages while they are gone through."""

    names: Names
    slugs: dict[UUID, str] = field(default_factory=dict)
    titles: dict[UUID, str] = field(default_factory=dict)
    kinds: dict[UUID, str] = field(default_factory=dict)
    starts: dict[UUID, str] = field(default_factory=dict)
    """The beginning of each text."""
    lengths: dict[UUID, int] = field(default_factory=dict)
    hashes: dict[UUID, str] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    linked: set[UUID] = field(default_factory=set)
    """Pages that another page leads to."""
    links: int = 0


def begin_survey(base: KnowledgeBase) -> Survey:
    """Return an empty survey that knows the names of all pages of a base."""
    rows = live_pages(base).values_list("pk", "title", "aliases")
    pairs = [
        (name, page_id)
        for page_id, title, aliases in rows.iterator(chunk_size=1000)
        for name in (title, *aliases)
    ]
    return Survey(names=Names(pairs))


def live_pages(base: KnowledgeBase) -> QuerySet[WikiPage]:
    """Return the pages that readers meet."""
    return WikiPage.objects.filter(
        base=base, trashed_at__isnull=True, status=PageStatus.PUBLISHED
    ).order_by("pk")


def check_batch(pages: Sequence[WikiPage], survey: Survey) -> Iterator[Finding]:
    """Yield what is wrong with each of the pages alone, and note what the whole is told by."""
    links: defaultdict[UUID, list[WikiLink]] = defaultdict(list)
    for link in WikiLink.objects.filter(source__in=pages):
        links[link.source_id].append(link)
    for page in pages:
        _note(page, links[page.pk], survey)
        yield from _broken(page, links[page.pk])
        yield from _empty(page)
        yield from _unlinked(page, links[page.pk], survey)
    yield from _stale(pages)


def check_whole(survey: Survey) -> Iterator[Finding]:
    """Yield what only shows when all pages were seen."""
    yield from _orphans(survey)
    yield from _duplicates(survey)
    yield from _contradictions(survey)


def _note(page: WikiPage, links: Iterable[WikiLink], survey: Survey) -> None:
    survey.slugs[page.pk], survey.titles[page.pk] = page.slug, page.title
    survey.kinds[page.pk] = page.kind
    plain = " ".join(page.content.split())
    survey.starts[page.pk], survey.lengths[page.pk] = plain[:_COMPARED_CHARACTERS], len(plain)
    survey.hashes[page.pk] = hashlib.sha256(plain.encode()).hexdigest()
    for link in links:
        survey.links += 1
        if link.target_id is not None and link.target_id != page.pk:
            survey.linked.add(link.target_id)
    found = (statement_of(page.pk, each.text) for each in split_sentences(page.content))
    survey.statements += [each for each in found if each is not None]


def _broken(page: WikiPage, links: Iterable[WikiLink]) -> Iterator[Finding]:
    for link in links:
        if link.target_id is None:
            yield Finding(
                page_id=page.pk,
                kind=IssueKind.BROKEN_LINK,
                key=link.slug,
                detail={"slug": link.slug},
            )


def _empty(page: WikiPage) -> Iterator[Finding]:
    size = len(page.content.strip().encode())
    if size < EMPTY_BYTES:
        yield Finding(page_id=page.pk, kind=IssueKind.EMPTY_CONTENT, detail={"bytes": size})


def _unlinked(page: WikiPage, links: Iterable[WikiLink], survey: Survey) -> Iterator[Finding]:
    known = {link.target_id for link in links} | {page.pk}
    mentions = [each for each in survey.names.find(page.content) if each.page_id not in known]
    for mention in mentions[:MOST_MENTIONS]:
        yield Finding(
            page_id=page.pk,
            kind=IssueKind.MISSING_CROSS_REF,
            key=str(mention.page_id),
            detail={
                "page_id": str(mention.page_id),
                "name": page.content[mention.start : mention.end],
            },
        )


def _stale(pages: Sequence[WikiPage]) -> Iterator[Finding]:
    """Yield each document of a page that is gone or says something else now."""
    rests: defaultdict[UUID, dict[str, set[int]]] = defaultdict(dict)
    for row in WikiSentence.objects.filter(page__in=pages):
        rests[row.page_id][row.text_hash] = set(row.markers)
    if not rests:
        return
    reader = system_actor(space_id=pages[0].space_id)
    evidence = read_evidence_of(reader, origin_ids=list(rests))
    for page in pages:
        by_marker = {each.marker: each for each in evidence.get(page.pk, [])}
        yield from _stale_of(page, rests.get(page.pk, {}), by_marker)


def _stale_of(
    page: WikiPage, rests: Mapping[str, set[int]], evidence: Mapping[int, Evidence]
) -> Iterator[Finding]:
    sentences: defaultdict[tuple[UUID | None, str, str], int] = defaultdict(int)
    for sentence in split_sentences(page.content):
        behind = {
            (each.document_id, each.source_state, each.document_name)
            for marker in rests.get(sentence.hash, ())
            if (each := evidence.get(marker)) is not None and each.source_state != "unchanged"
        }
        for key in behind:
            sentences[key] += 1
    for (document_id, state, name), count in sentences.items():
        yield Finding(
            page_id=page.pk,
            kind=IssueKind.STALE_REF,
            key=f"{document_id or name} {state}",
            detail={
                "state": "changed" if state == "changed" else "deleted",
                "sentences": count,
                "document": name,
            },
            document_ids=(document_id,) if document_id else (),
        )


def _orphans(survey: Survey) -> Iterator[Finding]:
    if len(survey.slugs) < 2:
        return
    for page_id, kind in survey.kinds.items():
        if page_id not in survey.linked and kind not in _NO_ORPHANS:
            yield Finding(page_id=page_id, kind=IssueKind.ORPHAN_PAGE)


def _duplicates(survey: Survey) -> Iterator[Finding]:
    """Yield the later of two pages with the same name or nearly the same text."""
    told: set[frozenset[UUID]] = set()
    for one, other, why in (*_same_names(survey), *_same_texts(survey)):
        pair = frozenset((one, other))
        if pair not in told:
            told.add(pair)
            first, second = sorted(pair, key=lambda each: survey.slugs[each])
            yield Finding(
                page_id=second,
                kind=IssueKind.DUPLICATE,
                key=str(first),
                detail={"page_id": str(first), "why": why},
            )


def _same_names(survey: Survey) -> Iterator[tuple[UUID, UUID, str]]:
    groups: defaultdict[str, list[UUID]] = defaultdict(list)
    for page_id, title in survey.titles.items():
        if survey.kinds[page_id] != PageKind.SUMMARY:
            groups["".join(each for each in title.casefold() if each.isalnum())].append(page_id)
    for name, group in groups.items():
        for other in group[1:]:
            if name:
                yield group[0], other, "name"


def _same_texts(survey: Survey) -> Iterator[tuple[UUID, UUID, str]]:
    rows = [each for each, size in survey.lengths.items() if size >= _SHORTEST_COMPARED]
    by_length = sorted(rows, key=lambda each: survey.lengths[each])
    for place, one in enumerate(by_length):
        for other in by_length[place + 1 : place + 1 + _NEIGHBOURS]:
            if survey.lengths[other] > 1.1 * survey.lengths[one]:
                break
            same = survey.hashes[one] == survey.hashes[other]
            likeness = fuzz.ratio(
                survey.starts[one], survey.starts[other], score_cutoff=_NEAR_EQUAL
            )
            if same or likeness >= _NEAR_EQUAL:
                yield one, other, "text"


def _contradictions(survey: Survey) -> Iterator[Finding]:
    for one, other in disagreeing(survey.statements):
        first, second = sorted((one, other), key=lambda each: survey.slugs[each.page_id])
        yield Finding(
            page_id=second.page_id,
            kind=IssueKind.CONTRADICTORY_FACTS,
            key=f"{first.page_id} {first.text} {second.text}",
            detail={
                "page_id": str(first.page_id),
                "says": second.text[:500],
                "other_says": first.text[:500],
            },
        )
