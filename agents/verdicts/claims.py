"""What a sentence claims that can be looked up: numbers, dates, names, quotations, and which way."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.verdicts.dates import Date, read_dates
from agents.verdicts.numbers import Quantity, one_form, read_quantities
from knowledge.text.analyze import analyze

_QUOTED = re.compile(
    r"[“\"]([^“”\"]{2,120})[”\"]|[「『《]([^」』》]{2,80})[」』》]|«([^»]{2,120})»"
)
_NAME = re.compile(
    r"(?<![\w'])[A-Z\u00c0-\u00de][\w'\u2019-]*(?:\s+(?:(?:of|de|von|van|der|the|and|&)\s+)?"
    r"[A-Z\u00c0-\u00de][\w'\u2019-]*)*"
)
_KATAKANA = re.compile(r"[\u30a1-\u30fa\u30fc]{3,}(?:・[\u30a1-\u30fa\u30fc]+)*")
_CODE = re.compile(r"(?<![\w-])(?=[\w./-]*\d)(?=[\w./-]*[A-Za-z])[A-Za-z0-9][\w./-]{3,}\w")
_OPENERS = frozenset(
    [
        "the",
        "a",
        "an",
        "in",
        "on",
        "at",
        "of",
        "for",
        "to",
        "by",
        "it",
        "this",
        "that",
        "these",
        "those",
        "there",
        "they",
        "he",
        "she",
        "we",
        "you",
        "i",
        "his",
        "her",
        "its",
        "their",
        "and",
        "but",
        "or",
        "so",
        "if",
        "when",
        "while",
        "after",
        "before",
        "since",
        "because",
        "although",
        "however",
        "moreover",
        "as",
        "from",
        "with",
        "according",
        "most",
        "many",
        "some",
        "all",
        "both",
        "each",
        "every",
        "no",
        "not",
        "yes",
        "only",
        "one",
        "two",
        "first",
        "second",
        "during",
        "under",
        "between",
        "also",
        "thus",
        "then",
        "here",
        "what",
        "which",
        "who",
        "how",
        "where",
        "why",
        "is",
        "are",
        "was",
        "were",
        "be",
    ]
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|isn't|wasn't|aren't|weren't|didn't|doesn't|don't"
    r"|can't|couldn't|won't|wouldn't|hasn't|haven't|hadn't|unable|failed to)\b"
    r"|不(?!同|少|断|斷|仅|僅|但|只|过|過|久|论|論|管|得不)|没有|沒有|未(?!来|來)|并非|並非|无法|無法|从未|從未"
    r"|ない(?!し)|なかった|ません|ではなく|않|못|없|아니",
    re.IGNORECASE,
)
_OPPOSITES: tuple[tuple[str, str], ...] = (
    (
        r"\b(?:increas|ris[ei]|rose|grew|grow|higher|gain)\w*|增加|增长|增長|上升|提高|增え|上昇|증가|상승",
        r"\b(?:decreas|declin|fell|fall|drop|lower|reduc|shr[aiu]nk)\w*|减少|減少|下降|下跌|降低|減り|低下|감소|하락",
    ),
    (r"\b(?:before|prior to|earlier than)\b|之前|以前", r"\b(?:after|later than)\b|之后|之後|以后|以後"),
    (r"\b(?:more|greater|over) than\b|多于|多於|超过|超過", r"\b(?:less|fewer|under) than\b|少于|少於|不足"),
    (r"\b(?:at least|minimum)\b|至少|最少", r"\b(?:at most|maximum)\b|至多|最多"),
    (r"\b(?:first|earliest)\b|最早", r"\b(?:last|latest)\b|最晚"),
    (r"\b(?:largest|biggest|highest|most)\b|最大|最高", r"\b(?:smallest|lowest|least)\b|最小|最低"),
    (r"\b(?:northern|north)\b|北部|以北", r"\b(?:southern|south)\b|南部|以南"),
    (r"\b(?:eastern|east)\b|东部|東部|以东|以東", r"\b(?:western|west)\b|西部|以西"),
    (r"\b(?:won|win|wins|victory)\b|获胜|獲勝|击败|擊敗", r"\b(?:lost|lose|loses|defeat)\b|落败|落敗|输给|輸給"),
    (r"\b(?:accept|approv|allow|permit)\w*|批准|允许|允許|同意", r"\b(?:reject|refus|forbid|forbade|prohibit|ban)\w*|拒绝|拒絕|禁止|反对|反對"),
)  # fmt: skip
DIRECTIONS = tuple(
    (re.compile(first, re.IGNORECASE), re.compile(second, re.IGNORECASE))
    for first, second in _OPPOSITES
)
HEDGE = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|some|over|more than|close to)\b"
    r"|约|約|大约|大約|近|左右|超过|超過|逾|ほぼ|およそ|약|거의",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Claims:
    """A text as far as it can be compared."""

    text: str
    """In one compatibility form."""
    quantities: tuple[Quantity, ...]
    dates: tuple[Date, ...]
    names: tuple[str, ...]
    quoted: tuple[str, ...]
    terms: frozenset[str]
    """Stems and pairs of characters, without numbers."""
    negations: int
    is_hedged: bool

    @property
    def has_facts(self) -> bool:
        """Whether it has something that can be looked up exactly."""
        return bool(self.quantities or self.dates or self.names or self.quoted)


def read_claims(text: str) -> Claims:
    """Return what a sentence or a passage claims."""
    shown = one_form(text)
    dates = read_dates(shown)
    blanked = _blanked(shown, [(each.start, each.end) for each in dates])
    quantities = read_quantities(blanked)
    figures = [(each.start, each.start + len(each.text)) for each in quantities]
    return Claims(
        text=shown,
        quantities=tuple(quantities),
        dates=tuple(dates),
        names=_names(shown, without_dates=blanked),
        quoted=tuple(_squeezed(a or b or c) for a, b, c in _QUOTED.findall(shown)),
        terms=terms_of(_blanked(blanked, figures)),
        negations=len(_NEGATION.findall(shown)),
        is_hedged=bool(HEDGE.search(shown)),
    )


def terms_of(text: str) -> frozenset[str]:
    """Return the terms by which a text is compared; numbers are compared as numbers."""
    return frozenset(term for term in analyze(text) if not any(c.isdigit() for c in term))


def squeezed(text: str) -> str:
    """Return a text by which wording is compared: one form, no case, no space and punctuation."""
    return _squeezed(one_form(text))


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with blanks in place of what is read already."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _names(text: str, *, without_dates: str) -> tuple[str, ...]:
    """Return codes and names; a month is no name, but a code may look like a date."""
    found = [match.group() for match in _CODE.finditer(text)]
    found += [match.group() for match in _KATAKANA.finditer(text)]
    for match in _NAME.finditer(text):
        if not without_dates[match.start() : match.end()].strip():
            continue
        words = match.group().split()
        # A capital at the beginning of a sentence says nothing, unless more of them follow.
        begins = not text[: match.start()].rstrip(" \"'“‘(").strip() or text[
            : match.start()
        ].rstrip().endswith((".", "!", "?", "·", ":", "。"))
        while words and words[0].casefold() in _OPENERS:
            words = words[1:]
        if len(words) == 1 and begins:
            continue
        if words:
            found.append(" ".join(words))
    return tuple(dict.fromkeys(found))
