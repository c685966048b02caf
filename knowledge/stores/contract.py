"""What every vector store can do: values, errors and the protocol that adapters fulfil."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from core.errors import ServiceFailed

Vector = NDArray[np.float32]


class StoreFailed(ServiceFailed):
    """A vector store cannot be asked, or refuses; `retry` says whether it may work later."""


@dataclass(frozen=True, kw_only=True)
class Collection:
    """Vectors of one model in one store. Only vectors of one collection are compared."""

    owner: UUID
    """The id of the row of `VectorStore`: two registrations of one server never share vectors."""
    identity: str
    dimensions: int

    @property
    def name(self) -> str:
        """The name on the server: letters, digits and underscores, whatever the identity holds."""
        made_of = f"{self.identity}\n{self.dimensions}".encode()
        return f"weknora_{self.owner.hex}_{hashlib.sha256(made_of).hexdigest()[:16]}"


@dataclass(frozen=True, kw_only=True)
class Point:
    """A passage's vector as it is written to a store. No text of the passage goes with it."""

    chunk_id: UUID
    base_id: UUID
    document_id: UUID
    vector: Vector


@dataclass(frozen=True, kw_only=True)
class Near:
    """A passage that a store names."""

    chunk_id: UUID
    score: float
    """From 0 to 1, (1 + cosine) / 2, whatever the server calls its score."""


@dataclass(frozen=True, kw_only=True)
class StoreProbe:
    """What a server says about itself."""

    server: str
    """Its name and version."""


class Store(Protocol):
    """A vector store. Each method raises `StoreFailed` where the server cannot be asked.

    Ids go in and come out as `UUID`, so that none can be part of a filter's syntax. What was
    written is found by the next call.
    """

    def probe(self) -> StoreProbe:
        """Ask for name and version, and whether it can do what is needed.

        Raises:
            StoreFailed: it cannot be reached, refuses the key, or lacks what is needed.
        """
        ...

    def ensure(self, collection: Collection) -> None:
        """Make the collection, compared by cosine, unless it is there."""
        ...

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        """Write points; a passage that was there before is replaced."""
        ...

    def delete(
        self,
        collection: Collection,
        *,
        base_id: UUID,
        chunk_ids: Sequence[UUID] | None = None,
        document_id: UUID | None = None,
    ) -> None:
        """Remove points of a base: these passages, those of a document, or all. None there: well."""
        ...

    def search(
        self,
        collection: Collection,
        vector: Vector,
        *,
        limit: int,
        base_ids: Sequence[UUID],
        document_ids: Sequence[UUID] | None = None,
    ) -> list[Near]:
        """Return the nearest passages of these bases (and documents), nearest first.

        The filter holds before the limit. A collection that is not there has nothing.
        """
        ...

    def count(self, collection: Collection, *, base_id: UUID | None = None) -> int:
        """Return how many points the collection has, or a base in it; 0 where it is not there."""
        ...

    def drop(self, collection: Collection) -> None:
        """Remove the collection with all points; it need not be there."""
        ...

    def close(self) -> None:
        """Let go of connections and files."""
        ...


def score_of_cosine(cosine: float) -> float:
    """Return a cosine on the scale of scores; rounding never leaves the scale."""
    return min(1.0, max(0.0, (1.0 + cosine) / 2.0))


def unit(vector: Vector) -> list[float]:
    """Return a vector of length 1 as numbers: servers that take the inner product need it."""
    length = float(np.linalg.norm(vector))
    values = np.asarray(vector, dtype=np.float32)
    return [float(each) for each in (values / length if length else values)]
