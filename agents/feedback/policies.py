"""Feedback is its person's; who edits a base behind the answer reads it by `agents.feedback.queries`."""

from __future__ import annotations

from accounts.access import PersonalPolicy, register
from agents.models import AnswerFeedback, UnansweredQuestion


class FeedbackPolicy(PersonalPolicy):
    """A thumb is its person's to set and to take back."""

    area = "feedback"


class UnansweredPolicy(PersonalPolicy):
    """Who asked sees what became of the question."""

    area = "feedback"
    owner_field = "asker_id"


register(AnswerFeedback, FeedbackPolicy())
register(UnansweredQuestion, UnansweredPolicy())
