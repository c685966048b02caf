"""Forty ways in which a passage is not found, each seeded into a base of its own, and who is to blame.

A fault is made with the product's own services and tables; what its verdict must be is said here and
nowhere derived from the explanation that is tried.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils import timezone

from accounts.access import Actor
from accounts.actors import actor_by
from accounts.constants import Role
from accounts.models import Membership
from core.tenancy import space_scope
from knowledge.access.restrict import Place, restrict
from knowledge.base_settings import RetrievalOptions
from knowledge.constants import DocumentState, SearchDoor
from knowledge.ingest.index import unindex_chunks
from knowledge.models import Chunk, Document, Embedding, KnowledgeBase, SearchRecord
from knowledge.organising.trash import trash_document
from knowledge.retrieval.retrieve import retrieve
from knowledge.retrieval.scope import Scope
from knowledge.retrieval.settings import RetrievalSettings
from knowledge.searches.record import record_search
from knowledge.why_not.explain import Wish, explain_missing
from knowledge.why_not.verdicts import Stage
from tests.factories.accounts import make_member, make_space
from tests.factories.knowledge import make_base, make_document
from tests.knowledge.search_models import WordModel, add_document

SYLLABLES = (
    *("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu"),
    *("na", "pe", "ri", "so", "tu", "va", "we", "xi", "yo", "zu"),
)


@dataclass(kw_only=True)
class Bench:
    """A base with ordinary passages, who owns it, and a viewer."""

    owner: Actor
    viewer: Actor
    base: KnowledgeBase
    chance: random.Random
    model: WordModel = field(default_factory=WordModel)
    settings: RetrievalSettings | None = None

    def words(self, count: int) -> list[str]:
        """Return words that nobody else uses."""
        return ["".join(self.chance.choices(SYLLABLES, k=4)) for _ in range(count)]

    def passage(self, words: Sequence[str]) -> str:
        """Return a passage about these words."""
        first, second, third, *rest = words
        return (
            f"The {first} of each {second} is checked by the {third} before the season begins. "
            f"Whoever finds it {' and '.join(rest)} tells the office in writing within two weeks."
        )

    def question(self, words: Sequence[str]) -> str:
        """Return a question that the passage answers."""
        return f"Who checks the {words[0]} of a {words[1]}, and what about {words[3]}?"

    def add(self, *texts: str, base: KnowledgeBase | None = None, name: str = "") -> Document:
        """Put a document in, as ingestion leaves it."""
        return add_document(base or self.base, *texts, name=name, model=self.model)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault that was made: what somebody asks about it, and the stage that is to blame."""

    wish: Wish
    stage: Stage


Maker = Callable[[Bench], Fault]


def make_bench(owner: Membership, viewer: Membership, *, seed: int) -> Bench:
    """Make a base with thirty ordinary passages."""
    bench = Bench(
        owner=actor_by(owner),
        viewer=actor_by(viewer),
        base=make_base(owner.space, created_by=owner.user),
        chance=random.Random(seed),  # noqa: S311  a seed, no secret
    )
    with space_scope(owner.space_id):
        for _ in range(10):
            bench.add(*(bench.passage(bench.words(7)) for _ in range(3)))
    return bench


def _wish(bench: Bench, words: Sequence[str], **known: Any) -> Wish:
    return Wish(base_id=bench.base.pk, question=bench.question(words), **known)


def _chunk(document: Document) -> Chunk:
    return Chunk.objects.filter(document=document).order_by("position")[0]


def no_text(bench: Bench) -> Fault:
    """Nobody ever put it in."""
    words = bench.words(7)
    return Fault(wish=_wish(bench, words, text=bench.passage(words)), stage="no_text")


def trashed(bench: Bench) -> Fault:
    """Somebody threw it away."""
    words = bench.words(7)
    document = bench.add(bench.passage(words))
    trash_document(bench.owner, document_id=document.pk)
    return Fault(wish=_wish(bench, words, document_id=document.pk), stage="trashed")


def _in_state(state: DocumentState, stage: Stage) -> Maker:
    def make(bench: Bench) -> Fault:
        words = bench.words(7)
        document = make_document(bench.base, state=state, reason="It cannot be opened.")
        wish = _wish(bench, words, document_id=document.pk, text=bench.passage(words))
        return Fault(wish=wish, stage=stage)

    return make


def not_parsed(bench: Bench) -> Fault:
    """The document is there, and the page with it was lost by the parser."""
    words, others = bench.words(7), bench.words(7)
    document = bench.add(bench.passage(others))
    wish = _wish(bench, words, document_id=document.pk, text=bench.passage(words))
    return Fault(wish=wish, stage="not_parsed")


