"""The best passages by words: those with one of the question's rarest terms, by idf coverage.

Coverage is the share of the question's terms that a passage has, each weighed by how rare it is in
the bases. A term that no passage has counts as the rarest of all.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import F, Func, Sum, TextField

from knowledge.models import KeywordRow, TermStatistic
from knowledge.retrieval.hits import QueryTerm
from knowledge.retrieval.scope import Searched
from knowledge.text.analyze import analyze
from knowledge.text.tsvector import quote_term

RAREST_TERMS = 4
FREQUENT_SHARE = 0.05
"""A term in more passages than that chooses none on its own; only above `FREQUENT_FROM` passages, because in
a small base every term is frequent."""
FREQUENT_FROM = 1_000
FREQUENT_TERMS = 2
"""Where every term is frequent, a passage needs so many of them: one would choose half of the base."""
MOST_MATCHES = 5_000
"""Passages that the chosen terms may have together: each one is read and scored, so that a search would
grow with its base. Up to 25,000 passages the four rarest terms never reach it."""
SMALLEST_BASE = 100
"""A base counts as at least so large: in a base of three passages no term is rare, and coverage
would be all about the words that are missing."""
MAXIMUM_TERMS = 128
"""Of a question; the terms behind them are left out."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """By which terms candidates are found."""

    terms: tuple[str, ...]
    """Rarest first."""
    all_of_them: bool
    """Whether a passage needs all of them; else one is enough."""

    def tsquery(self) -> str:
        """Return it as PostgreSQL writes it."""
        return (" & " if self.all_of_them else " | ").join(map(quote_term, self.terms))


@dataclass(frozen=True, kw_only=True)
class WeighedTerms:
    """The question's terms with their weights in the searched bases."""

    terms: tuple[QueryTerm, ...]
    passages: int
    """In the bases."""

    @property
    def total(self) -> float:
        """Sum of all weights."""
        return sum(term.idf for term in self.terms)

    def coverage(self, have: Collection[str]) -> float:
        """Return the coverage of the question by a passage with these terms: 0..1."""
        total = self.total
        return sum(each.idf for each in self.terms if each.term in have) / total if total else 0.0

    def matched(self, have: Collection[str]) -> tuple[str, ...]:
        """Return the question's terms that the passage has."""
        return tuple(each.term for each in self.terms if each.term in have)

    def choose(self) -> Match:
        """Return the terms by which candidates are found."""
        known = sorted(
            (each for each in self.terms if each.chunk_count),
            key=lambda each: (each.chunk_count, each.term),
        )
        most = self.passages * FREQUENT_SHARE if self.passages > FREQUENT_FROM else math.inf
        rare: list[str] = []
        matches = 0
        for each in known[:RAREST_TERMS]:
            matches += each.chunk_count
            if each.chunk_count > most or matches > MOST_MATCHES:
                break
            rare.append(each.term)
        if rare:
            return Match(terms=tuple(rare), all_of_them=False)
        frequent = tuple(each.term for each in known[:FREQUENT_TERMS])
        return Match(terms=frequent, all_of_them=True)


def weigh_terms(question: str, where: Searched) -> WeighedTerms:
    """Return the question's terms, each once, with their weights."""
    terms = list(dict.fromkeys(analyze(question)))[:MAXIMUM_TERMS]
    counts = dict(
        TermStatistic.objects.filter(base_id__in=where.base_ids, term__in=[*terms, ""])
        .order_by()
        .values_list("term")
        .annotate(chunks=Sum("chunk_count"))
    )
    for term, closed in _closed_counts(where, terms).items():
        counts[term] = max(0, counts.get(term, 0) - closed)
    passages = counts.get("", 0)
    return WeighedTerms(
        terms=tuple(
            QueryTerm(
                term=term,
                chunk_count=counts.get(term, 0),
                idf=_idf(counts.get(term, 0), max(passages, SMALLEST_BASE)),
            )
            for term in terms
        ),
        passages=passages,
    )


def _closed_counts(where: Searched, terms: Sequence[str]) -> dict[str, int]:
    """Count the terms in passages behind walls, with "" for all: frequencies would tell of them."""
    if where.closed is None or not terms:
        return {}
    try:
        closed, params = where.closed.order_by().values_list("id").query.sql_with_params()
    except EmptyResultSet:  # the search looks into no base
        return {}
    any_term = " | ".join(map(quote_term, terms))
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH closed AS MATERIALIZED ({closed}), words AS ("  # noqa: S608  compiled by Django
            " SELECT unnest(tsvector_to_array(keywords.terms)) AS term"
            " FROM knowledge_keywordrow AS keywords JOIN closed ON closed.id = keywords.id"
            " WHERE keywords.terms @@ %s::tsquery)"
            " SELECT term, count(*) FROM words WHERE term = ANY(%s) GROUP BY term"
            " UNION ALL SELECT '', count(*) FROM closed",
            [*params, any_term, list(terms)],
        )
        return dict(cursor.fetchall())


def search_keywords(where: Searched, terms: WeighedTerms, *, limit: int) -> list[UUID]:
    """Return the passages with one of the rarest terms, best coverage first.

    Ties are in the order of document and position.
    """
    match = terms.choose()
    if not match.terms:
        return []
    known = [each for each in terms.terms if each.chunk_count]
    score = " + ".join(["(keywords.terms @@ %s::tsquery)::int * %s::float8"] * len(known))
    weights: Iterable[Any] = (v for each in known for v in (quote_term(each.term), each.idf))
    permitted, params = where.permitted_sql()
    # A fence that the planner does not cross: it takes the permitted passages for few, and would look
    # every one of them up among the matches. Matches are scored first, and permission is asked of
    # the best until there are enough. Where the scope itself is small, the planner is right.
    few = where.document_chunks is not None and where.document_chunks <= MOST_MATCHES
    fence = "" if few else "OFFSET 0"
    with connection.cursor() as cursor:
        cursor.execute(
            f"""WITH matches AS MATERIALIZED (
                SELECT keywords.chunk_id, {score} AS score FROM knowledge_keywordrow AS keywords
                WHERE keywords.base_id = ANY(%s) AND keywords.terms @@ %s::tsquery
                ORDER BY score DESC
            )
            SELECT matches.chunk_id FROM matches CROSS JOIN LATERAL (
                SELECT permitted.* FROM ({permitted}) AS permitted
                WHERE permitted.id = matches.chunk_id {fence}
            ) AS permitted
            ORDER BY matches.score DESC, permitted.document_id, permitted.position LIMIT %s""",  # noqa: S608  values are parameters
            [*weights, where.base_ids, match.tsquery(), *params, limit],
        )
        return [row[0] for row in cursor.fetchall()]


def terms_of(chunk_ids: Sequence[UUID]) -> dict[UUID, frozenset[str]]:
    """Return the indexed terms of chosen passages."""
    words: Func = Func(
        F("terms"), function="tsvector_to_array", output_field=ArrayField(TextField())
    )
    rows = KeywordRow.objects.filter(chunk_id__in=chunk_ids).annotate(words=words)
    return {chunk_id: frozenset(found) for chunk_id, found in rows.values_list("chunk_id", "words")}


def _idf(chunk_count: int, passages: int) -> float:
    return math.log(1 + (passages - chunk_count + 0.5) / (chunk_count + 0.5))
