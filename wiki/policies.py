"""Who may do what in a wiki: as open as its base; publishing is changing the base's content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from accounts.access import Action, InheritedPolicy, PersonalPolicy, register
from knowledge.models import KnowledgeBase
from wiki.models import (
    WikiBuild,
    WikiChange,
    WikiDraft,
    WikiFolder,
    WikiIssue,
    WikiLint,
    WikiPage,
    WikiSettings,
    WikiWatch,
)


class WikiPolicy(InheritedPolicy):
    """Who sees the base reads its wiki and proposes; who edits its content publishes and decides.

    To `propose` is to hand in a change request, to comment and to flag.
    """

    area = "wiki"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "view",
        "create": "edit",
        "change": "edit",
        "delete": "edit",
        "use": "view",
    }


class SettingsPolicy(WikiPolicy):
    """The settings are changed by who changes the base."""

    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "view",
        "create": "change",
        "change": "change",
    }


class OwnPolicy(PersonalPolicy):
    """A person's own."""

    area = "wiki"


class DraftPolicy(OwnPolicy):
    """What a person is writing is theirs alone."""

    owner_field: ClassVar[str] = "author_id"


for _model in (WikiBuild, WikiChange, WikiFolder, WikiIssue, WikiLint, WikiPage):
    register(_model, WikiPolicy())
register(WikiSettings, SettingsPolicy())
register(WikiDraft, DraftPolicy())
register(WikiWatch, OwnPolicy())
