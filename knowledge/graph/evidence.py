"""The one way to a graph's evidence: what the reader may see, of passages that may be found.

Whatever is told of a graph (names, kinds, descriptions, relations, counts) is made of these rows.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Aggregate, CharField, F, QuerySet

from knowledge.models import GraphMention
from knowledge.retrieval.scope import Searched


class MostFrequent(Aggregate):
    """The most frequent value of a group, the first by order among equally frequent ones."""

    function = "mode"
    template = "%(function)s() WITHIN GROUP (ORDER BY %(expressions)s)"

    def __init__(self, expression: Any, **extra: Any) -> None:
        """Take the column."""
        super().__init__(expression, output_field=CharField(), **extra)


def evidence_in(where: Searched) -> QuerySet[GraphMention]:
    """Return the mentions that the reader of `where` may see.

    They stand in passages that the reader may find now, and that still say what was read.
    """
    passages = where.chunks.order_by().values("pk")
    return GraphMention.objects.filter(chunk__in=passages, source_hash=F("chunk__content_hash"))
