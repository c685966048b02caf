"""Markdown of wiki pages: our dialect, and links between pages, marks of sources, parts to jump to.

Knows no table: who renders says where each link leads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from core.markdown import WORD_JOINER, build_markdown

DEEPEST_PART: Final = 4
_MARK_SIGN: Final = "\ue000"
_MARK: Final = re.compile(rf"\[{_MARK_SIGN}([0-9]{{1,4}})\]")
_LINK: Final = re.compile(
    r"\[\[([^\[\]|#\n\\]{1,200})(#[^\[\]|\n\\]{0,200})?(?:\\?\|([^\[\]\n]{0,512}))?\]\]"
)
_NOT_IN_A_PART: Final = re.compile(r"[^\w\- ]+")

_CLEANER = nh3.Cleaner(
    tags={
        *("h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "blockquote", "ul", "ol", "li"),
        *("a", "em", "strong", "s", "code", "pre", "img"),
        *("table", "thead", "tbody", "tr", "th", "td"),
        *("div", "header", "span", "button"),
    },
    attributes={
        **{f"h{level}": {"id", "class"} for level in range(1, 7)},
        **dict.fromkeys(("p", "li", "tr"), {"class"}),
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


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a link between pages leads."""

    url: str
    """Of the page, or of where it can be written; blank: the name stands there without a link."""
    title: str
    """Shown where the link names nothing."""
    is_missing: bool = False
    note: str = ""
    """Tooltip."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A heading of a page."""

    level: int
    """From 1; 1 to `DEEPEST_PART` are listed."""
    text: str
    id: str


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """A page as HTML that is safe to put into ours."""

    html: SafeString
    parts: tuple[Part, ...]


def mark_of(number: int) -> str:
    """Return what stands in a text for the mark of a source; nobody can type it."""
    return f"[{_MARK_SIGN}{number}]"


def without_marks(text: str) -> str:
    """Return a text in which nothing is taken for a mark."""
    return text.replace(_MARK_SIGN, "")


def render_wiki(
    text: str,
    *,
    target: Callable[[str], Target],
    origin: str = "",
    changed: Collection[int] = (),
) -> Rendered:
    """Return a page's text as HTML.

    `target` is asked for each link's slug. Marks become links to `#src-<origin>-<number>`. What
    stands on the `changed` lines, counted from 1, gets the class `is-changed`.
    """
    env = {"target": target, "run_id": ""}
    tokens = _MARKDOWN.parse(text, env)
    parts = _name_parts(tokens)
    if changed:
        _mark_changed(tokens, changed)
    env["run_id"] = origin
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, env)
    safe = mark_safe(_CLEANER.clean(html))  # noqa: S308  # the sanitiser's output
    return Rendered(html=safe, parts=parts)


def part_id(heading: str) -> str:
    """Return the address of a heading within its page: lower-case words joined by dashes."""
    words = _NOT_IN_A_PART.sub("", heading.casefold()).split()
    return "-".join(words)[:80] or "part"


def _name_parts(tokens: list[Token]) -> tuple[Part, ...]:
    """Give each heading an id that no other of the page has, and list them."""
    seen: Counter[str] = Counter()
    parts = []
    for opening, inner in zip(tokens, tokens[1:], strict=False):
        if opening.type != "heading_open":
            continue
        children = [each for each in inner.children or [] if each.type != "cite"]
        text = "".join(each.content for each in children if each.type in _SPOKEN).strip()
        text = text.replace(WORD_JOINER, "")
        key = part_id(text)
        seen[key] += 1
        number = seen[key]
        name = f"p-{key}" if number == 1 else f"p-{key}-{number}"
        opening.attrSet("id", name)
        level = int(opening.tag[1:])
        if level <= DEEPEST_PART:
            parts.append(Part(level=level, text=text, id=name))
    return tuple(parts)


def _mark_changed(tokens: list[Token], changed: Collection[int]) -> None:
    """Mark the smallest blocks that hold a changed line: paragraphs, items, rows, headings."""
    items: list[Token] = []
    for token in tokens:
        if token.type == "list_item_open":
            items.append(token)
        elif token.type == "list_item_close":
            items.pop()
        if token.type not in _BLOCKS or token.map is None:
            continue
        if not any(line in changed for line in range(token.map[0] + 1, token.map[1] + 1)):
            continue
        shown = items[-1] if token.hidden and items else token
        shown.attrSet("class", "is-changed")


_BLOCKS: Final = frozenset({"paragraph_open", "heading_open", "tr_open"})
_SPOKEN: Final = frozenset({"text", "code_inline", "wiki_name", "text_special"})


def _wiki_link(state: StateInline, silent: bool) -> bool:
    """Parse a link between pages."""
    if state.linkLevel or not state.src.startswith("[[", state.pos):
        return False
    found = _LINK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        target: Target = state.env["target"](found[1].strip())
        part = (found[2] or "")[1:].strip()
        name = (found[3] or "").strip() or (
            target.title if not part else f"{target.title} › {part}"
        )
        if not target.url:
            state.push("wiki_name", "", 0).content = name
            state.pos = found.end()
            return True
        opening = state.push("wiki_link_open", "a", 1)
        opening.attrs = {"href": target.url}
        if part and not target.is_missing:
            opening.attrs["href"] = f"{target.url}#p-{part_id(part)}"
        opening.attrs["class"] = "wiki-link is-missing" if target.is_missing else "wiki-link"
        if target.note:
            opening.attrs["title"] = target.note
        state.push("wiki_name", "", 0).content = name
        state.push("wiki_link_close", "a", -1)
    state.pos = found.end()
    return True


def _mark(state: StateInline, silent: bool) -> bool:
    """Parse the mark of a source. It stays on the line of the word before it."""
    found = _MARK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.pending = state.pending.rstrip(" ")
        if state.pending or state.tokens:
            state.pending += WORD_JOINER
        state.push("cite", "a", 0).content = found[1]
    state.pos = found.end()
    return True


def _name(_self: object, tokens: list[Token], idx: int, *_rest: object) -> str:
    return escapeHtml(tokens[idx].content)


def _build() -> MarkdownIt:
    markdown = build_markdown()
    markdown.inline.ruler.before("link", "wiki_link", _wiki_link)
    markdown.inline.ruler.before("wiki_link", "wiki_mark", _mark)
    markdown.add_render_rule("wiki_name", _name)
    return markdown


_MARKDOWN = _build()
