"""What a model reads out of one passage: asked, mended once, and cut down to what stands there.

Both the passage and the answer are hostile: a name counts only when it stands in the passage, its
headings or its title, so that an answer cannot bring in what nobody wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from knowledge.base_settings import GraphOptions
from knowledge.enrich.asking import Wish, value_of
from knowledge.graph.names import Ground, clean_text, normal_form
from knowledge.models.graph import KIND_CHARACTERS, NAME_CHARACTERS
from knowledge.prompts import knowledge_prompt
from providers.contracts.errors import ModelError

PURPOSE = "graph"
MOST_CHARACTERS = 12_000
"""Of a passage that a person made longer than any that was split."""
MOST_TOKENS = 2_500
MOST_ENTITIES = 40
MOST_RELATIONS = 60
DESCRIPTION_CHARACTERS = 400
_ANYTHING = "whatever the passage is about"
_SHOWN_ANSWER = 1_500

Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class _Entity(BaseModel):
    name: Text
    kind: Text = ""
    description: Text = ""


class _Relation(BaseModel):
    source: Text
    target: Text
    kind: Text = ""
    description: Text = ""


class Answer(BaseModel):
    """The form of the model's answer."""

    entities: list[_Entity]
    relations: list[_Relation] = Field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class FoundEntity:
    """An entity that a passage names."""

    normal: str
    """The normal form of its name, not blank."""
    name: str
    kind: str
    description: str


@dataclass(frozen=True, kw_only=True)
class FoundRelation:
    """A relation that a passage tells of; both ends are normal forms of found entities."""

    source: str
    target: str
    kind: str
    description: str


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """What was read out of a passage; each entity, and each relation, once."""

    entities: tuple[FoundEntity, ...]
    relations: tuple[FoundRelation, ...]
    left_out: int
    """Entries of the answer that do not stand in the passage, or are of a kind nobody wants."""


def extract(
    ask: Callable[[Wish], str], *, material: str, ground: str, options: GraphOptions
) -> Extraction:
    """Have a model read a passage; an answer of another form is asked for once more.

    Args:
        ask: returns the model's answer to a wish.
        material: the passage with its headings and name, as the model gets it.
        ground: the texts that names must stand in.
        options: of the base.

    Raises:
        ModelError: the call failed, or ("bad_response") the second answer has no form, either.
    """
    wish = Wish(
        instructions=_instructions(options),
        material=material,
        purpose=PURPOSE,
        max_tokens=MOST_TOKENS,
    )
    text = ask(wish)
    try:
        answer = value_of(text, Answer)
    except ModelError:
        shown = clean_text(text, _SHOWN_ANSWER) or "(nothing)"
        again = knowledge_prompt("graph_again").render(answer=shown)
        answer = value_of(ask(replace(wish, material=f"{material}\n\n{again}")), Answer)
    return _stated(answer, Ground(ground), options)


def prompt_version() -> str:
    """Name the prompt: another one reads passages anew."""
    prompt = knowledge_prompt("graph")
    return f"{prompt.id}/{prompt.version}"


def _instructions(options: GraphOptions) -> str:
    example = f"\nAn example by the owner:\n{options.example.strip()}\n" if options.example else ""
    return knowledge_prompt("graph").render(
        entity_kinds=_wanted(options.wanted_entities),
        relation_kinds=_wanted(options.wanted_relations),
        example=example,
    )


def _wanted(kinds: Sequence[str]) -> str:
    return "only of these kinds: " + ", ".join(kinds) if kinds else _ANYTHING


def _stated(answer: Answer, ground: Ground, options: GraphOptions) -> Extraction:
    entities: dict[str, FoundEntity] = {}
    left_out = 0
    for given in answer.entities:
        normal = normal_form(given.name)
        kind = _kind(given.kind, options.wanted_entities)
        if normal in entities:
            continue
        if not normal or kind is None or not ground.has(normal) or len(entities) >= MOST_ENTITIES:
            left_out += 1
            continue
        entities[normal] = FoundEntity(
            normal=normal,
            name=clean_text(given.name, NAME_CHARACTERS),
            kind=kind,
            description=clean_text(given.description, DESCRIPTION_CHARACTERS),
        )
    relations = list(_relations(answer.relations, entities, options))
    return Extraction(
        entities=tuple(entities.values()),
        relations=tuple(relations[:MOST_RELATIONS]),
        left_out=left_out,
    )


def _relations(
    given: Iterable[_Relation], entities: dict[str, FoundEntity], options: GraphOptions
) -> Iterable[FoundRelation]:
    told: set[tuple[str, str, str]] = set()
    for each in given:
        source, target = normal_form(each.source), normal_form(each.target)
        kind = _kind(each.kind, options.wanted_relations)
        if source not in entities or target not in entities or source == target or not kind:
            continue
        if (source, target, kind) not in told:
            told.add((source, target, kind))
            yield FoundRelation(
                source=source,
                target=target,
                kind=kind,
                description=clean_text(each.description, DESCRIPTION_CHARACTERS),
            )


def _kind(given: str, wanted: Sequence[str]) -> str | None:
    """Return the kind as it is kept; None when it is none of those that are wanted."""
    kind = clean_text(given, KIND_CHARACTERS).casefold()[:KIND_CHARACTERS]
    if not wanted:
        return kind
    by_form = {each.casefold(): each.casefold()[:KIND_CHARACTERS] for each in wanted}
    return by_form.get(kind)
