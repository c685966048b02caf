"""Questions that were asked lately, to compare two models with. An app above knows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from accounts.access import Actor

AskedQuestions = Callable[[Actor, UUID, int], Sequence[str]]
MOST = 8
_sources: list[AskedQuestions] = []


def register_asked_questions(source: AskedQuestions) -> None:
    """Let `source(actor, base_id, limit)` say what the actor asked of a base, newest first.

    It names the actor's own questions only: what others asked is theirs.
    """
    _sources.append(source)


def asked_lately(actor: Actor, base_id: UUID) -> list[str]:
    """Return the actor's newest questions about a base, each once."""
    found = [each for source in _sources for each in source(actor, base_id, MOST)]
    return list(dict.fromkeys(found))[:MOST]
