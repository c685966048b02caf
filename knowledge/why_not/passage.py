"""What of a passage keeps a search from naming it: switched off, without vector, closed, elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from django.utils.translation import gettext as _

from accounts.access import explain, visible
from core.wording import listed
from knowledge.faq.negative import entries_refusing
from knowledge.models import Chunk, Embedding
from knowledge.why_not import remedies
from knowledge.why_not.verdicts import Fact, Verdict
from knowledge.why_not.way import Way


def passage_problems(way: Way) -> list[Verdict]:
    """Return what stands in the passage's way before any search, in the order of the way."""
    checks: tuple[Callable[[Way], Verdict | None], ...] = (_enabled, _embedded, _permitted, _inside)
    return [problem for check in checks if (problem := check(way)) is not None]


def _enabled(way: Way) -> Verdict | None:
    if way.chunk.is_enabled:
        return None
    return Verdict(
        stage="disabled",
        remedies=(
            *remedies.switch_on(way.actor, way.chunk),
            *remedies.edit_entry(way.chunk),
            remedies.see_passage(way.chunk),
        ),
    )


def _embedded(way: Way) -> Verdict | None:
    """Look for a vector of the base's present model; where that is away, nothing can be said."""
    identities = {vector.identity for vector in way.vectors.vectors}
    if not identities:
        return None
    rows = Embedding.objects.filter(chunk=way.chunk).order_by("pk")
    own = list(rows.values_list("identity", flat=True))
    if identities & set(own):
        return None
    facts = [Fact(label=_("Model of the knowledge base"), value=listed(sorted(identities)))]
    if own:
        facts.append(Fact(label=_("Model of the passage"), value=listed(own)))
    return Verdict(
        stage="other_model" if own else "not_embedded",
        facts=tuple(facts),
        remedies=(
            *remedies.read_again(way.actor, way.chunk.document),
            remedies.see_timeline(way.chunk.document),
        ),
    )


def _permitted(way: Way) -> Verdict | None:
    if way.reader == way.actor:
        return None  # who asks sees the passage, else it would not have been found for them
    if visible(way.reader, "view", Chunk.objects.filter(pk=way.chunk.pk)).exists():
        return None
    reasons = explain(way.reader, "view", way.chunk.document).reasons
    return Verdict(
        stage="not_permitted",
        facts=tuple(Fact(label=_("Reason"), value=each) for each in reasons),
        remedies=remedies.open_to_them(way.actor, way.chunk.document),
    )


def _inside(way: Way) -> Verdict | None:
    """Say that the search looks elsewhere, or that something narrows it."""
    chunk = way.chunk
    if chunk.base_id not in way.searched.base_ids:
        fact = Fact(label=_("It stands in"), value=f"{chunk.base.name} › {chunk.document.name}")
        return Verdict(
            stage="outside_scope", facts=(fact,), remedies=(remedies.see_passage(chunk),)
        )
    if chunk.faq_entry_id in entries_refusing(way.question, way.searched.bases):
        fact = Fact(
            label=_("Filter"), value=_("The question stands among the entry’s negative questions.")
        )
        return Verdict(stage="outside_scope", facts=(fact,), remedies=remedies.edit_entry(chunk))
    rows = way.searched.chunks.filter(pk=chunk.pk)
    if rows.exists() or not chunk.is_enabled:
        return None
    if not visible(way.reader, "view", Chunk.objects.filter(pk=chunk.pk)).exists():
        return None
    fact = Fact(label=_("Filter"), value=_("The search is limited to other documents."))
    return Verdict(
        stage="outside_scope", facts=(fact,), remedies=(remedies.see_document(chunk.document),)
    )