def cut(bench: Bench) -> Fault:
    """A passage ends in its middle; each half lacks what the question asks."""
    words = bench.words(7)
    text = bench.passage(words)
    middle = text.index("before the season")
    document = bench.add(
        f"{bench.passage(bench.words(7))} {text[:middle].strip()}",
        f"{text[middle:]} {bench.passage(bench.words(7))}",
    )
    known = {"document_id": document.pk} if bench.chance.random() < 0.5 else {}
    return Fault(wish=_wish(bench, bench.words(7), text=text, **known), stage="cut")


def disabled(bench: Bench) -> Fault:
    """Somebody switched it off."""
    words = bench.words(7)
    document = bench.add(bench.passage(words))
    Chunk.objects.filter(document=document).update(is_enabled=False)
    return Fault(wish=_wish(bench, words, text=bench.passage(words)), stage="disabled")


def _without_words(document: Document) -> None:
    """Take the words of a document out of the index: only its vector could find it."""
    ids = list(Chunk.objects.filter(document=document).values_list("pk", flat=True))
    unindex_chunks(document, chunk_ids=ids)


def not_embedded(bench: Bench) -> Fault:
    """The model was away when it was read."""
    words = bench.words(7)
    document = bench.add(bench.passage(words))
    Embedding.objects.filter(chunk__document=document).delete()
    _without_words(document)
    return Fault(wish=_wish(bench, words, text=bench.passage(words)), stage="not_embedded")


def other_model(bench: Bench) -> Fault:
    """The base has another model since."""
    words = bench.words(7)
    document = bench.add(bench.passage(words))
    Embedding.objects.filter(chunk__document=document).update(identity="older/1")
    _without_words(document)
    return Fault(wish=_wish(bench, words, text=bench.passage(words)), stage="other_model")


def not_permitted(bench: Bench) -> Fault:
    """A restriction keeps the one out who asked."""
    words = bench.words(7)
    document = bench.add(bench.passage(words))
    place = Place(base_id=bench.base.pk, document_id=document.pk)
    restrict(bench.owner, place, user_ids=[bench.owner.user_id or 0], group_ids=[])
    known = {"text": bench.passage(words), "user_id": bench.viewer.user_id}
    return Fault(wish=_wish(bench, words, **known), stage="not_permitted")


def other_base(bench: Bench) -> Fault:
    """It stands in a base that is not searched."""
    words = bench.words(7)
    space = Membership.objects.get(user_id=bench.owner.user_id or 0).space
    bench.add(bench.passage(words), base=make_base(space))
    return Fault(wish=_wish(bench, words, text=bench.passage(words)), stage="outside_scope")


def other_documents(bench: Bench) -> Fault:
    """The recorded search was limited to other documents."""
    words = bench.words(7)
    bench.add(bench.passage(words))
    only = bench.add(bench.passage(bench.words(7)))
    scope = Scope(base_ids=(bench.base.pk,), document_ids=(only.pk,))
    search_id = _recorded(bench, words, scope)
    known = {"text": bench.passage(words), "search_id": search_id}
    return Fault(wish=_wish(bench, words, **known), stage="outside_scope")


def _recorded(
    bench: Bench,
    words: Sequence[str],
    scope: Scope,
    *,
    settings: RetrievalSettings | None = None,
    most: int | None = None,
) -> UUID:
    """Search and record it; a model gets the first `most` hits.

    What stands behind an answer is only opened by who asked: that is the owner's.
    """
    asks = bench.viewer if most is None else bench.owner
    found = retrieve(asks, query=bench.question(words), scope=scope, settings=settings)
    given = None if most is None else {hit.chunk_id for hit in found.hits[:most]}
    door = SearchDoor.PAGE if most is None else SearchDoor.QUICK
    search_id = record_search(
        asks, door=door, scope=scope, found=found, settings=settings, given=given
    )
    if search_id is None:
        raise AssertionError("the search was not recorded")
    return search_id


def no_candidate(bench: Bench) -> Fault:
    """Sixty passages are nearer by meaning and by words."""
    words, others = bench.words(7), bench.words(7)
    document = bench.add(bench.passage(others))
    for number in range(20):
        bench.add(*(f"{bench.passage(words)} Number {number}-{part}." for part in range(3)))
    return Fault(wish=_wish(bench, words, document_id=document.pk), stage="no_candidate")


def duplicate(bench: Bench) -> Fault:
    """Another document says the same, and comes first."""
    words = bench.words(7)
    pair = [bench.add(bench.passage(words)) for _ in range(2)]
    scope = Scope(base_ids=(bench.base.pk,))
    found = retrieve(bench.owner, query=bench.question(words), scope=scope)
    (dropped,) = (each.pk for each in pair if each.pk != found.hits[0].document_id)
    return Fault(wish=_wish(bench, words, document_id=dropped), stage="duplicate")


