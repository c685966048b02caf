"""What of a search a model gets to read: told by the app that asks models, which stands above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from knowledge.retrieval.hits import Retrieval


@dataclass(frozen=True, kw_only=True)
class ContextRule:
    """How an answer with ordinary settings chooses among the hits."""

    given: Callable[[Retrieval], frozenset[UUID]]
    """Returns the passages that the model reads."""
    remedy: Callable[[], tuple[str, str]]
    """Returns label and address of the page where more can be given."""


_rules: list[ContextRule] = []


def register_context(rule: ContextRule) -> None:
    """Set the rule; called once in `AppConfig.ready`."""
    _rules[:] = [rule]


def context_rule() -> ContextRule | None:
    """Return the rule; None where no app asks models."""
    return _rules[0] if _rules else None
