"""A page as one reader gets it: its text with the marks of sources, and what stands around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString

from accounts.access import Actor, may, visible
from core.markdown_wiki import Rendered
from knowledge.evidence import Evidence
from knowledge.pages.labels import page_label
from knowledge.pictures.shown import passages_html
from wiki.changes.queries import open_changes_of
from wiki.constants import IssueState
from wiki.models import WikiIssue, WikiPage
from wiki.pages.sources import (
    SourcedSentence,
    markers_of_sentences,
    sentences_of,
    visible_summary,
    visible_text,
)
from wiki.queries import back_links
from wiki.rendering import Mark, page_url, render_page
from wiki.text.sentences import split_sentences

MOST_BACK_LINKS = 60


@dataclass(frozen=True, kw_only=True)
class SourceCard:
    """A passage that sentences of the page rest on."""

    number: int
    title: str
    location: str
    url: str
    quote: SafeString | str
    state: str
    """Blank, "changed" or "deleted"."""


@dataclass(frozen=True, kw_only=True)
class Fresh:
    """How well the page fits its sources."""

    sourced: int
    changed: int
    deleted: int
    hidden: int


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A page's text for one reader."""

    rendered: Rendered
    cards: list[SourceCard]
    fresh: Fresh
    content: str


def read_page(actor: Actor, page: WikiPage) -> Reading:
    """Return the page's text without what the actor may not read, its sentences marked."""
    if not markers_of_sentences(page):
        return _unsourced(actor, page)
    sentences = sentences_of(actor, page)
    content, hidden = astuple(visible_text(actor, page, page.content))
    by_marker: dict[int, Evidence] = {}
    for sentence in sentences:
        for source in sentence.sources:
            by_marker.setdefault(source.marker, source)
    numbers = {marker: number for number, marker in enumerate(by_marker, 1)}
    marks = marks_of(content, sentences, numbers, is_cut=bool(hidden))
    rendered = render_page(actor, page.base_id, content, marks=marks, origin=page.pk.hex)
    states = [{each.source_state for each in one.sources} for one in sentences if one.sources]
    fresh = Fresh(
        sourced=len(states),
        changed=sum("changed" in each for each in states),
        deleted=sum("deleted" in each and "changed" not in each for each in states),
        hidden=hidden,
    )
    return Reading(
        rendered=rendered, cards=_cards(by_marker, numbers), fresh=fresh, content=content
    )


def _unsourced(actor: Actor, page: WikiPage) -> Reading:
    rendered = render_page(actor, page.base_id, page.content)
    nothing = Fresh(sourced=0, changed=0, deleted=0, hidden=0)
    return Reading(rendered=rendered, cards=[], fresh=nothing, content=page.content)


def page_context(actor: Actor, page: WikiPage, *, has_changes: bool) -> dict[str, Any]:
    """Return what `wiki/page.html` takes but head and tree."""
    reading = read_page(actor, page)
    document = page.summarises
    issues = WikiIssue.objects.filter(page=page, state=IssueState.PENDING)
    documents = {card.title: card.url.partition("?")[0] for card in reading.cards if card.url}
    return {
        "page": page,
        "page_url": page_url(page.base_id, page.slug),
        "summary": visible_summary(actor, page),
        "rendered": reading.rendered,
        "cards": reading.cards,
        "origin": page.pk.hex,
        "fresh": reading.fresh,
        "source_documents": sorted(documents.items()),
        "summarised": document if document and may(actor, "view", document) else None,
        "back_links": _links(back_links(actor, page)[:MOST_BACK_LINKS]),
        "missing_total": reading.rendered.html.count('class="wiki-link is-missing"'),
        "open_changes": open_changes_of(actor, page) if has_changes else [],
        "open_issues": visible(actor, "view", issues).count(),
    }


def marks_of(
    content: str,
    sentences: list[SourcedSentence],
    numbers: dict[int, int],
    *,
    is_cut: bool,
) -> tuple[Mark, ...]:
    """Return where the numbers of the sources stand in a text, from which sentences were cut or not."""
    if not numbers:
        return ()
    if not is_cut:
        return tuple(
            Mark(at=each.sentence.end, number=numbers[source.marker])
            for each in sentences
            for source in each.sources
        )
    rests = {each.sentence.hash: each.sources for each in sentences}
    return tuple(
        Mark(at=sentence.end, number=numbers[source.marker])
        for sentence in split_sentences(content)
        for source in rests.get(sentence.hash, ())
    )


def _cards(by_marker: dict[int, Evidence], numbers: dict[int, int]) -> list[SourceCard]:
    shown = list(by_marker.values())
    pictured = [each for each in shown if each.document_id and each.pictures]
    html = dict(
        zip(
            (each.marker for each in pictured),
            passages_html(
                (each.document_id, each.marked_text) for each in pictured if each.document_id
            ),
            strict=True,
        )
    )
    return [
        SourceCard(
            number=numbers[each.marker],
            title=each.document_name,
            location=" · ".join(
                part
                for part in (
                    page_label(each.page_from, each.page_to),
                    " › ".join(each.heading_path),
                )
                if part
            ),
            url=_passage_url(each),
            quote=html.get(each.marker, each.text),
            state="" if each.source_state == "unchanged" else each.source_state,
        )
        for each in shown
    ]


def _passage_url(evidence: Evidence) -> str:
    if evidence.document_id is None:
        return ""
    address = reverse("document", args=[evidence.document_id])
    if evidence.chunk_id is None:
        return address
    return f"{address}?chunk={evidence.chunk_id}#chunk-{evidence.chunk_id}"


def _links(pages: Iterable[WikiPage]) -> list[dict[str, str]]:
    return [{"title": page.title, "url": page_url(page.base_id, page.slug)} for page in pages]
