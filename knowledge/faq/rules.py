"""Which questions may stand together: within an entry, and in all entries of a base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from django.utils.translation import gettext as _

from knowledge.faq.drafts import EntryDraft
from knowledge.faq.normal_form import question_hash
from knowledge.models import FaqQuestion

Field = Literal["standard_question", "similar_questions", "negative_questions"]
Code = Literal["repeated", "same_as_standard", "contradicts", "taken"]


@dataclass(frozen=True, kw_only=True)
class Owner:
    """The entry that has a question already."""

    entry_id: UUID | None
    """None: an earlier row of the same file, that is not kept yet."""
    number: int
    standard_question: str


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A question that cannot stand where it stands."""

    field: Field
    question: str
    code: Code
    reason: str
    """For people."""
    owner: Owner | None = None


def positive_hashes(draft: EntryDraft) -> dict[str, str]:
    """Return the standard and similar questions by their hashes."""
    return {
        question_hash(text): text for text in (draft.standard_question, *draft.similar_questions)
    }


def problems_within(draft: EntryDraft) -> list[Problem]:
    """Return what an entry says twice, or says and denies; in the order of its questions."""
    standard = question_hash(draft.standard_question)
    seen: dict[str, str] = {}
    found: list[Problem] = []
    for text in draft.similar_questions:
        key = question_hash(text)
        if key == standard:
            found.append(_problem("similar_questions", text, "same_as_standard"))
        elif key in seen:
            found.append(_problem("similar_questions", text, "repeated", seen[key]))
        seen.setdefault(key, text)
    denied: dict[str, str] = {}
    for text in draft.negative_questions:
        key = question_hash(text)
        if key == standard or key in seen:
            found.append(_problem("negative_questions", text, "contradicts"))
        elif key in denied:
            found.append(_problem("negative_questions", text, "repeated", denied[key]))
        denied.setdefault(key, text)
    return found


def problems_with_others(draft: EntryDraft, owners: Mapping[str, Owner]) -> list[Problem]:
    """Return the standard and similar questions that another entry of the base has."""
    found: list[Problem] = []
    fields: tuple[tuple[Field, tuple[str, ...]], ...] = (
        ("standard_question", (draft.standard_question,)),
        ("similar_questions", draft.similar_questions),
    )
    for field, texts in fields:
        for text in texts:
            owner = owners.get(question_hash(text))
            if owner is not None:
                found.append(_taken(field, text, owner))
    return found


def find_owners(
    base_id: UUID, hashes: Iterable[str], *, apart_from: UUID | None = None
) -> dict[str, Owner]:
    """Return which entries of the base ask these questions, by the questions' hashes."""
    rows = FaqQuestion.objects.filter(base_id=base_id, text_hash__in=list(hashes))
    rows = rows.exclude(kind="negative").select_related("entry")
    if apart_from is not None:
        rows = rows.exclude(entry_id=apart_from)
    return {
        row.text_hash: Owner(
            entry_id=row.entry_id,
            number=row.entry.number,
            standard_question=row.entry.standard_question,
        )
        for row in rows
    }


def without(draft: EntryDraft, problems: Iterable[Problem]) -> EntryDraft:
    """Return the draft without the similar and negative questions that cannot stand."""
    listed = list(problems)
    return replace(
        draft,
        similar_questions=_left(draft.similar_questions, "similar_questions", listed),
        negative_questions=_left(draft.negative_questions, "negative_questions", listed),
    )


def _left(texts: tuple[str, ...], field: Field, problems: list[Problem]) -> tuple[str, ...]:
    """Take one text out for each problem; of a repeated one the first stays."""
    left = list(reversed(texts))
    for problem in problems:
        if problem.field == field and problem.question in left:
            left.remove(problem.question)
    return tuple(reversed(left))


def _problem(field: Field, question: str, code: Code, other: str = "") -> Problem:
    reasons: dict[Code, str] = {
        "same_as_standard": _("“%(question)s” is the standard question itself."),
        "repeated": _("“%(question)s” is here twice, the other time as “%(other)s”."),
        "contradicts": _(
            "“%(question)s” is a question of this entry; it cannot be a negative one, too."
        ),
    }
    reason = reasons[code] % {"question": question, "other": other}
    return Problem(field=field, question=question, code=code, reason=reason)


def _taken(field: Field, question: str, owner: Owner) -> Problem:
    return Problem(
        field=field,
        question=question,
        code="taken",
        reason=_("Entry %(n)s already asks “%(question)s”: “%(other)s”.")
        % {"question": question, "n": owner.number, "other": owner.standard_question},
        owner=owner,
    )
