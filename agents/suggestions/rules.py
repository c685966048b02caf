"""When an answer gets no follow-up questions."""

from __future__ import annotations

import re

from django.utils.translation import gettext as _

from agents.configuration import FollowUps
from agents.models import AgentRun
from knowledge.models import EvidenceRow

_TAIL_CHARACTERS = 400
_MARKERS = re.compile(r"(?:\[\d{1,3}\]|[\s*_>`)\"'”’」』）])+$")


def suppression_of(run: AgentRun, config: FollowUps) -> str:
    """Return the rule that leaves follow-ups out, for people; empty when there may be some."""
    if run.answer is None or run.outcome in ("stopped", "failed"):
        return _("The answer was not finished.")
    if config.suppress_on_fallback and _is_fallback(run):
        return _("The question could not really be answered.")
    if config.suppress_when_answer_asks_question and asks_back(run.answer.text):
        return _("The answer asks something itself.")
    return ""


def asks_back(answer: str) -> bool:
    """Say whether the answer ends with a question to the person."""
    tail = _MARKERS.sub("", answer.strip()[-_TAIL_CHARACTERS:])
    return tail.endswith(("?", "\uff1f", "\u061f"))


def _is_fallback(run: AgentRun) -> bool:
    if run.outcome == "fallback":
        return True
    if not run.is_extractive or run.answer_id is None:
        return False
    # What only quotes has nothing to say when it quotes nothing.
    return not EvidenceRow.objects.filter(origin_id=run.answer_id).exists()
