"""Two revisions of a page beside each other: in rows, in one column, or as they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlencode

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, ngettext

from accounts.access import Actor
from core.errors import Conflict
from core.textdiff import InlineRow, Line, Piece, Row, inline_rows, marked
from wiki.constants import PageKind, PageStatus
from wiki.models import WikiPage, WikiRevision
from wiki.pages.sources import visible_text
from wiki.pages.writing import text_of
from wiki.queries import revision_of
from wiki.rendering import render_page
from wiki.services.history import get_revision
from wiki.text.comparing import CONTEXT_LINES, Comparison, Listed, compare_texts
from wiki.values import PageText

View = Literal["rows", "read"]


@dataclass(frozen=True, kw_only=True)
class Part:
    """Rows that stand together: a change with its surroundings, or a fold."""

    rows: tuple[Row, ...]
    inline: tuple[InlineRow, ...]
    number: int
    """From 1, of changes: `#h1`."""
    skipped: int = 0
    unfold: str = ""
    """Of a fold: what its link says."""
    heading: str = ""


@dataclass(frozen=True, kw_only=True)
class Other:
    """Something beside the text that changed."""

    label: str
    old: SafeString | str
    new: SafeString | str


def compare_context(
    actor: Actor,
    page: WikiPage,
    *,
    old: int,
    new: int,
    ignore_blanks: bool,
    is_whole: bool,
    view: View,
) -> dict[str, Any]:
    """Return what `wiki/compare.html` takes but the head.

    Sentences whose sources the reader may not read are in neither text.

    Raises:
        NotFound: there is no such revision. Conflict: the text of one was thinned out.
    """
    before, after = get_revision(actor, page.pk, old), get_revision(actor, page.pk, new)
    texts = _text(actor, page, before), _text(actor, page, after)
    found = compare_texts(
        *texts, context=None if is_whole else CONTEXT_LINES, ignore_blanks=ignore_blanks
    )
    context: dict[str, Any] = {
        "page": page,
        "old": before,
        "new": after,
        "comparison": found,
        "others": list(others_of(found)),
        "ignore_blanks": ignore_blanks,
        "is_whole": is_whole,
        "view": view,
        "earlier": revision_of(page, old - 1) if old > 1 else None,
    }
    if view == "read":
        context["sides"] = [
            render_page(actor, page.base_id, text.content, changed=lines)
            for text, lines in zip(texts, _changed_lines(found.rows), strict=True)
        ]
    else:
        parts = tuple(parts_of(found.rows))
        context["parts"] = parts
        context["unfolded_url"] = _unfolded_url(old, new, ignore_blanks=ignore_blanks)
        context["hunk_total"] = sum(1 for part in parts if part.number)
    return context


def parts_of(rows: Sequence[Row]) -> Iterator[Part]:
    """Yield the rows in stretches: changes with what is around them, folds between them."""
    together: list[Row] = []
    number = 0
    for row in rows:
        if row.kind == "left_out":
            if together:
                number += 1
                yield _part(together, number)
                together = []
            yield Part(
                rows=(),
                inline=(),
                number=0,
                skipped=row.skipped,
                unfold=_unfold(row.skipped),
                heading=row.heading,
            )
            continue
        together.append(row)
    if together:
        is_changed = any(row.kind != "same" for row in together)
        yield _part(together, number + 1 if is_changed else 0)


def _unfolded_url(old: int, new: int, *, ignore_blanks: bool) -> str:
    asked = {"from": old, "to": new, "all": 1} | ({"blanks": "ignore"} if ignore_blanks else {})
    return f"?{urlencode(asked)}"


def _changed_lines(rows: Sequence[Row]) -> tuple[frozenset[int], frozenset[int]]:
    changed = [row for row in rows if row.kind not in ("same", "left_out")]
    return (
        frozenset(row.old.number for row in changed if row.old),
        frozenset(row.new.number for row in changed if row.new),
    )


def _unfold(lines: int) -> str:
    words = ngettext("Show %(n)s equal line", "Show %(n)s equal lines", lines)
    return words % {"n": lines}


def _part(rows: list[Row], number: int) -> Part:
    return Part(rows=tuple(rows), inline=inline_rows(rows), number=number)


def _text(actor: Actor, page: WikiPage, revision: WikiRevision) -> PageText:
    if revision.thinned_at is not None:
        raise Conflict(
            _("The text of revision %(n)s was thinned out, as the wiki's settings have it.")
            % {"n": revision.number}
        )
    text = text_of(revision)
    seen = visible_text(actor, page, text.content)
    summary = visible_text(actor, page, text.summary)
    return replace(text, content=seen.content, summary=summary.content.strip())


def others_of(found: Comparison) -> Iterator[Other]:
    """Yield what changed beside the text."""
    for label, words in ((_("Title"), found.title), (_("Summary"), found.summary)):
        if words:
            yield Other(label=label, old=_marked(words.old, "old"), new=_marked(words.new, "new"))
    if found.slug:
        yield Other(label=_("Address"), old=found.slug[0], new=found.slug[1])
    if found.kind:
        yield Other(label=_("Kind"), old=_kind(found.kind[0]), new=_kind(found.kind[1]))
    if found.status:
        yield Other(label=_("State"), old=_status(found.status[0]), new=_status(found.status[1]))
    lists: tuple[tuple[str, Listed], ...] = (
        (_("Other names"), found.aliases),
        (_("Links to pages"), found.links),
        (_("Links to the web"), found.addresses),
        (_("Pictures"), found.pictures),
    )
    for label, listed in lists:
        if listed.is_changed:
            yield Other(
                label=label,
                old=_marked(
                    [Piece(each, is_changed=True) for each in _apart(listed.removed)], "old"
                ),
                new=_marked([Piece(each, is_changed=True) for each in _apart(listed.added)], "new"),
            )


def _apart(words: Sequence[str]) -> list[str]:
    return [each if not number else f" · {each}" for number, each in enumerate(words)]


def _marked(pieces: Sequence[Piece], side: Literal["old", "new"]) -> SafeString:
    return marked(Line(number=1, pieces=tuple(pieces)), side=side)


def _kind(value: str) -> str:
    return str(PageKind(value).label)


def _status(value: str) -> str:
    return str(PageStatus(value).label)
