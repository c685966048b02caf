"""Numbers and dates of a sentence, looked up in the places of its passages."""

from __future__ import annotations

from collections.abc import Sequence

from agents.verdicts.claims import Claims
from agents.verdicts.dates import Date
from agents.verdicts.numbers import SCALE_WORDS, Quantity
from agents.verdicts.values import Passage, Place, Reason


def quantity_reasons(
    claim: Claims,
    fitting: Sequence[Place],
    places: Sequence[Place],
    passages: Sequence[Passage],
) -> list[Reason]:
    """Return what is wrong with the numbers of a sentence: `fitting` are the places it is about."""
    here = [each for place in fitting for each in _figures(place.claims)]
    anywhere = [each for place in places for each in _figures(place.claims)]
    scaled = " ".join(f"{each.heading} {each.text}" for each in passages).casefold()
    found = (_judge_figure(each, claim, here, anywhere, scaled) for each in claim.quantities)
    return [each for each in found if each is not None]


def _judge_figure(
    figure: Quantity,
    claim: Claims,
    here: Sequence[Quantity],
    anywhere: Sequence[Quantity],
    scaled: str,
) -> Reason | None:
    rivals = [each for each in here if each.unit == figure.unit and not each.is_spelled]
    if figure.is_spelled:
        return None  # "one" and "first" are said too often to be looked up
    matching = [each for each in here if figure.same(each) or _scaled(figure, each, scaled)]
    if matching:
        # 3 is not found in 第三 where the place has another figure that the sentence leaves out.
        rival = _taken_for(figure, claim, rivals) if _all_spelled(matching) else None
        if rival is None:
            return None
        return Reason(code="number_differs", claimed=figure.text, found=rival.text)
    rounded = [each for each in here if figure.rounds(each)]
    if rounded:
        if claim.is_hedged:
            return None
        return Reason(code="number_rounded", claimed=figure.text, found=rounded[0].text)
    equal = [each for each in here if figure.equals(each) or figure.bare == each.bare]
    if equal:
        return Reason(code="unit_differs", claimed=figure.text, found=equal[0].text)
    if any(figure.same(each) or _scaled(figure, each, scaled) for each in anywhere):
        rival = _taken_for(figure, claim, rivals)
        if rival is None:
            return Reason(code="number_elsewhere", claimed=figure.text)
        return Reason(code="number_differs", claimed=figure.text, found=rival.text)
    return Reason(
        code="number_differs", claimed=figure.text, found=rivals[0].text if rivals else ""
    )


def _taken_for(figure: Quantity, claim: Claims, rivals: Sequence[Quantity]) -> Quantity | None:
    """Return the figure of the fitting place that the sentence has no equal of: its rival."""
    for each in rivals:
        if not any(other.same(each) for other in claim.quantities if other is not figure):
            return each
    return None


def _all_spelled(figures: Sequence[Quantity]) -> bool:
    return all(each.is_spelled for each in figures)


def _figures(claims: Claims) -> list[Quantity]:
    """Return the numbers of a place; its years, days and months count as numbers, too."""
    parts = [
        Quantity(value=float(value), unit="", text=date.text, start=date.start, bare=float(value))
        for date in claims.dates
        for value in (date.year, date.month, date.day)
        if value is not None
    ]
    return [*claims.quantities, *parts]


def _scaled(figure: Quantity, other: Quantity, scaled: str) -> bool:
    """Say whether a bare figure of a table is meant in what its head says: "in millions"."""
    if figure.value == figure.bare or abs(figure.bare - other.value) > 1e-6 * max(1, figure.bare):
        return False
    words = SCALE_WORDS.get(figure.value / figure.bare, ())
    return any(word in scaled for word in words)


def date_reasons(claim: Claims, fitting: Sequence[Place], places: Sequence[Place]) -> list[Reason]:
    """Return what is wrong with the dates of a sentence."""
    reasons = []
    for date in claim.dates:
        here = [each for place in fitting for each in place.claims.dates]
        if any(date.within(each) for each in here) or _is_figure(date, fitting):
            continue
        others = [each for each in here if date.contradicts(each) or _is_vaguer(each, date)]
        elsewhere = any(date.within(each) for place in places for each in place.claims.dates)
        if elsewhere and not others:
            reasons.append(Reason(code="date_elsewhere", claimed=date.text))
        else:
            found = others[0].text if others else ""
            reasons.append(Reason(code="date_differs", claimed=date.text, found=found))
    return reasons


def _is_figure(date: Date, fitting: Sequence[Place]) -> bool:
    """Say whether a bare year stands in a fitting place as a number, as cells of tables do."""
    if date.month is not None or date.day is not None or date.year is None:
        return False
    return any(each.value == date.year for place in fitting for each in place.claims.quantities)


def _is_vaguer(other: Date, date: Date) -> bool:
    return other.year == date.year and (other.month is None or other.day is None)
