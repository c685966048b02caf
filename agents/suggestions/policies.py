"""Suggestions are for one person: what they may see differs from person to person."""

from accounts.access import PersonalPolicy, register
from agents.models import SuggestionSet


class SuggestionPolicy(PersonalPolicy):
    """A set is its person's alone."""

    area = "suggestions"


register(SuggestionSet, SuggestionPolicy())
