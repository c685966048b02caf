"""Addresses and names of subjects: one thing has one slug, whoever spells it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from knowledge.graph.names import clean_text, normal_form
from wiki.build.values import Subject
from wiki.constants import MAX_SLUG, PageKind

MAX_NAME: Final = 200
_NOT_IN_SLUGS: Final = re.compile(r"[^\w]+")


def slug_for(kind: PageKind, name: str) -> str:
    """Return the address of a new page: its kind and its name in small letters."""
    plain = unicodedata.normalize("NFKC", name).lower()
    plain = _NOT_IN_SLUGS.sub("-", plain).strip("-_").lower()
    return f"{kind}/{plain or 'page'}"[:MAX_SLUG].rstrip("-")


def summary_slug(document_id: object) -> str:
    """Return the address of the summary page of a document."""
    return f"{PageKind.SUMMARY}/{document_id}"


def clean_name(name: str) -> str:
    """Return a name on one line, without marks that a link cannot have."""
    return clean_text(re.sub(r"[\[\]|#]", " ", name), MAX_NAME)


def names_of(subject: Subject) -> set[str]:
    """Return the normal forms of all names of a subject."""
    return normal_names([subject.name, *subject.aliases])


def normal_names(names: Iterable[str]) -> set[str]:
    """Return the normal forms of names; blank ones are left out."""
    return {normal for name in names if (normal := normal_form(name))}
