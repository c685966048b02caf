"""Second step: which passages of a document tell something about which subject."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import BaseModel, Field

from knowledge.enrich.asking import Wish
from knowledge.graph.extraction import Text
from knowledge.graph.names import Ground
from wiki.build.asking import PURPOSE
from wiki.build.candidates import GivenSubject, asked_by_owner, handles_of, made_subject
from wiki.build.naming import names_of
from wiki.build.values import Passage, Source, Subject
from wiki.models import WikiSettings
from wiki.prompts import wiki_prompt

MOST_CHARACTERS: Final = 12_000
"""Of the passages of one call."""
MOST_TOKENS: Final = 4_000


class _Support(BaseModel):
    subject: Text
    passages: list[Text] = Field(default_factory=list)


class _More(GivenSubject):
    passages: list[Text] = Field(default_factory=list)


class Answer(BaseModel):
    """The form of the model's answer."""

    supports: list[_Support]
    more: list[_More] = Field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Passages of one call, by their handles."""

    passages: dict[str, Passage]


def batches_of(source: Source) -> list[Batch]:
    """Return the passages in portions for one call each, in their order."""
    batches: list[dict[str, Passage]] = []
    size = 0
    for number, each in enumerate(source.passages, 1):
        length = min(len(each.text), MOST_CHARACTERS)
        if not batches or size + length > MOST_CHARACTERS:
            batches.append({})
            size = 0
        batches[-1][f"c{number}"] = each
        size += length
    return [Batch(passages=each) for each in batches]


def wish_for(
    batch: Batch, source: Source, subjects: Sequence[Subject], settings: WikiSettings
) -> Wish:
    """Return what is asked of the model about one portion."""
    listed = [
        f"{handle}: {each.name}" + (f" ({'; '.join(each.aliases)})" if each.aliases else "")
        for handle, each in handles_of(subjects).items()
    ]
    return Wish(
        instructions=wiki_prompt("cite").render(
            instructions=asked_by_owner(settings.extraction_instructions)
        ),
        material="\n".join(
            [f"Document: {source.title}", "Subjects:", *listed, "", shown(batch.passages)]
        ),
        purpose=PURPOSE,
        max_tokens=MOST_TOKENS,
    )


def cited(
    answers: Sequence[tuple[Batch, Answer]],
    source: Source,
    subjects: Sequence[Subject],
    *,
    most: int,
) -> list[Subject]:
    """Return the subjects with the passages that support them; those that none supports are left out."""
    found = list(subjects)
    hashes: list[set[str]] = [set() for _ in found]
    places = {handle: number for number, handle in enumerate(handles_of(subjects))}
    ground = Ground("\n".join([source.title, *(each.text for each in source.passages)]))
    for batch, answer in answers:
        for support in answer.supports:
            place = places.get(support.subject.strip())
            if place is not None:
                hashes[place] |= _hashes(batch, support.passages)
        for more in answer.more:
            subject = made_subject(more, ground)
            if subject is None:
                continue
            same = [n for n, each in enumerate(found) if names_of(each) & names_of(subject)]
            if not same and len(found) < most:
                same = [len(found)]
                found.append(subject)
                hashes.append(set())
            for number in same[:1]:
                hashes[number] |= _hashes(batch, more.passages)
    return [
        replace(each, hashes=frozenset(supported))
        for each, supported in zip(found, hashes, strict=True)
        if supported
    ]


def shown(passages: dict[str, Passage]) -> str:
    """Return passages as a model gets them."""
    return "\n\n".join(
        f"[{handle}]"
        + (f" {' › '.join(each.headings)}" if each.headings else "")
        + f"\n{each.text[:MOST_CHARACTERS]}"
        for handle, each in passages.items()
    )


def _hashes(batch: Batch, handles: Sequence[str]) -> set[str]:
    known = (batch.passages.get(handle.strip().strip("[]")) for handle in handles)
    return {each.hash for each in known if each is not None}
