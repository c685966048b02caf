"""HTML: the part that a reader came for, as Markdown.

`<main>` or `<article>` when the page names one, the article that trafilatura finds in a page
full of navigation, else the whole body; each only when it keeps enough of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from itertools import accumulate
from typing import cast

import lxml.html
import trafilatura
from html_to_markdown import ConversionOptions, PreprocessingOptions, convert
from lxml import etree

from knowledge.parsers.contract import Block, ParsedDocument, Parser
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.html_tables import fill_merged_cells
from knowledge.parsers.pictures import PictureBag
from knowledge.parsers.plain_text import decoding_warnings
from knowledge.text.pictures import references_of

_OPTIONS = ConversionOptions(
    compact_tables=True,
    br_in_tables=True,
    autolinks=False,
    extract_metadata=False,
    bullets="-",
    highlight_style="none",
    preprocessing=PreprocessingOptions(enabled=False),
)
_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.I)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_TAG = re.compile(r"<[^<>]*>")
_KEPT_SHARE = 0.25
_MAX_TREE_DEPTH = 250
"""libxml2 drops what lies deeper."""
_DROPPED = "script|style|noscript|template|nav|iframe|object|svg|canvas|form|button|select|dialog"
_DROPPED_PATHS = "|".join(f".//{tag}" for tag in _DROPPED.split("|"))
_BOILERPLATE = (
    './/*[@role="navigation" or @role="banner" or @role="contentinfo" or @role="search"'
    ' or @aria-hidden="true" or @hidden]'
    "|.//li[a[@hreflang] and count(*)=1]"
    '|.//*[contains(translate(@style," ",""),"display:none")]'
    '|.//*[contains(translate(@style," ",""),"visibility:hidden")]'
)
_TEXTS = etree.XPath(
    ".//text()[not(parent::script or parent::style)]",
    # Strings that know their element make an element of Python for each of them.
    smart_strings=False,
)
_NESTING = re.compile(r"<(/?)(?:div|span|table|tr|td|ul|ol|li|section|blockquote|b|i|font)\b", re.I)
_PAGE_FRAME = "./header|./footer|./aside|./*/header|./*/footer|./*/aside"
_CAPTURE_SIGNS = ".//nav|.//footer|.//*[@role='navigation']"
_BACK_FROM_NOTE = "↑"
_HTTP = ("http://", "https://", "mailto:")


def parse_html(content: bytes, _name: str) -> ParsedDocument:
    """Return the readable part of a page."""
    return _parsed(content, read_page)


def parse_whole_html(content: bytes, _name: str) -> ParsedDocument:
    """Return the whole page, with what frames the article."""
    return _parsed(content, _read_whole_page)


def parse_html_text(content: bytes, _name: str) -> ParsedDocument:
    """Return the words between the tags, for pages that no tree can hold."""
    return _parsed(content, lambda page, _bag: ("", unescape(_TAG.sub(" ", page)).strip()))


def _parsed(content: bytes, read: Callable[[str, PictureBag], tuple[str, str]]) -> ParsedDocument:
    declared = _DECLARED.search(content[:4_096])
    label = declared.group(1).decode("ascii") if declared else None
    decoded = decode_text(content, declared=label)
    bag = PictureBag()
    title, markdown = read(decoded.text, bag)
    return ParsedDocument(
        blocks=(Block(markdown=markdown),) if markdown else (),
        title=title,
        warnings=decoding_warnings(decoded),
        metadata={"encoding": decoded.encoding},
        pictures=bag.pictures,
    )


def read_page(html: str, bag: PictureBag | None = None) -> tuple[str, str]:
    """Return title and Markdown of a whole page; its pictures go into `bag`."""
    root = _tree(html)
    if root is None:
        return "", html_to_markdown(html)
    title = " ".join((root.findtext(".//title") or "").split())
    body = root.find("body")
    if body is None:
        return title, html_to_markdown(html)
    part = _named_part(body)
    if part is None and body.xpath(_CAPTURE_SIGNS):
        article = _found_article(html, whole_length=_text_length(body))
        if article is not None:
            return title, article
    part = body if part is None else part
    _tidy(part, is_whole_page=part is body, bag=bag)
    return title, html_to_markdown(etree.tostring(part, encoding="unicode", method="html"))


def _read_whole_page(html: str, bag: PictureBag) -> tuple[str, str]:
    root = _tree(html)
    body = None if root is None else root.find("body")
    if root is None or body is None:
        return "", html_to_markdown(html)
    title = " ".join((root.findtext(".//title") or "").split())
    _tidy(body, is_whole_page=False, bag=bag)
    return title, html_to_markdown(etree.tostring(body, encoding="unicode", method="html"))


def html_to_markdown(html: str) -> str:
    """Convert trusted-size HTML in our dialect of Markdown."""
    markdown = convert(html, _OPTIONS).content or ""
    return markdown.replace("\u00a0", " ").strip()


def tidy_fragment(html: str, bag: PictureBag | None = None) -> str:
    """Convert HTML that holds no page frame (from DOCX, EPUB, mail) to Markdown."""
    root = _tree(f"<html><body>{html}</body></html>")
    body = None if root is None else root.find("body")
    if body is None:
        return html_to_markdown(html)
    _tidy(body, is_whole_page=False, bag=bag)
    return html_to_markdown(etree.tostring(body, encoding="unicode", method="html"))


def _tree(html: str) -> lxml.html.HtmlElement | None:
    """Parse, or return None for what the tree parser cannot hold."""
    if _may_be_deep(html):
        return None
    try:
        root = lxml.html.document_fromstring(
            _DECLARATION.sub("", html, count=1), parser=lxml.html.HTMLParser(remove_comments=True)
        )
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None
    return root


def _may_be_deep(html: str) -> bool:
    depths = accumulate(-1 if slash else 1 for slash in _NESTING.findall(html))
    return max(depths, default=0) > _MAX_TREE_DEPTH


def _named_part(body: lxml.html.HtmlElement) -> lxml.html.HtmlElement | None:
    """The one `<main>`, or the one `<article>`, when it holds enough of the page."""
    for path in ('.//main|.//*[@role="main"]', ".//article"):
        parts = body.xpath(path)
        if len(parts) == 1 and _text_length(parts[0]) > _KEPT_SHARE * _text_length(body):
            found: lxml.html.HtmlElement = parts[0]
            return found
    return None


def _found_article(html: str, *, whole_length: int) -> str | None:
    article = trafilatura.extract(
        html,
        output_format="html",
        favor_precision=True,
        # Its second opinion loads the stop words of all languages: 33 MB in every forked child.
        fast=True,
        include_tables=True,
        include_formatting=True,
        include_links=True,
        with_metadata=False,
    )
    if not article:
        return None
    markdown = tidy_fragment(article)
    return markdown if len(markdown) > _KEPT_SHARE * whole_length else None


def _text_length(element: lxml.html.HtmlElement) -> int:
    texts = cast("list[str]", _TEXTS(element))
    return sum(len(text.strip()) for text in texts)


def _tidy(
    part: lxml.html.HtmlElement, *, is_whole_page: bool, bag: PictureBag | None = None
) -> None:
    """Take out what is no content, in place."""
    unwanted = part.xpath(f"{_DROPPED_PATHS}|{_BOILERPLATE}")
    if is_whole_page:
        unwanted += part.xpath(_PAGE_FRAME)
    for element in unwanted:
        if element.getparent() is not None:
            element.drop_tree()
    for image in part.xpath(".//img"):
        _tidy_image(image, bag)
    for link in part.xpath(".//a"):
        _tidy_link(link)
    for table in part.xpath(".//table[not(.//table)][.//*[@rowspan or @colspan]]"):
        fill_merged_cells(table)


def _tidy_image(image: lxml.html.HtmlElement, bag: PictureBag | None) -> None:
    """Keep a picture that the file itself holds; of others only the words stay."""
    words = image.get("alt") or ""
    reference = references_of(bag.add_source(image.get("src", ""), words=words)) if bag else []
    if not reference:
        image.tail = " ".join(filter(None, (words, image.tail)))
        image.drop_tree()
        return
    image.attrib.clear()
    image.set("src", f"picture:{reference[0].key}")
    image.set("alt", reference[0].words)


def _tidy_link(link: lxml.html.HtmlElement) -> None:
    """Keep links that lead somewhere from here, without their tool tips."""
    text = link.text_content().strip()
    if text == _BACK_FROM_NOTE:
        link.drop_tree()
    elif text and link.get("href", "").startswith(_HTTP):
        link.attrib.pop("title", None)
    else:
        link.drop_tag()


PARSERS = (
    Parser(
        name="html",
        version="2",
        file_types=frozenset({"html"}),
        parse=parse_html,
        label="The article of the page",
    ),
    Parser(
        name="html-whole",
        version="2",
        file_types=frozenset({"html"}),
        parse=parse_whole_html,
        rank=1,
        label="The whole page",
    ),
    Parser(
        name="html-text",
        version="2",
        file_types=frozenset({"html"}),
        parse=parse_html_text,
        rank=2,
        label="As plain text",
    ),
)
