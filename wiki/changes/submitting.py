"""Hand in an edit: it is published, or becomes a change request where its author needs a review.

Every edit goes this way, whoever makes it: pages, API, agents' tools and building.
"""

from __future__ import annotations

from dataclasses import dataclass

from accounts.access import Actor
from knowledge.models import KnowledgeBase
from wiki.constants import ChangeAction
from wiki.models import WikiChange, WikiPage, WikiRevision
from wiki.values import Edit


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of an edit: exactly one of the two, or none when there was nothing to do."""

    revision: WikiRevision | None = None
    change: WikiChange | None = None
    note: str = ""
    """Why it waits, or why nothing was done; a sentence for people and models."""


def submit(
    actor: Actor,
    base: KnowledgeBase,
    page: WikiPage | None,
    edit: Edit,
    *,
    on_version: int,
    action: ChangeAction = ChangeAction.EDIT,
    review: bool | None = None,
) -> Outcome:
    """Publish an edit made on a version of a page, or open a change request for it.

    `review` True asks for a review though none is needed; False is for imports and tests of those
    who may publish. None: as page and base say (`ReviewMode`), by the kind of author and what
    the actor may do.

    Raises:
        NotFound, AccessDenied: as `require` has it for the wiki.
        Invalid: the text is no page (blank title, bad slug, too long).
        VersionConflict: the page was changed meanwhile and the edit would be published at once.
        Conflict: another page has the slug, or this was refused for good.
    """
    raise NotImplementedError
