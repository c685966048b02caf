"""Whether what building made of a page may be published: nothing that was there may get lost on the way.

A page that would be emptied is refused. Lost facts, links or pictures, and a page that gets shorter by
more than a fifth, make a proposal with the loss shown. What a changed or deleted document takes with
it is no loss, as long as the document does not say it still.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from wiki.text.losses import Losses, losses
from wiki.text.patch import sentences_named, without_sentences
from wiki.text.sentences import plain_sentence, split_sentences

MOST_SHRINK: Final = 0.2
_SHOWN: Final = 6


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What the guards say."""

    refusal: str = ""
    """Why nothing may come of it, not even a proposal; blank: something may."""
    doubts: tuple[str, ...] = ()
    """Why a person must look at it."""
    losses: Losses | None = None

    @property
    def may_publish(self) -> bool:
        """Whether nobody needs to look at it, as far as the guards are concerned."""
        return not self.refusal and not self.doubts


def judge(
    before: str,
    after: str,
    *,
    sourced: Collection[str],
    gone: Collection[str] = (),
    replaced: Mapping[str, str] | None = None,
    told_now: Sequence[str] = (),
) -> Judgement:
    """Judge a text that is to stand in the place of another.

    Args:
        before: the page as it is.
        after: the page as it would be.
        sourced: hashes of the sentences that rest on documents.
        gone: hashes of the sentences that their documents do not state any more.
        replaced: hashes of sentences that a changed document states otherwise now, with the words.
        told_now: what the changed document says now.
    """
    instead = replaced or {}
    allowed = {*gone, *instead}
    kept = without_sentences(before, sentences_named(before, allowed))
    found = losses(kept, after, sourced=sourced)
    if before.strip() and kept.strip() and not after.strip():
        return Judgement(refusal=_("It would have emptied the page."), losses=found)
    if not split_sentences(after) and split_sentences(kept):
        return Judgement(refusal=_("It would have left no sentence of the page."), losses=found)
    doubts = [*_doubts(found), *_lost_of_replaced(before, after, instead, told_now)]
    return Judgement(doubts=tuple(doubts), losses=found)


def _doubts(found: Losses) -> list[str]:
    doubts: list[str] = []
    if found.facts:
        doubts.append(_("Facts would be lost: %(what)s") % {"what": _listed(found.facts)})
    if found.links:
        doubts.append(_("Links would be lost: %(what)s") % {"what": _listed(found.links)})
    if found.images:
        doubts.append(_("Pictures would be lost: %(what)s") % {"what": _listed(found.images)})
    if found.shrink > MOST_SHRINK:
        doubts.append(
            _("The page would get shorter by %(share)d %%.") % {"share": round(found.shrink * 100)}
        )
    return doubts


def _lost_of_replaced(
    before: str, after: str, instead: Mapping[str, str], told_now: Sequence[str]
) -> list[str]:
    """Return what replaced sentences said that the document says still and the page would not."""
    lost: list[str] = []
    now = "".join("\n".join(told_now).split()).casefold()
    for sentence in sentences_named(before, instead):
        for fact in losses(plain_sentence(sentence.text), after).facts:
            if "".join(fact.split()).casefold() in now:
                lost.append(fact)
    if not lost:
        return []
    return [_("The document still says, the page would not: %(what)s") % {"what": _listed(lost)}]


def _listed(facts: Sequence[str]) -> str:
    shown = [fact if len(fact) <= 80 else fact[:79] + "…" for fact in dict.fromkeys(facts)]
    more = len(shown) - _SHOWN
    listed = " · ".join(shown[:_SHOWN])
    return listed + (f" · +{more}" if more > 0 else "")
