"""Whose edits wait, who may decide about them, and whose approval counts.

Nobody approves what they made themselves where a second pair of eyes is asked for: where the page
has everybody's edits reviewed, or somebody else was asked to review. What an agent made for a
person is that person's in this; where only agents' edits wait, that person is the second pair.
"""

from __future__ import annotations

from accounts.access import Actor, may, require
from knowledge.models import KnowledgeBase
from wiki.constants import AuthorKind, ReviewMode
from wiki.models import WikiChange, WikiPage, WikiSettings
from wiki.values import Author

_MACHINES = (AuthorKind.AGENT, AuthorKind.PIPELINE)


def settings_of(base: KnowledgeBase) -> WikiSettings:
    """Return the base's settings; those of a new wiki, unsaved, when it has none yet."""
    row = WikiSettings.objects.filter(base=base).first()
    return row or WikiSettings(space_id=base.space_id, base=base)


def review_mode(settings: WikiSettings, page: WikiPage | None) -> ReviewMode:
    """Say whose edits of a page wait for a person; a new page's as the base has it."""
    return ReviewMode((page.review if page else "") or settings.review)


def require_proposing(actor: Actor, base: KnowledgeBase, page: WikiPage | None) -> None:
    """Return when the actor may hand in edits of the page, or new pages of the base.

    Raises:
        NotFound, AccessDenied: as `require` has it.
    """
    require(actor, "view", base)
    if page is not None:
        require(actor, "use", page)


def may_publish(actor: Actor, base: KnowledgeBase, page: WikiPage | None) -> bool:
    """Say whether the actor may write what readers get, review aside."""
    if page is not None:
        return may(actor, "change", page)
    scopes = actor.scopes
    return may(actor, "create", base) and (scopes is None or "wiki.create" in scopes)


def is_machine(author: Author) -> bool:
    """Say whether a model wrote it."""
    return author.kind in _MACHINES or author.agent_id is not None


def waits(mode: ReviewMode, author: Author) -> bool:
    """Say whether an edit by the author waits for a person where the mode rules."""
    return mode == ReviewMode.ALL or (mode == ReviewMode.AGENTS and is_machine(author))


def is_own(actor: Actor, change: WikiChange) -> bool:
    """Say whether the actor made a change request, or had an agent make it."""
    return actor.user_id is not None and change.author_id == actor.user_id


def approval_counts(actor: Actor, change: WikiChange, settings: WikiSettings) -> bool:
    """Say whether the actor's approval is one; see above for one's own."""
    if actor.user_id is None or not may(actor, "change", change):
        return False
    asked = {row.user_id for row in change.reviewers.all()}
    if asked and actor.user_id not in asked:
        return False
    if not is_own(actor, change):
        return True
    return review_mode(settings, change.page) != ReviewMode.ALL and not asked - {actor.user_id}
