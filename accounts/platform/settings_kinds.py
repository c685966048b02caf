"""What a system setting's value may be: how it is checked, and how it is written for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, assert_never

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from core.errors import Invalid
from core.wording import listed

Text = str | Promise


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of a few words."""

    options: tuple[tuple[str, Text], ...]
    """Word and label; the order is from the widest to the narrowest where that matters."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A whole number."""

    at_least: int
    at_most: int


@dataclass(frozen=True, kw_only=True)
class Switch:
    """On or off."""


@dataclass(frozen=True, kw_only=True)
class Words:
    """A list of words, each without blanks."""

    read: Callable[[Iterable[str]], Any]
    """What the code uses; raises ValueError for a word that cannot be used."""


Kind = Choice | Whole | Switch | Words


def clean(kind: Kind, value: Any) -> Any:
    """Return the JSON value to be kept.

    Raises:
        Invalid: it is of another type or out of bounds; the message says what would work.
    """
    match kind:
        case Choice():
            return _clean_choice(kind, value)
        case Whole():
            return _clean_whole(kind, value)
        case Switch():
            if not isinstance(value, bool):
                raise Invalid(_("It is either on or off."))
            return value
        case Words():
            return _clean_words(kind, value)
        case _:
            assert_never(kind)


def used(kind: Kind, value: Any) -> Any:
    """Return what the code works with, from the JSON value."""
    return kind.read(value) if isinstance(kind, Words) else value


def shown(kind: Kind, value: Any) -> str:
    """Write the JSON value for people."""
    match kind:
        case Choice():
            return str(dict(kind.options).get(value, value))
        case Whole():
            return str(value)
        case Switch():
            return _("on") if value else _("off")
        case Words():
            return listed(value) or _("none")
        case _:
            assert_never(kind)


def _clean_choice(kind: Choice, value: Any) -> str:
    words = [word for word, _label in kind.options]
    if value not in words:
        raise Invalid(_("Choose one of: %(words)s.") % {"words": listed(words)})
    return str(value)


def _clean_whole(kind: Whole, value: Any) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if not is_number or not kind.at_least <= value <= kind.at_most:
        bounds = {"least": kind.at_least, "most": kind.at_most}
        raise Invalid(_("A whole number from %(least)d to %(most)d.") % bounds)
    return int(value)


def _clean_words(kind: Words, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise Invalid(_("A list of words is needed."))
    words = list(dict.fromkeys(word.strip() for word in value if word.strip()))
    try:
        kind.read(words)
    except ValueError as refusal:
        raise Invalid(str(refusal)) from refusal
    return words
