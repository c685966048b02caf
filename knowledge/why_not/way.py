"""A passage on its way through one search, and the search's own parts, made when they are needed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from accounts.access import Actor
from knowledge.models import Chunk, SearchRecord
from knowledge.retrieval.hits import CandidateTrace, Retrieval
from knowledge.retrieval.keyword import WeighedTerms, weigh_terms
from knowledge.retrieval.models import QueryVectors, embed_query
from knowledge.retrieval.scope import Scope, Searched, resolve


@dataclass(kw_only=True)
class Way:
    """What the checks ask."""

    actor: Actor
    """Who wants to know; may see the passage."""
    reader: Actor
    """For whom it should be found."""
    question: str
    scope: Scope
    chunk: Chunk
    found: Retrieval | None
    """The search as it is now; None without a question."""
    trace: CandidateTrace | None
    record: SearchRecord | None
    for_answer: bool

    @cached_property
    def searched(self) -> Searched:
        """Where the reader's search looks."""
        return resolve(self.reader, self.scope, question=self.question)

    @cached_property
    def vectors(self) -> QueryVectors:
        """The question as the model of the passage's base has it now; of a word when there is none."""
        return embed_query(self.question or self.chunk.text[:200], [self.chunk.base])

    @cached_property
    def terms(self) -> WeighedTerms:
        """The question's terms with their weights."""
        return weigh_terms(self.question, self.searched)
