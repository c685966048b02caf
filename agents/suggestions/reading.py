"""Sets of suggestions as their person may see them now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import translation
from django.utils.translation import gettext as _

from accounts.access import Actor, visible
from agents.constants import SuggestionAction, SuggestionPlace, SuggestionState
from agents.memory.sources import visible_documents
from agents.models import SuggestionEvent, SuggestionSet
from agents.suggestions.values import Suggestion, from_rows
from core.errors import NotFound

DEFAULT_LOCALE = "en"


@dataclass(frozen=True, kw_only=True)
class Offered:
    """What is offered at one place."""

    set_id: UUID
    state: str
    reason: str
    generation: int
    questions: tuple[Suggestion, ...]


def locale_now() -> str:
    """Return the language of the page, as sets are kept by it."""
    return (translation.get_language() or DEFAULT_LOCALE)[:20]


def offered(actor: Actor, row: SuggestionSet) -> Offered:
    """Return what of a set the actor may see now: a question about a hidden document is left out."""
    questions = from_rows(row.questions)
    seen = visible_documents(actor, (each for one in questions for each in one.document_ids))
    return Offered(
        set_id=row.pk,
        state=row.state,
        reason=row.reason,
        generation=row.generation,
        questions=tuple(one for one in questions if set(one.document_ids) <= seen),
    )


def own_set(actor: Actor, set_id: UUID) -> SuggestionSet:
    """Return one of the actor's sets.

    Raises:
        NotFound: there is none, or it was made for somebody else.
    """
    row = visible(actor, "view", SuggestionSet.objects.filter(pk=set_id)).first()
    if row is None:
        raise NotFound(_("There are no such suggestions."))
    return row


def follow_up_set(
    actor: Actor, answer_id: UUID, *, config_hash: str, locale: str
) -> SuggestionSet | None:
    """Return the set behind an answer: in this language, else the newest of this configuration."""
    rows = SuggestionSet.objects.filter(
        message_id=answer_id, place=SuggestionPlace.FOLLOW_UPS, config_hash=config_hash
    )
    found: Sequence[SuggestionSet] = list(visible(actor, "view", rows).order_by("-updated_at"))
    exact = [row for row in found if row.locale == locale]
    return next(iter([*exact, *found]), None)


def is_dismissed(row: SuggestionSet) -> bool:
    """Say whether the person closed the present questions."""
    return SuggestionEvent.objects.filter(
        suggestion_set=row,
        action=SuggestionAction.DISMISS,
        question_key=f"g{row.generation}",
    ).exists()


def is_open(row: SuggestionSet) -> bool:
    """Say whether the set is still being made."""
    return row.state == SuggestionState.GENERATING
