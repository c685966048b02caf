"""Rules that approve a proposal without a person, where a base's settings name them.

Each is for edits of pages that stand: none lets a page appear, vanish or move. The rule's name stays
with the change request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from rapidfuzz.distance import Levenshtein

from core.textdiff import diff_words
from knowledge.models import Chunk
from wiki.changes.requests import Proposal, text_of_page
from wiki.changes.risks import unsourced_sentences
from wiki.constants import ChangeAction
from wiki.models import WikiPage
from wiki.text.links import replace_links
from wiki.text.losses import Losses, losses
from wiki.text.sentences import split_sentences
from wiki.values import Edit

SMALL_UP_TO: Final = 120
"""Characters that change, added and removed together."""
_MOST_TYPOS: Final = 12
_WORD: Final = re.compile(r"\w+")
_Test = Callable[[WikiPage, Edit], bool]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """When a proposal needs no person."""

    name: str
    label: Any
    holds: _Test


def _sourced_additions(page: WikiPage, edit: Edit) -> bool:
    """Every sentence stays in its order, and each new one names a passage of the base."""
    had = [sentence.hash for sentence in split_sentences(page.content)]
    has = [sentence.hash for sentence in split_sentences(edit.text.content)]
    left = iter(has)
    if not all(sentence in left for sentence in had) or len(has) == len(had):
        return False
    if _lost(page, edit).is_any or unsourced_sentences(page.content, edit):
        return False
    if not _only_content(page, edit):
        return False
    cited = {chunk for name in has for chunk in edit.sources.get(name, ())}
    return Chunk.objects.filter(pk__in=cited, base_id=page.base_id).count() == len(cited)


def _small_edit(page: WikiPage, edit: Edit) -> bool:
    changed = _changed(page.content, edit.text.content)
    return (
        _only_content(page, edit)
        and 0 < sum(len(word) for pair in changed for word in pair) <= SMALL_UP_TO
        and not _lost(page, edit).is_any
        and not _lost(page, edit, back=True).figures
        and not _lost(page, edit, back=True).dates
    )


def _typos(page: WikiPage, edit: Edit) -> bool:
    """The same number of words, a few of them one or two letters other; no figure among them."""
    was, now = _WORD.findall(page.content), _WORD.findall(edit.text.content)
    pairs = [pair for pair in zip(was, now, strict=False) if pair[0] != pair[1]]
    return (
        _only_content(page, edit)
        and len(was) == len(now)
        and 0 < len(pairs) <= _MOST_TYPOS
        and _WORD.sub("w", page.content) == _WORD.sub("w", edit.text.content)
        and all(
            old.isalpha() and new.isalpha() and len(old) > 3 and Levenshtein.distance(old, new) <= 2
            for old, new in pairs
        )
    )


def _links_only(page: WikiPage, edit: Edit) -> bool:
    """The words stay; links between pages come or go."""
    return (
        _only_content(page, edit)
        and page.content != edit.text.content
        and _without_links(page.content) == _without_links(edit.text.content)
    )


RULES: Final[Mapping[str, Rule]] = {
    rule.name: rule
    for rule in (
        Rule(
            name="sourced_additions",
            label=_("Only new sentences, each with a source in this base"),
            holds=_sourced_additions,
        ),
        Rule(
            name="small_edits",
            label=_("Small edits that lose no fact, link or picture and change no figure"),
            holds=_small_edit,
        ),
        Rule(name="typos", label=_("Spelling: a letter or two in a few words"), holds=_typos),
        Rule(name="links_only", label=_("Only links between pages"), holds=_links_only),
    )
}
"""By name, in the order in which they are asked."""


def rule_for(proposal: Proposal, names: Sequence[str]) -> Rule | None:
    """Return the first of the named rules that approves the proposal."""
    page = proposal.page
    if page is None or proposal.action != ChangeAction.EDIT:
        return None
    if page.version != proposal.on_version:
        return None
    chosen = (rule for name, rule in RULES.items() if name in names)
    return next((rule for rule in chosen if rule.holds(page, proposal.edit)), None)


def _only_content(page: WikiPage, edit: Edit) -> bool:
    return text_of_page(page) == replace(edit.text, content=page.content)


def _lost(page: WikiPage, edit: Edit, *, back: bool = False) -> Losses:
    old, new = page.content, edit.text.content
    return losses(new, old) if back else losses(old, new)


def _changed(old: str, new: str) -> list[tuple[str, str]]:
    left, right = diff_words(old, new)
    return [(piece.text, "") for piece in left if piece.is_changed] + [
        ("", piece.text) for piece in right if piece.is_changed
    ]


def _without_links(content: str) -> str:
    return replace_links(content, lambda link: link.name or link.slug)
