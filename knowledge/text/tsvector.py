"""Terms as PostgreSQL writes them."""

from __future__ import annotations

from collections.abc import Iterable


def term_vector(terms: Iterable[str]) -> str:
    """Return the terms, each once, as a tsvector without positions."""
    return " ".join(quote_term(term) for term in sorted(set(terms)))


def quote_term(term: str) -> str:
    """Return a term as it stands in a tsvector or a tsquery."""
    escaped = term.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
