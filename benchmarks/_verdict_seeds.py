"""Answers of one sentence made from shared questions: true ones, and the same made wrong on purpose."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agents.verdicts.dates import read_dates
from agents.verdicts.numbers import one_form, read_quantities
from agents.verdicts.sentences import split_answer

Kind = Literal["true", "reworded", "number", "date", "unit", "swapped", "other passage", "opposite"]
WRONG: tuple[Kind, ...] = ("number", "date", "unit", "swapped", "other passage", "opposite")
CONTRADICTIONS: tuple[Kind, ...] = ("number", "date", "unit", "swapped")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_WHAT_WAS = re.compile(r"^What (is|was|were|are) (?:the )?(.{10,160})\?$")
_LONGEST = 400
_MAGNITUDE = re.compile(r"\b(million|billion|thousand)\b|(?<=\d)(万|亿|萬|億)")
_OTHER_MAGNITUDE = {
    "million": "billion", "billion": "million", "thousand": "million",
    "万": "亿", "亿": "万", "萬": "億", "億": "萬",
}  # fmt: skip
_UNIT = re.compile(
    r"(?<=\d)(\s?)(%|km|kilometres|kilometers|miles|metres|meters|feet|kg|公里|米|公尺|公斤|美元|元)(?![a-z])"
)
_OTHER_UNIT = {
    "%": " km", "km": "miles", "kilometres": "miles", "kilometers": "miles", "miles": "feet",
    "metres": "feet", "meters": "miles", "feet": "miles", "kg": "tonnes", "公里": "米", "米": "公里",
    "公尺": "公里", "公斤": "吨", "美元": "欧元", "元": "美元",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Case:
    """An answer with the one passage that it cites."""

    name: str
    lang: str
    kind: Kind
    answer: str
    passage: str
    was: str = ""
    """The true sentence of a wrong one."""


def true_cases(
    questions: Sequence[dict[str, Any]], documents: dict[str, dict[str, Any]]
) -> list[Case]:
    """Return sentences with figures that the passage has, and statements made from questions."""
    found: list[Case] = []
    seen: set[str] = set()
    for each in questions:
        if each["type"] == "extractive":
            for sentence in _sentences_with_figures(each["gold_passage"]):
                if sentence not in seen:
                    seen.add(sentence)
                    found.append(_case(each, "true", sentence, each["gold_passage"]))
        elif each["type"] == "table-span" and len(each["answers"]) == 1:
            statement = _statement(each)
            if statement:
                text = documents[each["gold_docs"][0]]["text"]
                found.append(_case(each, "reworded", statement, text))
    return found


def reworded(case: Case) -> Case | None:
    """Return the sentence with its dates and numbers in another form of the same value."""
    text = one_form(case.answer)
    for date in read_dates(text):
        if date.year and date.month and date.day and not date.is_either_way:
            other = f" {date.year}-{date.month:02}-{date.day:02} "
            if case.lang == "en":
                other = f"{date.day} {_MONTHS[date.month - 1]} {date.year}"
            if other != date.text:
                changed = text[: date.start] + other + text[date.end :]
                return _with(case, "reworded", changed)
    for match in re.finditer(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])", text):
        changed = text[: match.start()] + match[0].replace(",", "") + text[match.end() :]
        return _with(case, "reworded", changed)
    return None


def contradictions(case: Case, chance: random.Random) -> Iterator[Case]:
    """Yield the sentence with one number, date or unit made wrong, in each way that it allows."""
    for kind, changed in (
        ("date", _other_date(case, chance)),
        ("number", _other_number(case, chance)),
        ("unit", _other_unit(case)),
        ("swapped", _number_of_another_sentence(case, chance)),
    ):
        if changed and changed != one_form(case.answer):
            yield _with(case, kind, changed)  # type: ignore[arg-type]  # the four of the tuple


def opposite(case: Case) -> Case | None:
    """Return an English sentence denied, or a Chinese one with 没有 for its 有 or 不是 for its 是."""
    if case.lang == "en":
        changed, count = re.subn(r"\b(was|were|is|are|had)\b", r"\1 not", case.answer, count=1)
    else:
        changed, count = re.subn(
            r"(?<![不没还但只总就凡于])是(?!否|的)", "不是", case.answer, count=1
        )
    return _with(case, "opposite", changed) if count else None


def misplaced(case: Case, other: Case) -> Case:
    """Return the sentence with another document's passage."""
    return Case(
        name=case.name,
        lang=case.lang,
        kind="other passage",
        answer=case.answer,
        passage=other.passage,
        was=case.answer,
    )


