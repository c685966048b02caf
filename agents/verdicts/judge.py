"""Judges a sentence by the passages it cites, without a model: numbers, dates, names, wording.

A number, date or unit that no fitting place of the passages has makes a sentence unsupported,
however well its words fit. What words cannot decide (another language, a free rewording) is never
called supported: it is `partly`, and a model may look at it (`entailment`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from agents.verdicts.claims import DIRECTIONS, Claims, read_claims, squeezed
from agents.verdicts.figures import date_reasons, quantity_reasons
from agents.verdicts.sentences import Sentence, plain
from agents.verdicts.values import Judgement, Passage, Place, Reason, State
from agents.verdicts.windows import windows_of
from knowledge.text.analyze import share_language

DECISIVE: frozenset[str] = frozenset(
    {"number_differs", "unit_differs", "date_differs", "no_source", "passage_not_kept"}
)
"""Reasons that no model may overrule; all but the last make a sentence unsupported."""
SUPPORTED_COVERAGE = 0.8
"""Share of a sentence's terms, weighted by rarity, that fitting places have."""
PARTLY_COVERAGE = 0.45
_FITTING = 0.6
"""A place fits that covers this share of what the best one covers."""
_LEAST_FIT = 0.2
_WHOLE = 0.9
"""A place that covers so much is what the sentence is about; others do not fit beside it."""
_CLOSE = 0.4
"""A place that is like the sentence: then it matters that it says the opposite."""
_VERBATIM_CHARACTERS = 8


def judge(
    sentence: Sentence,
    passages: Sequence[Passage],
    *,
    cited_elsewhere: frozenset[int] = frozenset(),
) -> Judgement:
    """Return the verdict on a sentence.

    Args:
        sentence: what is judged.
        passages: all that the answer cites.
        cited_elsewhere: markers of sources of which no passage is kept.
    """
    cited = [each for each in passages if each.marker in sentence.markers]
    if not cited and cited_elsewhere.intersection(sentence.markers):
        return Judgement(state="partly", reasons=(Reason(code="passage_not_kept"),))
    if not passages or (sentence.markers and not cited):
        return Judgement(state="unsupported", reasons=(Reason(code="no_source"),))
    own = cited or list(passages)
    verdict = _held_against(sentence, own)
    others = [each for each in passages if each not in own]
    if verdict.state != "supported" and others:
        elsewhere = _held_against(sentence, others)
        if elsewhere.state == "supported":
            reasons = (Reason(code="other_source"),)
            return Judgement(state="partly", reasons=reasons, markers=elsewhere.markers)
    return verdict


def _held_against(sentence: Sentence, passages: Sequence[Passage]) -> Judgement:
    markers = tuple(each.marker for each in passages)
    claim = read_claims(sentence.text)
    if _is_verbatim(sentence, passages):
        return Judgement(state="supported", markers=markers, is_verbatim=True)
    places, words = _places(claim, passages)
    best = max((each.coverage for each in places), default=0.0)
    share = _WHOLE if best >= _WHOLE else _FITTING
    fitting = [each for each in places if each.coverage >= max(share * best, _LEAST_FIT)]
    reasons = [
        *quantity_reasons(claim, fitting or places, places, passages),
        *date_reasons(claim, fitting or places, places),
        *_name_reasons(claim, passages),
        *_way_reasons(claim, fitting),
    ]
    comparable = share_language(sentence.text, " ".join(each.text for each in passages))
    if not comparable:
        reasons.append(Reason(code="other_language"))
    elif words < SUPPORTED_COVERAGE:
        reasons.append(Reason(code="words_missing"))
    return Judgement(
        state=_state(reasons, words if comparable else 1.0), reasons=tuple(reasons), markers=markers
    )


def _state(reasons: Sequence[Reason], words: float) -> State:
    if any(each.code in DECISIVE for each in reasons) or words < PARTLY_COVERAGE:
        return "unsupported"
    return "partly" if reasons else "supported"


def _is_verbatim(sentence: Sentence, passages: Sequence[Passage]) -> bool:
    wanted = squeezed(sentence.text)
    if len(wanted) < _VERBATIM_CHARACTERS:
        return False
    # Wording without its punctuation could join two numbers to one: they have to be there, too.
    return any(wanted in squeezed(plain(each.text)) for each in passages) and all(
        any(figure.equals(each) for text in passages for each in read_claims(text.text).quantities)
        for figure in read_claims(sentence.text).quantities
        if not figure.is_spelled
    )


def _places(claim: Claims, passages: Sequence[Passage]) -> tuple[list[Place], float]:
    """Return the places with what each covers, and what the fitting ones cover together."""
    read = [
        (passage.marker, read_claims(text))
        for passage in passages
        for text in windows_of(passage.text)
    ]
    frequency = Counter(term for _marker, claims in read for term in claims.terms)
    weights = {term: math.log(1 + (len(read) + 2) / (frequency[term] + 1)) for term in claim.terms}
    whole = sum(weights.values()) or 1.0
    places = [
        Place(
            marker=marker,
            claims=claims,
            coverage=sum(weights[term] for term in claim.terms & claims.terms) / whole
            if claim.terms
            else 1.0,
        )
        for marker, claims in read
    ]
    best = max((each.coverage for each in places), default=0.0)
    near = [each for each in places if each.coverage >= max(_FITTING * best, _LEAST_FIT) / 2]
    headings = frozenset(term for each in passages for term in read_claims(each.heading).terms)
    covered = headings.union(*(each.claims.terms for each in near)) & claim.terms
    return places, (sum(weights[term] for term in covered) / whole if claim.terms else 1.0)


def _name_reasons(claim: Claims, passages: Sequence[Passage]) -> list[Reason]:
    held = squeezed(" ".join(f"{each.heading} {plain(each.text)}" for each in passages))
    reasons = []
    for name in claim.names:
        words = [squeezed(word) for word in name.split() if len(word) > 1]
        if not all(word.removesuffix("s") in held for word in words if word):
            reasons.append(Reason(code="name_missing", claimed=name))
    for quoted in claim.quoted:
        if quoted not in held:
            reasons.append(Reason(code="quote_differs", claimed=quoted))
    return reasons


def _way_reasons(claim: Claims, fitting: Sequence[Place]) -> list[Reason]:
    """Return where the sentence says the opposite of the places it is like."""
    close = [each for each in fitting if each.coverage >= _CLOSE]
    if not close:
        return []
    reasons: list[Reason] = []
    if all(_denies_otherwise(claim, each.claims) for each in close):
        reasons.append(Reason(code="negation_differs"))
    for pair in DIRECTIONS:
        for way, opposite in (pair, pair[::-1]):
            said = way.search(claim.text)
            if said is None or opposite.search(claim.text):
                continue
            if not any(way.search(each.claims.text) for each in close):
                against = next(
                    (found for each in close if (found := opposite.search(each.claims.text))), None
                )
                if against:
                    reasons.append(
                        Reason(code="direction_differs", claimed=said[0], found=against[0])
                    )
    return reasons


def _denies_otherwise(claim: Claims, place: Claims) -> bool:
    """Say whether only one of both denies; of two that say the same, how often counts."""
    shared = len(claim.terms & place.terms)
    if shared >= _WHOLE * max(len(claim.terms), len(place.terms)):
        return claim.negations != place.negations
    return (claim.negations > 0) != (place.negations > 0)
