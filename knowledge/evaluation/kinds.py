"""What an evaluation can do with the golden questions: a registry that higher apps add to.

Searching is a kind of this app; asking an agent is one of the app above, registered when it starts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from accounts.access import Actor
from core.errors import Invalid
from core.jobs.handlers import JobContext
from knowledge.models import EvaluationResult, EvaluationRun, KnowledgeBase


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Somebody who can be asked."""

    id: UUID
    name: str
    snapshot: Mapping[str, Any] = field(default_factory=dict)
    """How it is now, kept with the evaluation."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A way to work on golden questions."""

    name: str
    label: Promise
    work: Callable[[JobContext, EvaluationRun], bool]
    """Work on the open results; True when none is left. False: the kind begins the job again."""
    primary: tuple[str, ...]
    """By which measure a question is better or worse; the first that both runs have."""
    measures: bool = True
    """Whether it asks the confirmed questions; else it only uses the progress of a run."""
    subjects: Callable[[Actor, KnowledgeBase], Sequence[Subject]] | None = None
    """Who can be asked; None: nobody has to be named."""
    needs_expected: bool = False
    """Whether only questions with expected passages are asked."""
    stop: Callable[[EvaluationResult], None] | None = None
    """Stop what was begun for an open result."""


_kinds: dict[str, Kind] = {}


def register_kind(kind: Kind) -> None:
    """Add a kind; called when an app starts."""
    if kind.name in _kinds:
        raise RuntimeError(f"{kind.name} is a kind of evaluation already")
    _kinds[kind.name] = kind


def kind_named(name: str) -> Kind:
    """Return a kind.

    Raises:
        Invalid: there is none of this name.
    """
    try:
        return _kinds[name]
    except KeyError:
        raise Invalid(_("There is no such kind of evaluation.")) from None


def measuring_kinds() -> list[Kind]:
    """Return the kinds that measure something, in the order of registration."""
    return [kind for kind in _kinds.values() if kind.measures]
