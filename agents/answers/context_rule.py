"""Tells the explanations of searches which hits an answer with ordinary settings reads."""

from __future__ import annotations

from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from agents.configuration import AgentConfig
from agents.tools.searching import passages_of
from knowledge.retrieval.hits import Retrieval
from knowledge.why_not.context import ContextRule, register_context


def given_to_model(found: Retrieval) -> frozenset[UUID]:
    """Return the passages that a quick answer of a new agent reads."""
    return frozenset(hit.chunk_id for hit in passages_of(found, AgentConfig()))


def where_to_change() -> tuple[str, str]:
    """Return where agents are told how much they read."""
    return _("Let the agent read more passages"), reverse("agents")


register_context(ContextRule(given=given_to_model, remedy=where_to_change))
