"""Markdown to safe HTML, in the same dialect as static/js/markdown.js.

Raw HTML in the text is shown as text; the result goes through a sanitiser all the same. A parity test
renders tests/data/markdown.json on both sides and compares.
"""

from __future__ import annotations

import re

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from core.markdown_cjk import CjkInline
from core.markdown_html import PageRenderer

WORD_JOINER = "\u2060"
_CITATION = re.compile(r"\[([0-9]{1,2})\](?!\(|\[(?![0-9]{1,2}\]))")
"""`[1]`, and each of `[1][2]`; not the text of a link."""
_URL_HEAD = re.compile(r"(?<![A-Za-z0-9])https?\Z")
_URL_TAIL = re.compile(r"://[^\s<>\u3000-\u303f\uff00-\uffef\u201c\u201d\u2018\u2019`\\]+")
_URL_TRAIL = re.compile(r"[.,;:!?'\"*_~\])}]+\Z")
_LINK = re.compile(r"(?:https?:|mailto:|[/#?])", re.IGNORECASE)

_CLEANER = nh3.Cleaner(
    tags={
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "ul", "ol", "li"),
        *("a", "em", "strong", "s", "code", "pre", "img"),
        *("table", "thead", "tbody", "tr", "th", "td"),
        *("div", "header", "span", "button"),
    },
    attributes={
        "a": {"class", "href", "title", "rel", "data-cite", "aria-label"},
        "button": {"class", "type", "data-copy"},
        "code": {"class"},
        "div": {"class", "tabindex", "role", "aria-label", "data-lang"},
        "img": {"src", "alt", "title", "loading"},
        "ol": {"start"},
        "pre": {"tabindex"},
        "td": {"class"},
        "th": {"class", "scope"},
    },
    link_rel=None,
    url_schemes={"http", "https", "mailto"},
)


def render_markdown(text: str, *, run_id: str = "") -> SafeString:
    """Return `text` as HTML that is safe to put into a page.

    `[1]` becomes a link to `#src-<run_id>-1`, the card of that source; without a `run_id` it stays
    text, because in a document it is the document's own reference. Addresses of other schemes
    than http, https and mailto stay text; pictures of other hosts become links, because loading
    them would tell that host what was answered.
    """
    html = _MARKDOWN.render(text, {"run_id": run_id})
    return mark_safe(_CLEANER.clean(html))  # noqa: S308  # the sanitiser's output


def _cite(state: StateInline, silent: bool) -> bool:
    """Parse a citation. The chip stays on the line of the word before it."""
    if state.src[state.pos] != "[" or state.linkLevel or not state.env.get("run_id"):
        return False
    match = _CITATION.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.pending = state.pending.rstrip(" ")
        if state.pending or state.tokens:
            state.pending += WORD_JOINER
        state.push("cite", "a", 0).content = match[1]
    state.pos = match.end()
    return True


def _bare_url(state: StateInline, silent: bool) -> bool:
    """Link an address that stands in the text; it ends before CJK punctuation."""
    if state.src[state.pos] != ":" or state.linkLevel:
        return False
    before = state.src[max(0, state.pos - len("xhttps")) : state.pos]
    head = _URL_HEAD.search(before) if state.pending.endswith(before[-4:]) else None
    tail = _URL_TAIL.match(state.src, state.pos, state.posMax)
    if head is None or tail is None:
        return False
    rest = _trim_url(tail[0])
    url = state.md.normalizeLink(head[0] + rest)
    if len(rest) < len("://x") or not state.md.validateLink(url):
        return False
    if not silent:
        state.pending = state.pending[: -len(head[0])]
        state.push("link_open", "a", 1).attrs = {"href": url}
        state.push("text", "", 0).content = head[0] + rest
        state.push("link_close", "a", -1)
    state.pos += len(rest)
    return True


def _trim_url(url: str) -> str:
    """Leave the sentence's punctuation out, but keep `)` that closes one inside of the address."""
    trimmed = _URL_TRAIL.sub("", url)
    closes = url[len(trimmed) :].startswith(")") and trimmed.count("(") > trimmed.count(")")
    return f"{trimmed})" if closes else trimmed


def _is_link_allowed(url: str) -> bool:
    return _LINK.match(url.strip()) is not None


def build_markdown() -> MarkdownIt:
    """Return the dialect of all our texts; `core.markdown_wiki` adds to it."""
    markdown = MarkdownIt(
        "js-default", {"html": False, "linkify": False}, renderer_cls=PageRenderer
    )
    markdown.disable(["replacements", "smartquotes", "linkify"])
    markdown.inline = CjkInline.like(markdown.inline)
    markdown.inline.ruler.before("link", "cite", _cite)
    markdown.inline.ruler.before("link", "bare_url", _bare_url)
    markdown.validateLink = _is_link_allowed  # type: ignore[method-assign]  # the documented hook
    return markdown


_MARKDOWN = build_markdown()