def _similar(bench: Bench, words: Sequence[str], count: int) -> list[Document]:
    """Put passages in that answer alike, and differ in a number each."""
    return [
        bench.add(f"{bench.passage(words)} Form {1000 + number * 37}.") for number in range(count)
    ]


def limit(bench: Bench) -> Fault:
    """Its place is just behind the last hit."""
    words = bench.words(7)
    _similar(bench, words, 6)
    settings = RetrievalSettings(limit=3)
    scope = Scope(base_ids=(bench.base.pk,))
    wide = retrieve(bench.owner, query=bench.question(words), scope=scope)
    wish = _wish(bench, words, chunk_id=wide.hits[4].chunk_id, settings=settings)
    return Fault(wish=wish, stage="limit")


def context(bench: Bench) -> Fault:
    """It is a hit, and no model got to read it."""
    words = bench.words(7)
    _similar(bench, words, 6)
    scope = Scope(base_ids=(bench.base.pk,))
    search_id = _recorded(bench, words, scope, most=2)
    row = SearchRecord.objects.get(pk=search_id)
    known = {"search_id": search_id, "chunk_id": UUID(row.hits[4]["chunk_id"])}
    return Fault(wish=_wish(bench, words, **known), stage="context")


def answer(bench: Bench) -> Fault:
    """It is the tenth hit; an ordinary answer reads eight."""
    words = bench.words(7)
    _similar(bench, words, 12)
    settings = RetrievalSettings(limit=12)
    scope = Scope(base_ids=(bench.base.pk,))
    found = retrieve(bench.owner, query=bench.question(words), scope=scope, settings=settings)
    known = {"chunk_id": found.hits[9].chunk_id, "settings": settings, "for_answer": True}
    return Fault(wish=_wish(bench, words, **known), stage="context")


def _threshold(name: Stage, value: float) -> Maker:
    def make(bench: Bench) -> Fault:
        words = bench.words(7)
        document = bench.add(bench.passage(words))
        # Alone: what another engine names, too, stays
        wished: dict[str, Any] = {name: value, "fusion": name.partition("_")[0]}
        settings = RetrievalSettings(**wished)
        # Half of what is asked for stands elsewhere: no engine gives it its best
        asked = [*words, *bench.words(7)]
        wish = _wish(bench, asked, document_id=document.pk, settings=settings)
        return Fault(wish=wish, stage=name)

    return make


FAULTS: dict[str, Maker] = {
    "no text": no_text,
    "trashed": trashed,
    "still being read": _in_state(DocumentState.PROCESSING, "reading"),
    "failed": _in_state(DocumentState.FAILED, "failed"),
    "refused": _in_state(DocumentState.REFUSED, "refused"),
    "needs a password": _in_state(DocumentState.NEEDS_INPUT, "refused"),
    "stopped": _in_state(DocumentState.CANCELLED, "stopped"),
    "not parsed": not_parsed,
    "cut": cut,
    "disabled": disabled,
    "not embedded": not_embedded,
    "other model": other_model,
    "not permitted": not_permitted,
    "other base": other_base,
    "other documents": other_documents,
    "no candidate": no_candidate,
    "duplicate": duplicate,
    "limit": limit,
    "left out of the answer": context,
    "behind what an answer reads": answer,
}
"""Twenty kinds; each is made twice."""
_OF_SETTINGS: tuple[Stage, ...] = ("dense_threshold", "keyword_threshold")
THRESHOLDS: dict[str, Maker] = {
    f"threshold of {name.partition('_')[0]}": _threshold(name, 0.99)
    for name in _OF_SETTINGS
    if name in RetrievalOptions.model_fields
}
"""Of settings that a base may have."""
ROUNDS = 2


def all_faults() -> list[tuple[str, Maker]]:
    """Return every fault to be made, in an order that mixes the kinds."""
    kinds = {**FAULTS, **THRESHOLDS}
    return [(name, make) for _ in range(ROUNDS) for name, make in kinds.items()]


def told(bench: Bench, make: Maker) -> tuple[Fault, Stage]:
    """Make a fault and return it with the stage that the explanation names."""
    with space_scope(bench.owner.space_id):
        fault = make(bench)
        report = explain_missing(bench.owner, fault.wish)
    return fault, report.verdict.stage


def make_people() -> tuple[Membership, Membership]:
    """Make a space with an owner and a viewer."""
    space = make_space(f"Faults {timezone.now():%H%M%S%f}")
    return make_member(space, role=Role.OWNER), make_member(space, role=Role.VIEWER)
