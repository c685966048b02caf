"""The shared question set as a search sees it: passages with vectors and terms, and what it finds.

In this process and without a database, so that fitting and showing a rule takes minutes: the same
fused order as the product's search, the product's embedder and its answerer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks._report import progress
from providers.contracts.embedding import InputKind
from providers.local.catalogue import Catalogue
from providers.local.e5 import load_e5
from providers.local.extractive.language import terms
from providers.local.extractive.passages import Passage
from providers.local.extractive.selection import Weigher

RETRIEVED = 8
CANDIDATES = 50
LEAST_SUM = 3.8
"""Below it the product's search calls itself unsure: `knowledge.retrieval.confidence`."""
_PASSAGE_CHARACTERS = 900
_KEPT_EACH = 250
Embed = Callable[[str, InputKind], NDArray[np.float32]]


class Embedder:
    """The built-in embedder; what was embedded once is kept, also in a file between two runs."""

    def __init__(self, data_dir: Path, cache: Path | None) -> None:
        self.catalogue = Catalogue(load_e5(data_dir))
        self._cache = cache
        self._known: dict[str, NDArray[np.float32]] = {}
        if cache is not None and cache.exists():
            with np.load(cache) as stored:
                self._known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def __call__(self, text: str, kind: InputKind) -> NDArray[np.float32]:
        """Return the vector of a text."""
        key = hashlib.sha256(f"{kind}\n{text}".encode()).hexdigest()
        if key not in self._known:
            self._known[key] = self.catalogue.embed([text], kind=kind).vectors[0]
            if len(self._known) % _KEPT_EACH == 0:
                self.keep()
        return self._known[key]

    def keep(self) -> None:
        """Write what is known into the file."""
        if self._cache is not None and self._known:
            vectors = np.array(list(self._known.values()), dtype=np.float32)
            np.savez(self._cache, keys=np.array(list(self._known)), vectors=vectors)


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search brought."""

    passages: tuple[Passage, ...]
    unsure: bool
    document_ids: tuple[str, ...]


class Library:
    """Passages of documents, and the search over them."""

    def __init__(self, documents: Sequence[dict[str, Any]], embed: Embed) -> None:
        self._embed = embed
        self._texts: list[str] = []
        self._owners: list[str] = []
        for number, document in enumerate(documents):
            for text in passages_of(document["text"]):
                self._texts.append(text)
                self._owners.append(document["doc_id"])
            if number % 50 == 0:
                progress(f"{number} of {len(documents)} documents cut")
        vectors = []
        for number, text in enumerate(self._texts):
            vectors.append(embed(text, "passage"))
            if number % 200 == 0:
                progress(f"{number} of {len(self._texts)} passages embedded")
        self._vectors = np.array(vectors)
        self._terms = [terms(text) for text in self._texts]
        self._weigher = Weigher(self._terms)

    def search(self, question: str) -> Found:
        """Return the best passages, by meaning and words as the product's search weighs them."""
        asked = terms(question)
        whole = self._weigher.total(asked) or 1.0
        coverage = np.array([self._weigher.total(asked & own) / whole for own in self._terms])
        cosines = self._vectors @ self._embed(question, "query")
        lowest = np.sort(cosines)[-min(CANDIDATES, len(cosines)) :][0]
        spread = (cosines - lowest) / (cosines.max() - lowest + 1e-9)
        order = np.argsort(-(spread + 2 * coverage), kind="stable")[:RETRIEVED]
        best = order[0]
        return Found(
            passages=tuple(
                Passage(alias=f"c{rank}", name="x", heading="", text=self._texts[at])
                for rank, at in enumerate(order, 1)
            ),
            unsure=bool(4 * cosines[best] + coverage[best] < LEAST_SUM),
            document_ids=tuple(self._owners[at] for at in order),
        )


def passages_of(text: str) -> list[str]:
    """Return a document's paragraphs, packed to some 900 characters."""
    found: list[str] = []
    current = ""
    for paragraph in (each.strip() for each in text.split("\n\n")):
        if current and len(current) + len(paragraph) > _PASSAGE_CHARACTERS:
            found.append(current)
            current = ""
        current = f"{current}\n\n{paragraph}" if current else paragraph
    return [*found, current] if current else found


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
