"""Fourth step: new subjects that are exactly what a page is about already. Related is not the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel
from rapidfuzz import fuzz

from knowledge.enrich.asking import Wish
from knowledge.graph.extraction import Text
from knowledge.graph.names import normal_form
from wiki.build.asking import PURPOSE
from wiki.build.candidates import handles_of
from wiki.build.naming import names_of, normal_names
from wiki.build.values import Subject
from wiki.constants import PageKind
from wiki.prompts import wiki_prompt

MOST_SIMILAR: Final = 5
"""Pages that a subject is compared with."""
ALL_UP_TO: Final = 25
"""So few pages are all compared."""
LEAST_LIKENESS: Final = 45.0
"""Of names, 0 to 100."""
MOST_TOKENS: Final = 2_000
KINDS: Final = (PageKind.ENTITY, PageKind.CONCEPT)


@dataclass(frozen=True, kw_only=True)
class Known:
    """A page that there is, or a subject that is to get one."""

    slug: str
    title: str
    aliases: tuple[str, ...]
    summary: str = ""


class _Same(BaseModel):
    subject: Text
    page: Text


class Answer(BaseModel):
    """The form of the model's answer."""

    same: list[_Same]


@dataclass(frozen=True, kw_only=True)
class Question:
    """What only a model can tell: subjects with pages of a similar name."""

    subjects: dict[str, Subject]
    pages: dict[str, Known]
    similar: dict[str, tuple[str, ...]]
    """Handle of a subject -> handles of the pages that it may be."""


def same_by_name(subjects: Sequence[Subject], known: Sequence[Known]) -> dict[str, str]:
    """Return the slugs that other slugs are to become: one name, in whatever spelling, is one thing."""
    by_name: dict[str, str] = {}
    for page in known:
        for name in normal_names([page.title, *page.aliases]):
            by_name.setdefault(name, page.slug)
    found: dict[str, str] = {}
    for subject in subjects:
        slugs = [
            by_name[name]
            for name in (normal_form(subject.name), *sorted(names_of(subject)))
            if name in by_name
        ]
        if slugs and slugs[0] != subject.slug:
            found[subject.slug] = slugs[0]
        for name in names_of(subject):
            by_name.setdefault(name, found.get(subject.slug, subject.slug))
    return found


def question_for(subjects: Sequence[Subject], known: Sequence[Known]) -> Question | None:
    """Return what to ask about subjects without a page; None when no page has a similar name."""
    pages = {f"page-{number}": page for number, page in enumerate(known, 1)}
    similar: dict[str, tuple[str, ...]] = {}
    asked = handles_of(subjects)
    for handle, subject in asked.items():
        ranked = sorted(
            ((_likeness(subject, page), name) for name, page in pages.items()), reverse=True
        )
        least = 0.0 if len(pages) <= ALL_UP_TO else LEAST_LIKENESS
        near = [name for likeness, name in ranked[:MOST_SIMILAR] if likeness >= least]
        if near:
            similar[handle] = tuple(near)
    if not similar:
        return None
    return Question(
        subjects={handle: asked[handle] for handle in similar}, pages=pages, similar=similar
    )


def wish_for(question: Question) -> Wish:
    """Return what is asked of the model."""
    lines: list[str] = []
    for handle, subject in question.subjects.items():
        lines.append(f"{handle}: {_told(subject.name, subject.aliases, subject.description)}")
        for name in question.similar[handle]:
            page = question.pages[name]
            lines.append(f"  {name}: {_told(page.title, page.aliases, page.summary)}")
    return Wish(
        instructions=wiki_prompt("merge").render(),
        material="\n".join(lines),
        purpose=PURPOSE,
        max_tokens=MOST_TOKENS,
    )


def same_by_answer(question: Question, answer: Answer) -> dict[str, str]:
    """Return the slugs that other slugs are to become; only pages that were offered count."""
    found: dict[str, str] = {}
    for each in answer.same:
        handle, page = each.subject.strip(), each.page.strip()
        if page in question.similar.get(handle, ()):
            found[question.subjects[handle].slug] = question.pages[page].slug
    return found


def _likeness(subject: Subject, page: Known) -> float:
    return max(
        (
            fuzz.token_set_ratio(one, other)
            for one in names_of(subject)
            for other in normal_names([page.title, *page.aliases])
        ),
        default=0.0,
    )


def _told(name: str, aliases: Sequence[str], description: str) -> str:
    also = f" (also: {'; '.join(aliases)})" if aliases else ""
    return f"{name}{also}" + (f" — {description}" if description else "")
