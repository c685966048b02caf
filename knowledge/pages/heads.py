"""What the head of every page of a base shows, and what the actor may do there."""

from __future__ import annotations

from typing import Any

from accounts.access import Actor, may
from knowledge.constants import BaseKind
from knowledge.faq.queries import count_entries
from knowledge.models import KnowledgeBase
from knowledge.pages.labels import base_facts, entry_facts
from knowledge.pages.tabs import tabs_of
from knowledge.queries import base_counts


def head_of(actor: Actor, base: KnowledgeBase) -> dict[str, Any]:
    """Return what `_base_head.html` takes."""
    if base.kind == BaseKind.FAQ:
        number = count_entries(actor, base.pk).entries
        facts = entry_facts(base, entries=number)
    else:
        counts = base_counts(actor, base.pk)
        number = counts.documents
        facts = base_facts(base, documents=counts.documents, passages=counts.passages)
    may_edit = may(actor, "edit", base)
    return {
        "base": base,
        "facts": facts,
        "document_count": number,
        "may_edit": may_edit,
        "more_tabs": tabs_of(base, may_edit=may_edit),
        "may_change": may(actor, "change", base),
        "may_share": may(actor, "share", base),
    }
