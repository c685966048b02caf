"""At which kinds of things of which apps the access lens looks, and what it calls them."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy as _

from accounts.models import Membership, Space
from accounts.platform.lens import LensKind, register_lens_kind
from agents.models import Agent, Conversation
from knowledge.constants import UNLISTED_SOURCES
from knowledge.models import Document, KnowledgeBase
from providers.models import AIModel


def register_lens_kinds() -> None:
    """Tell the lens; called once when the site is ready."""
    for kind in KINDS:
        register_lens_kind(kind)


def _conversation(row: Conversation) -> str:
    """Name a conversation without its title, which is its person's alone."""
    whose = str(row.user) if row.user_id else row.principal
    return gettext("Conversation of %(person)s, %(day)s") % {
        "person": whose,
        "day": row.created_at.date().isoformat(),
    }


def _memberships(space_id: int) -> QuerySet[Any]:
    return Membership.objects.filter(space_id=space_id).select_related("user", "space")


KINDS = (
    LensKind(
        name="base",
        label=_("Knowledge base"),
        model=KnowledgeBase,
        actions=("view", "use", "edit", "change", "share", "delete"),
        find=lambda _space: KnowledgeBase.objects.filter(deleted_at__isnull=True),
        search_field="name",
        guest_argument="base_id",
    ),
    LensKind(
        name="document",
        label=_("Document"),
        model=Document,
        actions=("view", "change", "delete"),
        # The row that holds the entries of a base of questions is nobody's document.
        find=lambda _space: Document.objects.exclude(source__in=UNLISTED_SOURCES).select_related(
            "base"
        ),
        search_field="name",
        guest_argument="document_id",
    ),
    LensKind(
        name="agent",
        label=_("Agent"),
        model=Agent,
        actions=("view", "use", "change", "share", "delete"),
        find=lambda _space: Agent.objects.all(),
        search_field="name",
        guest_argument="agent_id",
    ),
    LensKind(
        name="conversation",
        label=_("Conversation"),
        model=Conversation,
        actions=("view", "change", "delete", "manage"),
        called=_conversation,
        find=lambda _space: Conversation.objects.select_related("user"),
        is_listed=False,
    ),
    LensKind(
        name="model",
        label=_("Model"),
        model=AIModel,
        actions=("view", "use", "change", "delete"),
        find=lambda _space: AIModel.objects.all(),
        search_field="name",
        is_listed=False,
    ),
    LensKind(
        name="member",
        label=_("Member"),
        model=Membership,
        actions=("view", "change", "delete"),
        called=lambda row: f"{row.user} ({row.user.email})",
        find=_memberships,
        search_field="user__email",
        is_listed=False,
    ),
    LensKind(
        name="space",
        label=_("The space itself"),
        model=Space,
        actions=("view", "change", "manage", "share", "delete"),
        find=lambda space_id: Space.objects.filter(pk=space_id),
        is_listed=False,
    ),
)
