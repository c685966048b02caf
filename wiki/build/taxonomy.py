"""Third step: folders of new pages, those that are there first. It can fail without harm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel

from knowledge.enrich.asking import Wish
from knowledge.graph.extraction import Text
from wiki.build.asking import PURPOSE
from wiki.build.candidates import handles_of
from wiki.build.values import Subject
from wiki.prompts import wiki_prompt

MOST_LEVELS: Final = 2
MOST_FOLDERS: Final = 150
"""Existing ones that are shown."""
PORTION: Final = 60
"""Pages of one call."""
MOST_TOKENS: Final = 3_000
MAX_NAME: Final = 80


class _Place(BaseModel):
    subject: Text
    folder: Text = ""


class Answer(BaseModel):
    """The form of the model's answer."""

    places: list[_Place]


def portions_of(subjects: Sequence[Subject]) -> list[list[Subject]]:
    """Return the subjects in portions for one call each."""
    return [list(subjects[at : at + PORTION]) for at in range(0, len(subjects), PORTION)]


def wish_for(subjects: Sequence[Subject], folders: Sequence[str]) -> Wish:
    """Return what is asked of the model about one portion."""
    listed = [
        f"{handle}: {each.name}" + (f" — {each.description}" if each.description else "")
        for handle, each in handles_of(subjects).items()
    ]
    known = [f"- {path}" for path in folders[:MOST_FOLDERS]] or ["(none yet)"]
    return Wish(
        instructions=wiki_prompt("taxonomy").render(),
        material="\n".join(["Folders:", *known, "", "Pages:", *listed]),
        purpose=PURPOSE,
        max_tokens=MOST_TOKENS,
    )


def folders_by_slug(
    answer: Answer, subjects: Sequence[Subject], folders: Sequence[str]
) -> dict[str, str]:
    """Return the folder of each subject that got one."""
    asked = handles_of(subjects)
    known = {path.casefold(): path for path in folders}
    found: dict[str, str] = {}
    for place in answer.places:
        subject = asked.get(place.subject.strip())
        path = clean_path(place.folder)
        if subject is not None and path:
            found[subject.slug] = known.setdefault(path.casefold(), path)
    return found


def clean_path(path: str) -> str:
    """Return a folder's path of at most two names; blank when it is none."""
    names = [" ".join(name.split())[:MAX_NAME].strip(" .") for name in path.split("/")]
    return "/".join([name for name in names if name][:MOST_LEVELS])
