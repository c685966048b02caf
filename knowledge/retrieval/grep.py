"""Finds passages by a regular expression, in the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg.errors
from django.db import DataError, OperationalError, connection, transaction

from accounts.access import Actor
from core.errors import Invalid
from knowledge.constants import ChunkKind
from knowledge.models import Chunk
from knowledge.retrieval.scope import Scope, resolve

TIMEOUT_MS = 5_000
MAXIMUM_PATTERN_CHARACTERS = 500
MAXIMUM_MATCHES = 100


def grep(actor: Actor, *, pattern: str, scope: Scope, limit: int = 20) -> list[Chunk]:
    """Return the passages that match a POSIX pattern, whatever their case, with their documents.

    They are in the order of document name, document and position.

    Raises:
        Invalid: the pattern is empty, too long, no regular expression, or takes too long.
        NotFound: the scope is strict and names a base or document that the actor may not see.
    """
    check_pattern(pattern)
    where = resolve(actor, scope)
    if not where.bases:
        return []
    found = (
        where.chunks.filter(text__iregex=pattern)
        .exclude(kind=ChunkKind.PARENT)
        .select_related("document")
        .order_by("document__name", "document_id", "position")
    )
    with matching(pattern):
        return list(found[: min(max(1, limit), MAXIMUM_MATCHES)])


def check_pattern(pattern: str) -> None:
    """Return when a pattern can be asked of the database.

    Raises:
        Invalid: it is empty or too long.
    """
    if not pattern.strip() or "\x00" in pattern or len(pattern) > MAXIMUM_PATTERN_CHARACTERS:
        raise Invalid(
            f"The pattern is empty or over {MAXIMUM_PATTERN_CHARACTERS} characters; give a word or"
            " a short regular expression."
        )


@contextmanager
def matching(pattern: str) -> Iterator[None]:
    """Limit the time of queries that match a pattern which a person or a model wrote.

    Raises:
        Invalid: it is no regular expression, or takes too long.
    """
    try:
        with _statement_timeout(TIMEOUT_MS):
            yield
    except DataError as error:
        if not isinstance(error.__cause__, psycopg.errors.InvalidRegularExpression):
            raise
        reason = str(error).partition("\n")[0]
        raise Invalid(f"{pattern!r} is no regular expression: {reason}.") from error
    except OperationalError as error:
        if not isinstance(error.__cause__, psycopg.errors.QueryCanceled):
            raise
        raise Invalid(
            f"Searching for {pattern!r} took over {TIMEOUT_MS / 1000:g} s; use a simpler pattern or"
            " fewer bases."
        ) from error


@contextmanager
def _statement_timeout(milliseconds: int) -> Iterator[None]:
    """Limit each statement of the block; what held before holds after it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout')")
        (before,) = cursor.fetchone()
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
        yield
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [before])
