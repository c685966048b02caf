"""Contexts of the pages that say how well files were read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.paginator import Page
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from accounts.access import Actor, may
from core.textdiff import Row, diff_lines
from knowledge.health.proposals import Proposal, other_engines
from knowledge.health.queries import document_pages
from knowledge.health.score import (
    Level,
    PageScore,
    SignalName,
    level_of,
    mean_confidence,
    reasons_of,
    score_document,
)
from knowledge.ingest.parse import EngineCard
from knowledge.ingest.read import kept_text, with_engine
from knowledge.models import Document, PageHealth
from knowledge.pages.labels import icon_of
from knowledge.parsers.contract import ParsedDocument

LEVEL_WORDS: dict[Level, Any] = {
    "good": gettext_lazy("good"),
    "fair": gettext_lazy("fair"),
    "weak": gettext_lazy("weak"),
}
REASON_WORDS: dict[SignalName, Any] = {
    "density": gettext_lazy("Much is drawn on the page, and little text was found."),
    "replaced": gettext_lazy("There are meaningless characters where letters should be."),
    "grid": gettext_lazy("Rows of a table were torn apart or glued together."),
    "layout": gettext_lazy("It was read as plain text: headings and tables were not seen."),
    "language": gettext_lazy("The words do not look like those of any language."),
    "ocr": gettext_lazy("It is a picture of text, and its letters were hard to tell apart."),
}
_CONTEXT_LINES = 2
_MOST_CHARACTERS = 60_000
"""Of a page, to be compared."""


@dataclass(frozen=True, kw_only=True)
class PageCell:
    """A page of a document, for `_health_strip.html`."""

    page: int
    confidence: float
    level: Level
    reasons: tuple[str, ...]

    @property
    def percent(self) -> int:
        """The confidence in per cent."""
        return _percent(self.confidence)

    @property
    def level_word(self) -> str:
        """The level in words."""
        return str(LEVEL_WORDS[self.level])


@dataclass(frozen=True, kw_only=True)
class WeakPage:
    """A row of the list of a base."""

    cell: PageCell
    document_id: UUID
    name: str
    folder: str
    icon: str
    correct_url: str
    picture_url: str
    may_change: bool
    is_whole: bool
    """The file has no pages: the row stands for all of it."""
    engines: tuple[EngineCard, ...]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The text of a page by two engines."""

    page: int
    pages: tuple[int, ...]
    rows: tuple[Row, ...]
    old: int
    new: int
    """Confidence of the page in per cent."""
    old_whole: int
    new_whole: int
    is_cut: bool


def health_of(actor: Actor, document_id: UUID) -> list[PageCell]:
    """Return the pages of a document for its strip; none while it was not read."""
    return [cell_of(row) for row in document_pages(actor, document_id)]


def cell_of(row: PageHealth) -> PageCell:
    """Return a page with its reasons in words."""
    return PageCell(
        page=row.page,
        confidence=row.confidence,
        level=level_of(row.confidence),
        reasons=reasons_in_words(row.signals),
    )


def reasons_in_words(signals: dict[str, float]) -> tuple[str, ...]:
    """Return why a page is less than good, the worst first."""
    return tuple(str(REASON_WORDS[name]) for name in reasons_of(signals))


def strip_context(actor: Actor, document_id: UUID) -> dict[str, Any]:
    """Return what `_health_strip.html` takes."""
    cells = health_of(actor, document_id)
    return {"health": cells, "health_words": _summary(cells), "pages_url": _viewer(document_id)}


def weak_rows(actor: Actor, page: Page[PageHealth]) -> list[WeakPage]:
    """Return the rows of a page of the list of a base."""
    documents = {row.document_id: row.document for row in page}
    changeable = {key for key, each in documents.items() if may(actor, "change", each)}
    engines = {key: other_engines(documents[key]) for key in changeable}
    return [
        WeakPage(
            cell=cell_of(row),
            document_id=row.document_id,
            name=row.document.name,
            folder=row.document.folder_path,
            icon=icon_of(row.document.file_type),
            correct_url=_viewer(row.document_id),
            picture_url=_picture(row),
            may_change=row.document_id in changeable,
            is_whole=not row.document.page_count,
            engines=engines.get(row.document_id, ()),
        )
        for row in page
    ]


def compare(
    document: Document, proposal: Proposal, *, wanted_page: int | None
) -> Comparison | None:
    """Return a page by both engines; None when a text is not there any more."""
    old, new = kept_text(document), kept_text(with_engine(document, proposal.engine.name))
    if old is None or new is None:
        return None
    before, after = score_document(old), score_document(new)
    pages = tuple(sorted({score.page for score in (*before, *after)}))
    worst = min(before, key=lambda score: score.confidence).page
    page = wanted_page if wanted_page in pages else worst
    texts = [_text(parsed, page, alone=len(pages) == 1) for parsed in (old, new)]
    return Comparison(
        page=page,
        pages=pages,
        rows=_differences(*texts),
        old=_confidence(before, page),
        new=_confidence(after, page),
        old_whole=_percent(mean_confidence(before)),
        new_whole=_percent(mean_confidence(after)),
        is_cut=max(map(len, texts)) > _MOST_CHARACTERS,
    )


def _confidence(scores: Iterable[PageScore], page: int) -> int:
    return _percent(next((score.confidence for score in scores if score.page == page), 0.0))


def _percent(confidence: float | None) -> int:
    return round(100 * (confidence or 0.0))


def _differences(old: str, new: str) -> tuple[Row, ...]:
    if old == new:
        return ()
    return diff_lines(old[:_MOST_CHARACTERS], new[:_MOST_CHARACTERS], context=_CONTEXT_LINES)


def _text(parsed: ParsedDocument, page: int, *, alone: bool) -> str:
    blocks = (
        block.markdown
        for block in parsed.blocks
        if not block.hidden and (alone or block.page == page)
    )
    lines = "\n".join(blocks).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _summary(cells: Sequence[PageCell]) -> str:
    """Say how many pages there are of each level."""
    if not cells:
        return ""
    counts = {level: sum(cell.level == level for cell in cells) for level in LEVEL_WORDS}
    total = ngettext("%(n)s page", "%(n)s pages", len(cells)) % {"n": f"{len(cells):,}"}
    parts = [
        _("%(count)s %(level)s") % {"count": f"{count:,}", "level": LEVEL_WORDS[level]}
        for level, count in counts.items()
        if count
    ]
    return f"{total}: {', '.join(parts)}"


def _viewer(document_id: UUID) -> str:
    """Return where the passages of a page are seen and corrected."""
    return _reverse("document_chunks", document_id) or reverse("document", args=[document_id])


def _picture(row: PageHealth) -> str:
    if not row.document.page_count:
        return ""
    return _reverse("document_page", row.document_id, row.page)


def _reverse(name: str, *arguments: object) -> str:
    try:
        return reverse(name, args=arguments)
    except NoReverseMatch:
        return ""
