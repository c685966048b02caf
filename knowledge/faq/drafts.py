"""An entry as a value: what a form, a file or another program says about it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from core.errors import Invalid
from knowledge.constants import AnswerStrategy
from knowledge.faq.normal_form import question_hash
from knowledge.models import FaqEntry

MOST_QUESTIONS = 100
"""Similar ones, and negative ones, of an entry."""
MOST_ANSWERS = 20
QUESTION_CHARACTERS = 1_000
ANSWER_CHARACTERS = 20_000


@dataclass(frozen=True, kw_only=True)
class EntryDraft:
    """What an entry says; made clean by `clean_draft`."""

    standard_question: str
    similar_questions: tuple[str, ...] = ()
    negative_questions: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    strategy: AnswerStrategy = AnswerStrategy.ALL
    tag: str = ""
    """The name of a tag of the base; blank: none."""
    is_enabled: bool = True
    is_recommended: bool = True

    @property
    def content_hash(self) -> str:
        """Return the hash of what it says, whatever the order of its texts.

        Questions count by their normal form. Answers count as they stand: another address or
        another mark in an answer is another answer.
        """
        parts = [
            question_hash(self.standard_question),
            sorted(map(question_hash, self.similar_questions)),
            sorted(map(question_hash, self.negative_questions)),
            sorted(self.answers),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def flags(self) -> tuple[AnswerStrategy, str, bool, bool]:
        """What it says besides its texts."""
        return (self.strategy, self.tag.casefold(), self.is_enabled, self.is_recommended)


def draft_of(entry: FaqEntry) -> EntryDraft:
    """Return a stored entry as a value."""
    return EntryDraft(
        standard_question=entry.standard_question,
        similar_questions=tuple(entry.similar_questions),
        negative_questions=tuple(entry.negative_questions),
        answers=tuple(entry.answers),
        strategy=AnswerStrategy(entry.answer_strategy),
        tag=entry.tag.name if entry.tag else "",
        is_enabled=entry.is_enabled,
        is_recommended=entry.is_recommended,
    )


def clean_draft(draft: EntryDraft) -> EntryDraft:
    """Return the draft with trimmed texts and without blank ones.

    Raises:
        Invalid: a text is missing or too long, or there are too many; `data["field"]` says which.
    """
    cleaned = replace(
        draft,
        standard_question=_one_line(draft.standard_question),
        similar_questions=_filled(map(_one_line, draft.similar_questions)),
        negative_questions=_filled(map(_one_line, draft.negative_questions)),
        answers=tuple(dict.fromkeys(_filled(map(_trimmed, draft.answers)))),
        tag=_one_line(draft.tag),
    )
    _check(cleaned)
    return cleaned


def _check(draft: EntryDraft) -> None:
    if not draft.standard_question:
        raise Invalid(_("An entry needs a standard question."), field="standard_question")
    if not draft.answers:
        raise Invalid(_("An entry needs an answer."), field="answers")
    similar = _("These are %(n)s similar questions; an entry has at most %(most)s.")
    negative = _("These are %(n)s negative questions; an entry has at most %(most)s.")
    answers = _("These are %(n)s answers; an entry has at most %(most)s.")
    _check_number("similar_questions", draft.similar_questions, MOST_QUESTIONS, similar)
    _check_number("negative_questions", draft.negative_questions, MOST_QUESTIONS, negative)
    _check_number("answers", draft.answers, MOST_ANSWERS, answers)
    _check_lengths("standard_question", (draft.standard_question,), QUESTION_CHARACTERS)
    _check_lengths("similar_questions", draft.similar_questions, QUESTION_CHARACTERS)
    _check_lengths("negative_questions", draft.negative_questions, QUESTION_CHARACTERS)
    _check_lengths("answers", draft.answers, ANSWER_CHARACTERS)
    _check_lengths("tag", (draft.tag,), 64)


def _check_number(field: str, texts: Sequence[str], most: int, words: str) -> None:
    if len(texts) > most:
        raise Invalid(words % {"n": len(texts), "most": most}, field=field)


def _check_lengths(field: str, texts: Iterable[str], most: int) -> None:
    for text in texts:
        if len(text) > most:
            raise Invalid(
                _("“%(text)s…” has %(n)s characters; it may have at most %(most)s.")
                % {"text": text[:40], "n": f"{len(text):,}", "most": f"{most:,}"},
                field=field,
            )


def _one_line(text: str) -> str:
    return " ".join(_trimmed(text).split())


def _trimmed(text: str) -> str:
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    return text.encode("utf-8", "replace").decode()


def _filled(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(text for text in texts if text)
