"""The registry of erasers: each app says how what it keeps of a person, document or space goes.

Imports point down, so `accounts` cannot know the tables of the apps above. Each of them registers
what it does in its `apps.py`: first every beginning, in the order of registration (take it out of
sight, stop what works with it), then every eraser, the one registered last first, so that an app
goes before those that it stands on, and `accounts` takes the row itself last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction

from core.errors import NotFound
from core.tenancy import unscoped

ErasureKind = Literal["person", "document", "space"]
KINDS: tuple[ErasureKind, ...] = ("person", "document", "space")
Counts = Mapping[str, int]
"""What was erased: rows by table ("agents.Conversation"), files by store ("files")."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is to be erased."""

    kind: ErasureKind
    id: str
    """Primary key of the user, document or space."""
    space_id: int | None = None
    """The document's space, or the space itself."""
    with_documents: bool = False
    """Of a person: whether the documents they uploaded go, too."""


@dataclass(frozen=True, kw_only=True)
class Described:
    """A subject that exists: what people call it, and whose legal holds keep it."""

    subject: Subject
    name: str
    user_ids: tuple[int, ...] = ()
    space_ids: tuple[int, ...] = ()


Describer = Callable[[str], Described | None]
Beginning = Callable[[Subject], None]
Eraser = Callable[[Subject], Counts]
Unsettled = Callable[[Subject, datetime], bool]


@dataclass(frozen=True, kw_only=True)
class Registered:
    """An eraser and its name, by which a report and a resumed job know it."""

    name: str
    erase: Eraser
    unsettled: Unsettled | None


_describers: dict[ErasureKind, Describer] = {}
_beginnings: dict[ErasureKind, list[Beginning]] = {kind: [] for kind in KINDS}
_erasers: dict[ErasureKind, list[Registered]] = {kind: [] for kind in KINDS}


def register_describer(kind: ErasureKind) -> Callable[[Describer], Describer]:
    """Register what finds a subject by its primary key; one a kind, of the app that has the row."""

    def register(describer: Describer) -> Describer:
        if kind in _describers:
            raise RuntimeError(f"a {kind} is described already")
        _describers[kind] = describer
        return describer

    return register


def register_beginning(kind: ErasureKind) -> Callable[[Beginning], Beginning]:
    """Register what happens before anything is erased; it runs outside of a transaction.

    It runs across spaces. What it changes with services of one space it does in `space_scope` and a
    transaction of its own, so that what follows on commit is that space's.
    """

    def register(beginning: Beginning) -> Beginning:
        _beginnings[kind].append(beginning)
        return beginning

    return register


def register_eraser(
    kind: ErasureKind, *, name: str, unsettled: Unsettled | None = None
) -> Callable[[Eraser], Eraser]:
    """Register the decorated function; it is imported by its app's `ready()`.

    It runs in a transaction, across spaces (`core.tenancy.unscoped`), and may run twice. It returns
    counts; bytes outside of the database go on commit. It never asks for permission and never looks
    at a legal hold: whoever begins an erasure did. `unsettled(subject, since)` says whether
    something that began before `since` may still write about the subject: then all erasers run once
    more, a little later.
    """

    def register(eraser: Eraser) -> Eraser:
        if any(one.name == name for one in _erasers[kind]):
            raise RuntimeError(f"there is an eraser {name!r} of a {kind} already")
        _erasers[kind].append(Registered(name=name, erase=eraser, unsettled=unsettled))
        return eraser

    return register


def erasers_of(kind: ErasureKind) -> tuple[Registered, ...]:
    """Return the erasers of a kind in the order in which they run: apps above first."""
    return tuple(reversed(_erasers[kind]))


def describe(kind: ErasureKind, subject_id: str) -> Described:
    """Return what is to be erased.

    Raises:
        NotFound: there is none with this id.
    """
    with unscoped(reason="an administrator names a row of any space by its id"):
        found = _describers[kind](subject_id)
    if found is None:
        raise NotFound(f"There is no {kind} {subject_id!r}.")
    return found


def begin(subject: Subject) -> None:
    """Take the subject out of sight and stop what works with it."""
    with unscoped(reason=f"erasing a {subject.kind} looks into all spaces"):
        for beginning in _beginnings[subject.kind]:
            beginning(subject)


def run_eraser(registered: Registered, subject: Subject) -> Counts:
    """Run one eraser in a transaction."""
    with unscoped(reason=f"erasing a {subject.kind} looks into all spaces"), transaction.atomic():
        return registered.erase(subject)


def is_unsettled(subject: Subject, since: datetime) -> bool:
    """Say whether something that began before `since` may still write about the subject."""
    with unscoped(reason=f"erasing a {subject.kind} looks into all spaces"):
        return any(
            one.unsettled(subject, since) for one in erasers_of(subject.kind) if one.unsettled
        )


def erase_now(subject: Subject) -> dict[str, int]:
    """Run all erasers of the subject, in the caller's transaction; return the counts added up.

    For erasures inside of another use case, such as the end of a space: call `begin` before. What a
    person asked for runs as a job that keeps a report: see `accounts.platform.erasure_jobs`.
    """
    found: dict[str, int] = {}
    for registered in erasers_of(subject.kind):
        add_counts(found, run_eraser(registered, subject))
    return found


def add_counts(found: dict[str, int], more: Counts) -> None:
    """Add counts to others; nothing erased leaves no line."""
    for name, number in more.items():
        if number:
            found[name] = found.get(name, 0) + number
