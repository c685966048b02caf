"""Dates of a text, in the forms of English, Chinese, Japanese and Korean, down to what is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.verdicts.numbers import han_value

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sept sep", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ERAS = {
    "民國": 1911,
    "民国": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "大正": 1911,
    "明治": 1867,
}
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})"
_HAN = "[\\d〇零一二三四五六七八九十]"
_PATTERNS: tuple[re.Pattern[str], ...] = (
    re.compile(rf"(?<![\d.]){_YEAR}[-/.](?P<month>[01]?\d)[-/.]{_DAY}(?!\d)"),
    re.compile(rf"\b(?P<month>{_MONTH})\.?\s+{_DAY}(?:\s*,\s*|\s+){_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b{_DAY}(?:\s+of)?\s+(?P<month>{_MONTH})\.?,?\s+{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b(?P<month>{_MONTH})\.?,?\s+(?:of\s+)?{_YEAR}\b", re.IGNORECASE),
    re.compile(rf"\b(?P<month>{_MONTH})\.?\s+{_DAY}\b(?!,?\s*\d)", re.IGNORECASE),
    re.compile(rf"\b{_DAY}(?:\s+of)?\s+(?P<month>{_MONTH})\b", re.IGNORECASE),
    re.compile(
        rf"(?P<era>{'|'.join(_ERAS)})\s?(?P<year>元|{_HAN}{{1,3}})\s?年"
        rf"(?:\s?(?P<month>{_HAN}{{1,3}})\s?月(?:\s?(?P<day>{_HAN}{{1,3}})\s?[日号號])?)?"
    ),
    re.compile(
        rf"(?<![\d,.〇零一二三四五六七八九十])(?P<year>{_HAN}{{4}})\s?[年년](?:\s?(?P<month>{_HAN}{{1,3}})\s?[月월]"
        rf"(?:\s?(?P<day>{_HAN}{{1,3}})\s?[日号號일])?)?"
    ),
    re.compile(rf"(?P<month>{_HAN}{{1,3}})\s?[月월]\s?(?P<day>{_HAN}{{1,3}})\s?[日号號일]"),
    re.compile(r"(?<![\d/])(?P<first>[01]?\d)/(?P<second>[0-3]?\d)/(?P<year>[12]\d{3})(?!\d)"),
    re.compile(
        r"(?<![\d.,$€£¥+])(?<![A-Za-z_])(?P<year>1[0-9]\d\d|20\d\d)(?P<decade>s)?(?![A-Za-z\d_])(?![.,]\d|\s?(?:%|[a-z]*\$))"
    ),
)


@dataclass(frozen=True, kw_only=True)
class Date:
    """A date as far as it is said; None stands for a part that is not."""

    year: int | None
    month: int | None = None
    day: int | None = None
    text: str
    start: int
    end: int
    is_decade: bool = False
    is_either_way: bool = False
    """Day and month could be the other way round: 02/07/2016."""

    def within(self, other: Date) -> bool:
        """Say whether everything said here is said there."""
        if self.is_decade != other.is_decade and self.is_decade:
            return False
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        if all(mine is None or mine == theirs for mine, theirs in pairs):
            return True
        if not (self.is_either_way or other.is_either_way) or self.year != other.year:
            return False
        return (self.month, self.day) == (other.day, other.month)

    def contradicts(self, other: Date) -> bool:
        """Say whether both say the same parts and one of them differs."""
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return any(mine and theirs and mine != theirs for mine, theirs in pairs)


def read_dates(text: str) -> list[Date]:
    """Return the dates of a text (NFKC) in their order; bare years count as dates."""
    found: list[Date] = []
    for pattern in _PATTERNS:
        for date in _read(pattern, text):
            if not any(date.start < each.end and each.start < date.end for each in found):
                found.append(date)
    return sorted(found, key=lambda each: each.start)


def _read(pattern: re.Pattern[str], text: str) -> Iterator[Date]:
    for match in pattern.finditer(text):
        parts = match.groupdict()
        either = "first" in parts
        month = _month(parts.get("first") or parts.get("month"))
        day = _number(parts.get("second") or parts.get("day"))
        if either and month and day and month > 12:
            month, day = day, month
        if (month and month > 12) or (day and day > 31):
            continue
        yield Date(
            year=_year(parts),
            month=month,
            day=day,
            text=match.group(),
            start=match.start(),
            end=match.end(),
            is_decade=bool(parts.get("decade")),
            is_either_way=either,
        )


def _year(parts: dict[str, str | None]) -> int | None:
    year = parts.get("year")
    if not year:
        return None
    era = parts.get("era")
    number = 1 if year == "元" else _number(year)
    return (number or 0) + _ERAS[era] if era else number


def _month(part: str | None) -> int | None:
    return _MONTHS.get(part.casefold()) or _number(part) if part else None


def _number(part: str | None) -> int | None:
    if not part:
        return None
    if part.isdecimal():
        return int(part)
    value = han_value(part)
    return None if value is None else int(value)
