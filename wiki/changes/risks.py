"""Signs that a reviewer should look at: what a proposal loses, contradicts or leaves unsourced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _
from rapidfuzz import fuzz

from core.textdiff import characters_changed
from wiki.changes.rights import is_machine
from wiki.constants import ChangeAction
from wiki.models import WikiPage, WikiSentence
from wiki.text.losses import dates_of, figures_of, losses
from wiki.text.sentences import plain_sentence, split_sentences
from wiki.values import Edit

SHRINKS_FROM: Final = 0.2
"""Share of its text that a page may get shorter by without a sign."""
LARGE_FROM: Final = 4_000
"""Characters added and removed together."""
_MOST_NAMED: Final = 8
_ALIKE: Final = 72.0
"""Of 100: two sentences say the same thing with other figures."""


class RiskSign(models.TextChoices):
    """What may be wrong with a proposal."""

    DELETES = "deletes", _("The page would be deleted")
    RENAMES = "renames", _("The page would have another address")
    EMPTIED = "emptied", _("Nothing would be left of the text")
    FACTS_REMOVED = "facts_removed", _("Facts would go")
    CONTRADICTS = "contradicts", _("Figures or dates would be others")
    SHRINKS = "shrinks", _("The page would get much shorter")
    LINKS_DROPPED = "links_dropped", _("Links would go")
    IMAGES_DROPPED = "images_dropped", _("Pictures would go")
    NO_SOURCES = "no_sources", _("New sentences without a source")
    LARGE = "large", _("Much would change at once")


@dataclass(frozen=True, kw_only=True)
class Risk:
    """One sign, with what it is about: names and figures of the texts, no sentence of ours."""

    sign: RiskSign
    detail: str = ""


def find_risks(page: WikiPage | None, edit: Edit, action: ChangeAction) -> list[Risk]:
    """Return the signs of an edit made on the page as it is now, the gravest first."""
    if action == ChangeAction.DELETE:
        return [Risk(sign=RiskSign.DELETES)]
    return list(_risks(page, edit))


def stored_risks(risks: Sequence[Risk]) -> list[dict[str, str]]:
    """Return signs as a change request keeps them."""
    return [{"sign": risk.sign.value, "detail": risk.detail} for risk in risks]


def read_risks(rows: Sequence[dict[str, str]]) -> list[Risk]:
    """Return the signs that a change request keeps; unknown names are left out."""
    return [
        Risk(sign=RiskSign(row["sign"]), detail=row.get("detail", ""))
        for row in rows
        if row.get("sign") in RiskSign.values
    ]


def _risks(page: WikiPage | None, edit: Edit) -> Iterator[Risk]:
    old, new = page.content if page else "", edit.text.content
    if page is not None and page.slug != edit.text.slug:
        yield Risk(sign=RiskSign.RENAMES, detail=f"{page.slug} → {edit.text.slug}")
    lost = losses(old, new, sourced=_sourced(page))
    if lost.is_emptied:
        yield Risk(sign=RiskSign.EMPTIED)
    if lost.facts:
        yield Risk(sign=RiskSign.FACTS_REMOVED, detail=_named(lost.facts))
    others = other_figures(old, new)
    if others:
        yield Risk(sign=RiskSign.CONTRADICTS, detail=_named(others))
    if lost.shrink > SHRINKS_FROM:
        yield Risk(sign=RiskSign.SHRINKS, detail=f"−{lost.shrink:.0%}")
    if lost.links:
        yield Risk(sign=RiskSign.LINKS_DROPPED, detail=_named(lost.links))
    if lost.images:
        yield Risk(sign=RiskSign.IMAGES_DROPPED, detail=_named(lost.images))
    if is_machine(edit.author) and (unsourced := unsourced_sentences(old, edit)):
        yield Risk(sign=RiskSign.NO_SOURCES, detail=_named(unsourced))
    added, removed = characters_changed(old, new)
    if page is not None and added + removed > LARGE_FROM:
        yield Risk(sign=RiskSign.LARGE, detail=f"+{added} −{removed}")


def unsourced_sentences(old: str, edit: Edit) -> list[str]:
    """Return the new sentences of an edit that name no passage."""
    had = {sentence.hash for sentence in split_sentences(old)}
    return [
        plain_sentence(sentence.text)
        for sentence in split_sentences(edit.text.content)
        if sentence.hash not in had and not edit.sources.get(sentence.hash)
    ]


def other_figures(old: str, new: str) -> list[str]:
    """Return what figures and dates become where a sentence says the same otherwise."""
    before, after = _sentences(old), _sentences(new)
    gone = [text for name, text in before.items() if name not in after]
    come = [text for name, text in after.items() if name not in before]
    found: list[str] = []
    for text in gone[:200]:
        was = {*figures_of(text), *dates_of(text)}
        like = [(fuzz.ratio(_wordless(text), _wordless(other)), other) for other in come[:200]]
        score, other = max(like, default=(0.0, ""))
        now = {*figures_of(other), *dates_of(other)}
        if score >= _ALIKE and was - now and now - was:
            found.append(f"{', '.join(sorted(was - now))} → {', '.join(sorted(now - was))}")
    return found


def _sentences(text: str) -> dict[str, str]:
    return {each.hash: plain_sentence(each.text) for each in split_sentences(text)}


def _wordless(text: str) -> str:
    return "".join("#" if char.isdigit() else char for char in text)


def _sourced(page: WikiPage | None) -> set[str]:
    if page is None:
        return set()
    return set(WikiSentence.objects.filter(page=page).values_list("text_hash", flat=True))


def _named(values: Sequence[str]) -> str:
    shown = "; ".join(value[:120] for value in values[:_MOST_NAMED])
    left = len(values) - _MOST_NAMED
    return f"{shown}; … +{left}" if left > 0 else shown
