"""Who may do what to bases and what is in them."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.db.models import Q

from accounts.access import (
    Action,
    Actor,
    Clause,
    InheritedPolicy,
    RolePolicy,
    guest_clauses,
    register,
)
from accounts.constants import Role
from knowledge.access.walls import wall_clauses
from knowledge.constants import DocumentSource, DocumentState
from knowledge.models import Chunk, Document, KnowledgeBase


class BasePolicy(RolePolicy):
    """Everybody in the space reads; contributors make bases and own them; admins change all."""

    area = "bases"
    minimum: ClassVar[Mapping[Action, Role]] = {
        "view": Role.VIEWER,
        "use": Role.VIEWER,
        "create": Role.CONTRIBUTOR,
        "edit": Role.ADMIN,
        "change": Role.ADMIN,
        "delete": Role.ADMIN,
        "share": Role.ADMIN,
    }
    owner_field = "created_by"
    owner_actions = frozenset({"edit", "change", "delete", "share"})
    below = "edit"

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Add what a share opens; a base that is being removed is gone for everybody."""
        gone = Clause(
            effect="deny", reason="It is being deleted.", where=Q(deleted_at__isnull=False)
        )
        shared = guest_clauses(actor, kind="base", action=action)
        return (*super().clauses(actor, action), *shared, gone, *_key_clauses(actor, action))


def _key_clauses(actor: Actor, action: Action) -> Sequence[Clause]:
    """Deny a key every base that is not on its list, and to make one, which never would be."""
    if actor.base_ids is None:
        return ()
    reason = "The key is limited to other bases."
    where = Q() if action == "create" else ~Q(pk__in=sorted(actor.base_ids))
    return (Clause(effect="deny", reason=reason, where=where),)


class DocumentPolicy(InheritedPolicy):
    """A document is as open as its base, but for those whom a restriction keeps out."""

    area = "documents"
    parent_field = "base"
    parent_model = KnowledgeBase
    actions: ClassVar[Mapping[Action, Action]] = {
        "view": "view",
        "create": "edit",
        "change": "edit",
        "delete": "edit",
        "manage": "edit",
    }
    """To `manage` is what may be done with a document in the trash: see it, restore it, end it."""

    def clauses(self, actor: Actor, action: Action) -> Sequence[Clause]:
        """Being removed or in the trash it is gone for everybody; behind a wall for most."""
        gone = Clause(
            effect="deny", reason="It is being deleted.", where=Q(state=DocumentState.DELETING)
        )
        trashed = Clause(
            effect="deny",
            reason="It is in the trash.",
            where=Q(trashed_at__isnull=action == "manage"),
        )
        found = (*super().clauses(actor, action), gone, trashed, *_entries_clauses(action))
        return (*found, *self._draft_clauses(actor), *wall_clauses(actor))

    def _draft_clauses(self, actor: Actor) -> tuple[Clause, ...]:
        """Deny what is written and not published to all but those who may edit the base."""
        where = Q(is_draft=True)
        for clause in super().clauses(actor, "change"):
            if clause.effect != "allow":
                continue
            if not clause.where:
                return ()
            where &= ~clause.where
        return (Clause(effect="deny", reason="It is a draft of others.", where=where),)


def _entries_clauses(action: Action) -> tuple[Clause, ...]:
    """Rows of entries and of wiki pages are nobody's to change: entries and pages are."""
    if action not in ("change", "delete", "manage"):
        return ()
    entries = "It holds questions and answers; change those on their own page."
    page = "It is a page of the wiki; change it there."
    return (
        Clause(effect="deny", reason=entries, where=Q(source=DocumentSource.FAQ)),
        Clause(effect="deny", reason=page, where=Q(source=DocumentSource.WIKI)),
    )


class ChunkPolicy(InheritedPolicy):
    """A passage is as open as its document."""

    area = "chunks"
    parent_field = "document"
    parent_model = Document
    actions: ClassVar[Mapping[Action, Action]] = {"view": "view", "change": "change"}


register(KnowledgeBase, BasePolicy())
register(Document, DocumentPolicy())
register(Chunk, ChunkPolicy())
