"""What every page of a wiki shows at its top, and what the actor may do there."""

from __future__ import annotations

from typing import Any

from accounts.access import Actor, may, visible
from knowledge.models import KnowledgeBase
from wiki.changes.queries import changes_of
from wiki.constants import OPEN_CHANGE_STATES, ChangeState, IssueState
from wiki.models import WikiIssue


def wiki_head(actor: Actor, base: KnowledgeBase, *, tab: str) -> dict[str, Any]:
    """Return what `wiki/_head.html` takes.

    `tab` is "pages", "changes", "issues", "building", "graph" or "settings".
    """
    changes = changes_of(actor, base_id=base.pk).filter(state__in=OPEN_CHANGE_STATES)
    issues = WikiIssue.objects.filter(base=base, state=IssueState.PENDING)
    return {
        "base": base,
        "tab": tab,
        "may_edit": may(actor, "edit", base),
        "may_change": may(actor, "change", base),
        "is_member": actor.user_id is not None and not actor.is_guest,
        "change_total": changes.exclude(state=ChangeState.DRAFT).count(),
        "issue_total": visible(actor, "view", issues).count(),
    }
