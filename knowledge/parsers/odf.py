"""OpenDocument texts (ODT) and slides (ODP): a walk over content.xml."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from knowledge.parsers.contract import Block, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.markdown_writer import drop_empty_edges, heading, table
from knowledge.parsers.office_xml import open_container, open_member, read_part
from knowledge.parsers.pictures import PictureBag

_NS = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_OFFICE, _TEXT, _TABLE, _DRAW, _STYLE = (
    _NS % name for name in ("office", "text", "table", "drawing", "style")
)
_PRESENTATION = _NS % "presentation"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_MAX_REPEATS = 1_000
_MAX_DEPTH = 60
_LEFT_OUT = frozenset(
    {_TEXT + "tracked-changes", _OFFICE + "forms", _TEXT + "sequence-decls", _DRAW + "thumbnail"}
)
_NO_RUNS = _LEFT_OUT | {_DRAW + "frame", etree.Comment, etree.ProcessingInstruction}


@dataclass
class _Walk:
    """What the walk needs to know and what it collects on its way."""

    hidden_styles: frozenset[str]
    numbered_lists: frozenset[str]
    notes: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    page: int = 1
    has_pages: bool = False
    pictures: PictureBag = field(default_factory=PictureBag)


def parse_odf(content: bytes, _name: str) -> ParsedDocument:
    """Return headings, paragraphs, lists, tables, notes and comments; slides as pages.

    Raises:
        ParseRefused: encrypted or damaged.
    """
    archive = open_container(content)
    with archive:
        root = read_part(archive, "content.xml")
        styles = read_part(archive, "styles.xml")
        meta = read_part(archive, "meta.xml")
        return _read(archive, root, styles, meta)


def _read(
    archive: zipfile.ZipFile,
    root: etree._Element | None,
    styles: etree._Element | None,
    meta: etree._Element | None,
) -> ParsedDocument:
    if root is None:
        raise ParseRefused("damaged", "The OpenDocument file has no content. Save it anew.")
    body = root.find(f"{_OFFICE}body")
    parts = [root] if styles is None else [root, styles]
    walk = _Walk(
        hidden_styles=_hidden_styles(parts),
        numbered_lists=_numbered_lists(parts),
        pictures=PictureBag(lambda name: open_member(archive, name)),
    )
    blocks: list[Block] = []
    for kind in body if body is not None else ():
        slides = kind.findall(_DRAW + "page")
        for number, slide in enumerate(slides, start=1):
            walk.page, walk.has_pages = number, True
            blocks += _blocks(_slide(slide, walk), walk)
        if not slides:
            blocks += _blocks(_children(kind, walk, 0), walk)
    last_page = walk.page if walk.has_pages else None
    if walk.notes:
        blocks.append(Block(markdown="\n".join(walk.notes), page=last_page))
    if walk.hidden:
        blocks.append(Block(markdown="\n".join(walk.hidden), hidden=True))
    return ParsedDocument(
        blocks=tuple(blocks),
        title="" if meta is None else (meta.findtext(f".//{_DC}title") or "").strip(),
        page_count=last_page,
        warnings=("Text that is not shown was left out.",) if walk.hidden else (),
        pictures=walk.pictures.pictures,
    )


def _blocks(paragraphs: Iterator[str], walk: _Walk) -> Iterator[Block]:
    page = walk.page
    for markdown in paragraphs:
        if markdown.strip():
            yield Block(markdown=markdown, page=page if walk.has_pages else None)
        page = walk.page


def _hidden_styles(parts: list[etree._Element]) -> frozenset[str]:
    return frozenset(
        style.get(_STYLE + "name", "")
        for part in parts
        for style in part.iter(_STYLE + "style")
        for properties in style.findall(_STYLE + "text-properties")
        if properties.get(_TEXT + "display") == "none"
    )


def _numbered_lists(parts: list[etree._Element]) -> frozenset[str]:
    return frozenset(
        style.get(_STYLE + "name", "")
        for part in parts
        for style in part.iter(_TEXT + "list-style")
        if len(style) and style[0].tag == _TEXT + "list-level-style-number"
    )


def _slide(slide: etree._Element, walk: _Walk) -> Iterator[str]:
    for frame in slide:
        kind = frame.get(_PRESENTATION + "class", "")
        if frame.tag == _PRESENTATION + "notes":
            notes = "\n".join(text for text in _children(frame, walk, 0) if text.strip())
            if notes:
                yield f"Notes: {notes}"
        elif kind == "title":
            yield heading(" ".join(_children(frame, walk, 0)), 2)
        elif kind not in {"date-time", "footer", "page-number"}:
            yield from _children(frame, walk, 0)


def _children(element: etree._Element, walk: _Walk, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    for child in element:
        yield from _element(child, walk, depth + 1)


def _element(element: etree._Element, walk: _Walk, depth: int) -> Iterator[str]:
    """Yield the paragraphs of one element of the body."""
    if element.tag in _LEFT_OUT:
        return
    if element.tag == _TEXT + "h":
        level = element.get(_TEXT + "outline-level", "1")
        yield heading(_inline(element, walk), int(level) if level.isdigit() else 1)
    elif element.tag == _TEXT + "p":
        yield _inline(element, walk).strip()
        yield from _frames(element, walk, depth)
    elif element.tag == _TEXT + "list":
        yield "\n".join(_list(element, walk, 0))
    elif element.tag == _TABLE + "table":
        yield table(drop_empty_edges(_rows(element, walk, depth)))
    elif element.tag == _TEXT + "soft-page-break":
        walk.page, walk.has_pages = walk.page + 1, True
    elif element.tag == _DRAW + "frame" and element.find(_DRAW + "image") is not None:
        yield _picture(element, walk)
    elif isinstance(element.tag, str):
        yield from _children(element, walk, depth)


def _frames(paragraph: etree._Element, walk: _Walk, depth: int) -> Iterator[str]:
    """Yield text boxes and descriptions of pictures that hang on a paragraph."""
    for box in paragraph.iter(_DRAW + "text-box"):
        yield from _children(box, walk, depth)
    for frame in paragraph.iter(_DRAW + "frame"):
        if frame.find(_DRAW + "image") is not None:
            yield _picture(frame, walk)
    for description in paragraph.iter(_SVG + "title", _SVG + "desc"):
        parent = description.getparent()
        if parent is None or parent.find(_DRAW + "image") is None:
            yield (description.text or "").strip()


def _picture(frame: etree._Element, walk: _Walk) -> str:
    """Return the reference to the picture of a frame, with what its author wrote about it."""
    parts = (frame.findtext(_SVG + "title"), frame.findtext(_SVG + "desc"))
    words = " ".join(part.strip() for part in parts if part and part.strip())
    image = frame.find(_DRAW + "image")
    source = "" if image is None else image.get(_XLINK + "href", "")
    return walk.pictures.add_source(source, words=words)


def _list(element: etree._Element, walk: _Walk, depth: int, numbered: bool = False) -> list[str]:
    numbered = numbered or element.get(_TEXT + "style-name", "") in walk.numbered_lists
    lines: list[str] = []
    if depth > _MAX_DEPTH:
        return lines
    for item in element:
        marked = item.tag != _TEXT + "list-item"
        for child in item:
            if child.tag == _TEXT + "list":
                lines += _list(child, walk, depth + 1, numbered)
            elif text := " ".join(_element(child, walk, depth)).strip():
                marker = "  " if marked else "1. " if numbered else "- "
                lines.append("  " * depth + marker + text)
                marked = True
    return lines


def _rows(element: etree._Element, walk: _Walk, depth: int) -> list[list[str]]:
    """Return the cells; covered cells of a merged area repeat its text."""
    rows: list[list[str]] = []
    above: dict[int, tuple[int, str]] = {}
    for row in element.iter(_TABLE + "table-row"):
        if _owner(row) is not element:
            continue
        cells: list[str] = []
        for cell in row:
            text = "<br>".join(part for part in _children(cell, walk, depth) if part.strip())
            if cell.tag == _TABLE + "covered-table-cell":
                left, text_above = above.get(len(cells), (0, ""))
                text = text_above if left else (cells[-1] if cells else "")
                above[len(cells)] = (left - 1, text_above)
            elif (span := _number(cell, _TABLE + "number-rows-spanned")) > 1:
                above[len(cells)] = (span - 1, text)
            cells += [text] * _number(cell, _TABLE + "number-columns-repeated")
        rows += [cells] * _number(row, _TABLE + "number-rows-repeated")
    return rows


def _owner(row: etree._Element) -> etree._Element | None:
    parent = row.getparent()
    while parent is not None and parent.tag != _TABLE + "table":
        parent = parent.getparent()
    return parent


def _number(element: etree._Element, name: str) -> int:
    value = element.get(name, "1")
    return min(int(value), _MAX_REPEATS) if value.isascii() and value.isdigit() else 1


def _inline(element: etree._Element, walk: _Walk) -> str:
    """Return the text of a paragraph; notes and comments become marks with a note each."""
    return "".join(_runs(element, walk, 0))


def _runs(element: etree._Element, walk: _Walk, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    yield element.text or ""
    for child in element:
        yield from _run(child, walk, depth + 1)
        yield child.tail or ""


def _run(child: etree._Element, walk: _Walk, depth: int) -> Iterator[str]:
    if child.tag == _TEXT + "s":
        yield " " * _number(child, _TEXT + "c")
    elif child.tag == _TEXT + "tab":
        yield " "
    elif child.tag == _TEXT + "line-break":
        yield "\n"
    elif child.tag == _TEXT + "soft-page-break":
        walk.page, walk.has_pages = walk.page + 1, True
    elif child.tag == _TEXT + "note":
        yield _note(child, walk, depth)
    elif child.tag == _OFFICE + "annotation":
        text = " ".join(filter(None, (part.strip() for part in _children(child, walk, depth))))
        author = child.findtext(_DC + "creator") or "Comment"
        walk.notes.append(f"{author}: {text}")
    elif child.get(_TEXT + "style-name", "") in walk.hidden_styles:
        walk.hidden.append("".join(map(str, child.itertext())))
    elif child.tag == _TEXT + "a" and child.get(_XLINK + "href", "").startswith("http"):
        yield f"[{''.join(_runs(child, walk, depth))}]({child.get(_XLINK + 'href')})"
    elif child.tag not in _NO_RUNS:
        yield from _runs(child, walk, depth)


def _note(note: etree._Element, walk: _Walk, depth: int) -> str:
    mark = (note.findtext(_TEXT + "note-citation") or str(len(walk.notes) + 1)).strip()
    body = note.find(_TEXT + "note-body")
    text = "" if body is None else " ".join(_children(body, walk, depth)).strip()
    walk.notes.append(f"[{mark}] {text}")
    return f"[{mark}]"


PARSER = Parser(
    name="odf",
    version="2",
    file_types=frozenset({"odt", "odp"}),
    parse=parse_odf,
    label="Own reader",
)
