"""First step: which subjects a document tells about; the same ones as before where it still does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pydantic import BaseModel, Field

from knowledge.enrich.asking import Wish
from knowledge.graph.extraction import Text
from knowledge.graph.names import Ground, clean_text
from wiki.build.asking import PURPOSE
from wiki.build.naming import clean_name, names_of, normal_names, slug_for
from wiki.build.values import Source, Subject
from wiki.constants import Granularity, PageKind
from wiki.models import WikiSettings
from wiki.prompts import wiki_prompt

MOST_CHARACTERS: Final = 32_768
MOST_TOKENS: Final = 6_000
MOST_SUBJECTS: Final = {
    Granularity.FOCUSED: 7,
    Granularity.STANDARD: 20,
    Granularity.EXHAUSTIVE: 80,
}
_WANTED: Final = {
    Granularity.FOCUSED: "Only the three to seven subjects that the document is really about.",
    Granularity.STANDARD: "The subjects that the document tells something lasting about; at most 20.",
    Granularity.EXHAUSTIVE: "Every subject that the document tells anything about; at most 80.",
}


class GivenSubject(BaseModel):
    """A subject as a model gives it."""

    ref: Text = ""
    name: Text
    kind: Text = ""
    aliases: list[Text] = Field(default_factory=list)
    description: Text = ""


class Answer(BaseModel):
    """The form of the model's answer."""

    subjects: list[GivenSubject]


def wish_for(source: Source, settings: WikiSettings, earlier: Sequence[Subject]) -> Wish:
    """Return what is asked of the model about a document."""
    before = [f"{handle}: {each.name}" for handle, each in handles_of(earlier).items()]
    known = ["Found before:", *before, ""] if before else []
    text = "\n\n".join(each.text for each in source.passages)[:MOST_CHARACTERS]
    return Wish(
        instructions=wiki_prompt("candidates").render(
            granularity=_WANTED[Granularity(settings.granularity)],
            instructions=asked_by_owner(settings.extraction_instructions),
        ),
        material="\n".join([f"Document: {source.title}", *known, "Text:", text]),
        purpose=PURPOSE,
        max_tokens=MOST_TOKENS,
    )


def subjects_of(
    answer: Answer, source: Source, settings: WikiSettings, earlier: Sequence[Subject]
) -> list[Subject]:
    """Return the subjects of an answer, as far as their names stand in the document.

    One that was found before keeps its slug and name.
    """
    ground = Ground("\n".join([source.title, *(each.text for each in source.passages)]))
    known = handles_of(earlier)
    found: list[Subject] = []
    for given in answer.subjects:
        before = known.get(given.ref.strip()) or _named(given, earlier)
        subject = made_subject(given, ground)
        if before is not None:
            aliases = (*before.aliases, *(subject.aliases if subject else ()))
            subject = replace(
                before,
                aliases=tuple(dict.fromkeys(aliases)),
                hashes=frozenset(),
            )
        if subject is not None and not any(names_of(subject) & names_of(each) for each in found):
            found.append(subject)
    return found[: MOST_SUBJECTS[Granularity(settings.granularity)]]


def made_subject(given: GivenSubject, ground: Ground) -> Subject | None:
    """Return a new subject; None when its name does not stand in the document."""
    name = clean_name(given.name)
    if not any(ground.has(normal) for normal in normal_names([name])):
        return None
    kind = PageKind.ENTITY if given.kind.strip().casefold() == "entity" else PageKind.CONCEPT
    aliases = [
        alias
        for each in given.aliases
        if (alias := clean_name(each)) != name
        and any(ground.has(normal) for normal in normal_names([alias]))
    ]
    return Subject(
        slug=slug_for(kind, name),
        name=name,
        kind=kind,
        aliases=tuple(dict.fromkeys(aliases)),
        description=clean_text(given.description, 400),
    )


def handles_of(subjects: Sequence[Subject]) -> dict[str, Subject]:
    """Return short names for subjects, which a model copies without mistakes."""
    return {f"ref-{number}": each for number, each in enumerate(subjects, 1)}


def asked_by_owner(instructions: str) -> str:
    """Return the owner's instructions as a prompt takes them in."""
    return f"\nThe owner asks for this:\n{instructions.strip()}\n" if instructions.strip() else ""


def _named(given: GivenSubject, earlier: Sequence[Subject]) -> Subject | None:
    names = normal_names([given.name, *given.aliases])
    return next((each for each in earlier if names & names_of(each)), None)
