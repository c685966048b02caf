"""Keeps settings of the search from changing unseen where golden questions could tell."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core.errors import Conflict
from knowledge.base_settings import BaseSettings, base_settings_of
from knowledge.evaluation.queries import has_confirmed
from knowledge.models import KnowledgeBase


def is_gated(base: KnowledgeBase, settings: BaseSettings) -> bool:
    """Say whether these settings change how a base is searched, and golden questions could tell."""
    changes = settings.retrieval != base_settings_of(base).retrieval
    return changes and has_confirmed(base.pk, with_passages=True)


def refuse_at_gate(base: KnowledgeBase, settings: BaseSettings) -> None:
    """Return when the settings may hold without being tried.

    Raises:
        Conflict: they have to be tried on the golden questions first.
    """
    if is_gated(base, settings):
        raise Conflict(
            _(
                "This knowledge base has golden questions: try the settings of its search on its"
                " settings page, where you see what changes."
            )
        )
