"""Contexts of the explanation of a missing passage."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _, gettext_lazy

from accounts.access import Actor, may
from accounts.constants import MembershipState
from accounts.models import Membership
from knowledge.models import Chunk, KnowledgeBase
from knowledge.pages.labels import page_label
from knowledge.pictures.shown import passages_html
from knowledge.why_not.remedies import see_passage
from knowledge.why_not.verdicts import Report, Stage, Verdict

MOST_MEMBERS = 200
_WORDS: dict[Stage, tuple[Any, Any]] = {
    "no_text": (
        gettext_lazy("This text is in no passage"),
        gettext_lazy(
            "None of the passages that you may see holds it. If you know its document, name it: then"
            " what was read from its file is looked at, too."
        ),
    ),
    "trashed": (
        gettext_lazy("The document is in the trash"),
        gettext_lazy("Nothing in the trash is found. Restore it."),
    ),
    "reading": (
        gettext_lazy("The document is still being read"),
        gettext_lazy("It is found as a whole, as soon as it is read."),
    ),
    "failed": (
        gettext_lazy("Reading the document failed"),
        gettext_lazy("None of its passages is there to be found."),
    ),
    "refused": (
        gettext_lazy("The document was not read"),
        gettext_lazy("Its file gives no text as it is."),
    ),
    "stopped": (
        gettext_lazy("Reading the document was stopped"),
        gettext_lazy("None of its passages is there to be found."),
    ),
    "not_parsed": (
        gettext_lazy("The text was not read from the file"),
        gettext_lazy("It is not in what the parser took out. Try another way of reading."),
    ),
    "cut": (
        gettext_lazy("The text is cut"),
        gettext_lazy("No passage holds all of it, so that each part says too little."),
    ),
    "disabled": (
        gettext_lazy("The passage is switched off"),
        gettext_lazy("Somebody decided that it is not to be found."),
    ),
    "not_embedded": (
        gettext_lazy("The passage has no vector"),
        gettext_lazy("It can be found by its words only, never by its meaning."),
    ),
    "other_model": (
        gettext_lazy("Its vector is another model’s"),
        gettext_lazy("The embedding model of the base changed; vectors of two are not compared."),
    ),
    "not_permitted": (
        gettext_lazy("It is closed to the person"),
        gettext_lazy("A search never finds what one may not read."),
    ),
    "outside_scope": (
        gettext_lazy("The search did not look there"),
        gettext_lazy("The passage is outside of the bases or documents that were searched."),
    ),
    "no_candidate": (
        gettext_lazy("Neither search named it"),
        gettext_lazy("Too many passages are nearer to the question, by meaning and by words."),
    ),
    "dense_threshold": (
        gettext_lazy("Its meaning is too far from the question"),
        gettext_lazy("The threshold of likeness dropped it."),
    ),
    "keyword_threshold": (
        gettext_lazy("It has too few words of the question"),
        gettext_lazy("The threshold of words dropped it."),
    ),
    "rerank_threshold": (
        gettext_lazy("The rerank model thinks little of it"),
        gettext_lazy("The threshold of reranking dropped it."),
    ),
    "mmr": (
        gettext_lazy("It says too little that is new"),
        gettext_lazy("More varied passages took its place."),
    ),
    "duplicate": (
        gettext_lazy("Another passage says the same"),
        gettext_lazy("Of equal passages only the best is a hit."),
    ),
    "limit": (
        gettext_lazy("It comes behind the last hit"),
        gettext_lazy("It was found, and the search returns fewer passages."),
    ),
    "context": (
        gettext_lazy("It was found, and the model did not read it"),
        gettext_lazy("An answer reads only the best hits."),
    ),
    "found": (gettext_lazy("It is found"), gettext_lazy("Nothing stands in its way.")),
}
_WAY: tuple[tuple[Any, frozenset[Stage]], ...] = (
    (gettext_lazy("There"), frozenset({"no_text", "trashed"})),
    (
        gettext_lazy("Read"),
        frozenset({"reading", "failed", "refused", "stopped", "not_parsed"}),
    ),
    (gettext_lazy("In one piece"), frozenset({"cut"})),
    (gettext_lazy("Switched on"), frozenset({"disabled"})),
    (gettext_lazy("Embedded"), frozenset({"not_embedded", "other_model"})),
    (gettext_lazy("Permitted"), frozenset({"not_permitted"})),
    (gettext_lazy("Searched"), frozenset({"outside_scope"})),
    (gettext_lazy("Candidate"), frozenset({"no_candidate"})),
    (gettext_lazy("Thresholds"), frozenset({"dense_threshold", "keyword_threshold"})),
    (
        gettext_lazy("Among the hits"),
        frozenset({"rerank_threshold", "mmr", "duplicate", "limit"}),
    ),
    (gettext_lazy("Read by the model"), frozenset({"context"})),
)


def report_context(report: Report, *, question: str) -> dict[str, Any]:
    """Return what `_why_not.html` takes; `question` is what was typed."""
    shown = [each for each in (report.chunk, *report.parts, *report.nearest) if each is not None]
    html = passages_html((chunk.document_id, chunk.text) for chunk in shown)
    cards = [_card(chunk, text) for chunk, text in zip(shown, html, strict=True)]
    parts_end = len(cards) - len(report.nearest)
    return {
        "stage": report.verdict.stage,
        "is_found": report.verdict.stage == "found",
        "title": _WORDS[report.verdict.stage][0],
        "text": _WORDS[report.verdict.stage][1],
        "verdict": report.verdict,
        "further": [_further(each) for each in report.further],
        "way": _way(report.verdict.stage),
        "document": report.document,
        "passages": cards[:parts_end],
        "nearest": cards[parts_end:],
        "question": report.found.query if report.found else question,
        "chunk": report.chunk,
        "warnings": report.found.warnings if report.found else (),
    }


def members_of(actor: Actor, base: KnowledgeBase) -> list[tuple[int, str]]:
    """Return the members for whom the actor may ask; none who may not see who reads the base."""
    if not may(actor, "share", base):
        return []
    rows = Membership.objects.filter(
        space_id=base.space_id, state=MembershipState.ACTIVE, user__is_active=True
    )
    others = rows.exclude(user_id=actor.user_id or 0).select_related("user")
    return [(row.user_id, str(row.user)) for row in others.order_by("user__name")[:MOST_MEMBERS]]


def problem_context(text: str) -> dict[str, Any]:
    """Return what `_why_not.html` takes when there is nothing to explain yet."""
    return {"problem": text}


def choices_context(question: str, found: list[tuple[UUID, str]]) -> dict[str, Any]:
    """Return what `_why_not.html` takes when several documents have the name."""
    several = _("Several documents have this in their name. Which one is meant?")
    return {
        "problem": several if found else _("No document has this in its name."),
        "question": question,
        "documents": [{"id": pk, "name": name} for pk, name in found],
    }


def _further(verdict: Verdict) -> dict[str, Any]:
    return {"title": _WORDS[verdict.stage][0], "verdict": verdict}


def _way(stage: Stage) -> list[dict[str, Any]]:
    """Return the stations of the way: those passed, the one where it ended, the rest."""
    lost_at = next((at for at, (_name, held) in enumerate(_WAY) if stage in held), len(_WAY))
    return [
        {"label": label, "state": "ok" if at < lost_at else "bad" if at == lost_at else ""}
        for at, (label, _held) in enumerate(_WAY)
    ]


def _card(chunk: Chunk, html: Any) -> dict[str, Any]:
    return {
        "id": chunk.pk,
        "title": chunk.document.name,
        "location": page_label(chunk.page_from, chunk.page_to),
        "url": see_passage(chunk).url,
        "text": html,
    }
