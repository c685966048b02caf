"""Decides what becomes of each row of an import. A dry run does this and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from django.utils.translation import gettext as _

from core.errors import Invalid
from knowledge.faq.drafts import EntryDraft, clean_draft, draft_of
from knowledge.faq.import_rows import ImportRow
from knowledge.faq.normal_form import question_hash
from knowledge.faq.rules import (
    Owner,
    Problem,
    find_owners,
    positive_hashes,
    problems_with_others,
    problems_within,
    without,
)
from knowledge.models import FaqEntry

Kind = Literal["added", "merged", "skipped", "failed"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a row does to the base."""

    kind: Kind
    draft: EntryDraft
    """What the entry says afterwards; of a failed row, what the file says."""
    number: int = 0
    """Of the entry that it is merged into."""
    code: str = ""
    reasons: tuple[str, ...] = ()
    """Why it failed, or which of its questions were left out and why."""

    @property
    def is_partial(self) -> bool:
        """Whether it was taken without some of its questions."""
        return self.kind in ("added", "merged") and bool(self.reasons)


class Known:
    """The entries that stand, and those that this run has decided on."""

    def __init__(self, base_id: UUID, *, reads_database: bool = True) -> None:
        """Know a base; without reading the database it is as if it were empty."""
        self.base_id = base_id
        self.reads_database = reads_database
        self._owners: dict[str, Owner] = {}
        self._drafts: dict[int, EntryDraft] = {}
        self._last = 0

    def owners(self, hashes: Iterable[str]) -> dict[str, Owner]:
        """Return who asks these questions."""
        wanted = list(hashes)
        stored = find_owners(self.base_id, wanted) if self.reads_database else {}
        return stored | {key: self._owners[key] for key in wanted if key in self._owners}

    def draft(self, number: int) -> EntryDraft:
        """Return what an entry says now."""
        if number in self._drafts:
            return self._drafts[number]
        rows = FaqEntry.objects.select_related("tag")
        return draft_of(rows.get(base_id=self.base_id, number=number))

    def remember(self, outcome: Outcome) -> None:
        """Let later rows know what a row did."""
        if outcome.kind not in ("added", "merged"):
            return
        number = outcome.number or self._next()
        self._drafts[number] = outcome.draft
        owner = Owner(
            entry_id=None, number=number, standard_question=outcome.draft.standard_question
        )
        self._owners |= dict.fromkeys(positive_hashes(outcome.draft), owner)

    def _next(self) -> int:
        """Return a number for an entry that is not kept; it is only told within this run."""
        if not self._last and self.reads_database:
            rows = FaqEntry.objects.filter(base_id=self.base_id).order_by("-number")
            self._last = rows.values_list("number", flat=True).first() or 0
        self._last += 1
        return self._last


def plan_row(row: ImportRow, known: Known) -> Outcome:
    """Return what becomes of a row; writes nothing."""
    if row.problem:
        return Outcome(kind="failed", draft=row.draft, code="unreadable", reasons=(row.problem,))
    try:
        draft = clean_draft(row.draft)
    except Invalid as refusal:
        return Outcome(kind="failed", draft=row.draft, code="invalid", reasons=(refusal.message,))
    inner = problems_within(draft)
    draft = without(draft, inner)
    owners = known.owners(positive_hashes(draft))
    standing = owners.get(question_hash(draft.standard_question))
    if standing is None:
        taken = problems_with_others(draft, owners)
        return Outcome(kind="added", draft=without(draft, taken), reasons=_reasons(inner, taken))
    if question_hash(standing.standard_question) != question_hash(draft.standard_question):
        (problem, *_) = problems_with_others(draft, owners)
        return Outcome(kind="failed", draft=row.draft, code="taken", reasons=(problem.reason,))
    return _merge(row, draft, inner, standing, owners, known)


def _merge(
    row: ImportRow,
    draft: EntryDraft,
    inner: list[Problem],
    standing: Owner,
    owners: dict[str, Owner],
    known: Known,
) -> Outcome:
    """Join the row to the entry with its standard question: questions are united, answers replaced."""
    others = {key: owner for key, owner in owners.items() if owner.number != standing.number}
    taken = problems_with_others(draft, others)
    draft, old = without(draft, taken), known.draft(standing.number)
    merged = replace(
        old,
        similar_questions=_united(old.similar_questions, draft.similar_questions),
        negative_questions=_united(old.negative_questions, draft.negative_questions),
        answers=draft.answers,
        strategy=draft.strategy if "strategy" in row.given else old.strategy,
        tag=draft.tag if "tag" in row.given else old.tag,
        is_enabled=draft.is_enabled if "is_enabled" in row.given else old.is_enabled,
        is_recommended=draft.is_recommended
        if "is_recommended" in row.given
        else old.is_recommended,
    )
    clash = problems_within(merged)
    if clash:
        reason = _("With what entry %(n)s says already: %(reason)s") % {
            "n": standing.number,
            "reason": clash[0].reason,
        }
        return Outcome(kind="failed", draft=row.draft, code="post_validation", reasons=(reason,))
    try:
        merged = clean_draft(merged)
    except Invalid as refusal:
        return Outcome(kind="failed", draft=row.draft, code="invalid", reasons=(refusal.message,))
    reasons = _reasons(inner, taken)
    if merged.content_hash == old.content_hash and merged.flags == old.flags:
        return Outcome(kind="skipped", draft=old, number=standing.number, reasons=reasons)
    return Outcome(kind="merged", draft=merged, number=standing.number, reasons=reasons)


def _united(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    known = {question_hash(text) for text in old}
    return (*old, *(text for text in new if question_hash(text) not in known))


def _reasons(*problems: Iterable[Problem]) -> tuple[str, ...]:
    return tuple(problem.reason for each in problems for problem in each)