def _sentences_with_figures(passage: str) -> Iterator[str]:
    for each in split_answer(passage):
        text = one_form(each.text)
        strong = [q for q in read_quantities(text) if not q.is_spelled]
        if 12 <= len(text) <= _LONGEST and (strong or read_dates(text)):
            yield each.text


def _statement(question: dict[str, Any]) -> str:
    match = _WHAT_WAS.match(question["question"].strip())
    answer = str(question["answers"][0])
    if match is None or not re.fullmatch(r"\$?[\d,.]+%?", answer):
        return ""
    scale = question.get("scale", "")
    if scale == "percent" and not answer.endswith("%"):
        answer += " percent"
    elif scale:
        answer += f" {scale}"
    return f"The {match[2]} {match[1]} {answer}."


def _other_date(case: Case, chance: random.Random) -> str:
    text = one_form(case.answer)
    dates = [each for each in read_dates(text) if each.year or each.month]
    if not dates:
        return ""
    date = chance.choice(dates)
    shown = date.text
    if date.day and chance.random() < 0.5:
        day = str(date.day)
        other = str(date.day % 28 + 1)
        at = shown.rfind(day) if case.lang != "en" else re.search(rf"(?<!\d){day}(?!\d)", shown)
        start = at if isinstance(at, int) else (at.start() if at else -1)
        changed = shown[:start] + other + shown[start + len(day) :] if start >= 0 else shown
    elif date.year and str(date.year) in shown:
        shift = chance.choice((-10, -3, -1, 1, 2, 7))
        changed = shown.replace(str(date.year), str(date.year + shift), 1)
    else:
        return ""
    if one_form(changed) in one_form(case.passage):
        return ""
    return text[: date.start] + changed + text[date.end :]


def _other_number(case: Case, chance: random.Random) -> str:
    text = one_form(case.answer)
    dates = read_dates(text)
    numbers = [
        match
        for match in re.finditer(r"\d+(?:[.,]\d+)*", text)
        if not any(each.start <= match.start() < each.end for each in dates)
        and not re.search(r"[A-Za-z/_-]$", text[: match.start()])
    ]
    if not numbers:
        return ""
    match = chance.choice(numbers)
    changed = _changed_number(match[0], chance)
    if re.search(rf"(?<![\d.,]){re.escape(changed)}(?![\d])", one_form(case.passage)):
        return ""
    return text[: match.start()] + changed + text[match.end() :]


def _changed_number(number: str, chance: random.Random) -> str:
    if chance.random() < 0.25:
        return f"{number}0" if number.isdigit() else number.replace(".", "", 1)
    places = [at for at, character in enumerate(number) if character.isdigit()]
    at = chance.choice(places)
    lowest = 1 if at == 0 else 0
    digits = [d for d in "0123456789"[lowest:] if d != number[at]]
    return number[:at] + chance.choice(digits) + number[at + 1 :]


def _other_unit(case: Case) -> str:
    text = one_form(case.answer)
    match = _MAGNITUDE.search(text)
    if match:
        other = _OTHER_MAGNITUDE[match[0]]
        return text[: match.start()] + other + text[match.end() :]
    match = _UNIT.search(text)
    return text[: match.start(2)] + _OTHER_UNIT[match[2]] + text[match.end() :] if match else ""


def _number_of_another_sentence(case: Case, chance: random.Random) -> str:
    """Return the sentence with a number that the passage has in another sentence."""
    own = one_form(case.answer)
    mine = [q for q in read_quantities(_undated(own)) if not q.is_spelled and q.text.isdigit()]
    others = [
        q.text
        for each in split_answer(case.passage)
        if one_form(each.text) != own
        for q in read_quantities(_undated(one_form(each.text)))
        if q.text.isdigit()
    ]
    held = {float(number) for number in re.findall(r"\d+", own)}
    usable = [each for each in others if float(each) not in held]
    if not mine or not usable:
        return ""
    taken = chance.choice(mine)
    return own[: taken.start] + chance.choice(usable) + own[taken.start + len(taken.text) :]


def _undated(text: str) -> str:
    for each in read_dates(text):
        text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
    return text


def _case(question: dict[str, Any], kind: Kind, sentence: str, passage: str) -> Case:
    return Case(
        name=question["qid"], lang=question["lang"], kind=kind, answer=sentence, passage=passage
    )


def _with(case: Case, kind: Kind, answer: str) -> Case:
    return Case(
        name=case.name,
        lang=case.lang,
        kind=kind,
        answer=answer,
        passage=case.passage,
        was=case.answer,
    )
