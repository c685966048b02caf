"""Who may do what in a wiki: as open as its base; publishing is changing the base's content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q

from accounts.access import Action, Actor, Clause, InheritedPolicy, PersonalPolicy, register
from knowledge.models import Document, KnowledgeBase
from wiki.constants import PageStatus
from wiki.models import (
    WikiBuild,
    WikiChange,
    WikiComment,
    WikiDraft,
    WikiFolder,
    WikiIssue,
    WikiLink,
    WikiLint,
    WikiMirror,
    WikiNotice,
    WikiOperation,
    WikiPage,
    WikiReading,
    WikiRedirect,
    WikiRefusal,
    WikiReview,
    WikiReviewer,
    WikiRevision,
    WikiSentence,
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


class PagePolicy(WikiPolicy):
    """To `manage` is what may be done with a page in the trash: see it, bring it back.

    A deleted page is gone for everybody, a draft there is only for those who may publish it.
    """

    actions: ClassVar[Mapping[Action, Action]] = {**WikiPolicy.actions, "manage": "edit"}

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Deny what is in the trash, and drafts to those who may not edit the base."""
        trashed = Clause(
            effect="deny", reason="It is deleted.", where=Q(trashed_at__isnull=action == "manage")
        )
        return (*super().clauses(actor, action), trashed, *self._draft_clauses(actor))

    def _draft_clauses(self, actor: Actor) -> tuple[Clause, ...]:
        where = Q(status=PageStatus.DRAFT)
        for clause in super().clauses(actor, "change"):
            if clause.effect != "allow":
                continue
            if not clause.where:
                return ()
            where &= ~clause.where
        return (Clause(effect="deny", reason="It is a draft of others.", where=where),)


class OfPagePolicy(InheritedPolicy):
    """What belongs to a page is as open as the page; only the wiki itself writes it."""

    area = "wiki"
    parent_field = "page"
    parent_model = WikiPage
    actions: ClassVar[Mapping[Action, Action]] = {"view": "view"}


class LinkPolicy(OfPagePolicy):
    """A link belongs to the page that has it."""

    parent_field = "source"


class OfChangePolicy(InheritedPolicy):
    """What is said about a change request is as open as the request."""

    area = "wiki"
    parent_field = "change"
    parent_model = WikiChange
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "view",
        "create": "use",
        "change": "change",
        "delete": "change",
    }


class ReadingPolicy(InheritedPolicy):
    """What was read out of a document is as open as the document."""

    area = "wiki"
    parent_field = "document"
    parent_model = Document
    actions: ClassVar[Mapping[Action, Action]] = {"view": "view"}


class SettingsPolicy(WikiPolicy):
    """The settings are changed by who changes the base."""

    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "view",
        "create": "change",
        "change": "change",
    }


class MirrorPolicy(WikiPolicy):
    """A mirror takes the wiki out of the space: who shares the base sees and sets it."""

    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "share",
        "create": "share",
        "change": "share",
    }


class OwnPolicy(PersonalPolicy):
    """A person's own."""

    area = "wiki"


class DraftPolicy(OwnPolicy):
    """What a person is writing is theirs alone."""

    owner_field: ClassVar[str] = "author_id"


for _model in (WikiBuild, WikiChange, WikiFolder, WikiIssue, WikiLint):
    register(_model, WikiPolicy())
register(WikiPage, PagePolicy())
for _of_base in (WikiOperation, WikiRefusal):
    register(_of_base, WikiPolicy())
for _of_page in (WikiRedirect, WikiRevision, WikiSentence):
    register(_of_page, OfPagePolicy())
register(WikiLink, LinkPolicy())
for _of_change in (WikiComment, WikiReview, WikiReviewer):
    register(_of_change, OfChangePolicy())
register(WikiReading, ReadingPolicy())
register(WikiSettings, SettingsPolicy())
register(WikiMirror, MirrorPolicy())
register(WikiDraft, DraftPolicy())
register(WikiNotice, OwnPolicy())
register(WikiWatch, OwnPolicy())
