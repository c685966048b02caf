"""PowerPoint (PPTX): each slide a page; title, shapes in reading order, tables, charts, notes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.exc import PackageNotFoundError

from knowledge.parsers.contract import Block, Box, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.markdown_writer import drop_empty_edges, heading, table
from knowledge.parsers.pictures import PictureBag

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_TITLES = {PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE}
_LISTS = {PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY}
_LEFT_OUT = {PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER}
_MAX_GROUP_DEPTH = 20
_ROW_SHARE = 0.02
"""Shapes whose tops differ by less of the slide's height stand side by side."""


def parse_pptx(content: bytes, _name: str) -> ParsedDocument:
    """Return the slides; hidden slides as hidden blocks.

    Raises:
        ParseRefused: damaged.
    """
    try:
        presentation = Presentation(io.BytesIO(content))
    except (
        PackageNotFoundError,
        KeyError,
        ValueError,
        AttributeError,
        zipfile.BadZipFile,
    ) as error:
        raise ParseRefused(
            "damaged", "The slides cannot be opened: the file is damaged. Save it anew."
        ) from error
    blocks: list[Block] = []
    hidden_slides = 0
    slides = list(presentation.slides)
    bag = PictureBag()
    size = (presentation.slide_width or 1, presentation.slide_height or 1)
    for number, slide in enumerate(slides, start=1):
        hidden = slide._element.get("show") in {"0", "false"}
        hidden_slides += hidden
        for markdown, box in _slide(slide, size, bag):
            if markdown.strip():
                blocks.append(Block(markdown=markdown, page=number, box=box, hidden=hidden))
    return ParsedDocument(
        blocks=tuple(blocks),
        title=(presentation.core_properties.title or "").strip(),
        page_count=len(slides),
        warnings=tuple(_warnings(content, hidden_slides)),
        pictures=bag.pictures,
    )


def _warnings(content: bytes, hidden_slides: int) -> Iterator[str]:
    if hidden_slides:
        yield f"Hidden slides were left out: {hidden_slides}."
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if any(name.endswith("vbaProject.bin") for name in archive.namelist()):
            yield "Macros are present and were ignored."


def _slide(slide: Any, size: tuple[int, int], bag: PictureBag) -> Iterator[tuple[str, Box | None]]:
    title = slide.shapes.title
    if title is not None and title.has_text_frame:
        yield heading(title.text_frame.text, 2), _box(title, size)
    shapes = [shape for shape in slide.shapes if title is None or shape.shape_id != title.shape_id]
    for shape in _in_reading_order(shapes, size[1]):
        box = _box(shape, size)
        for markdown in _shape(shape, 0, bag):
            yield markdown, box
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        notes = frame.text.strip()
        if notes:
            yield f"Notes: {_lines(notes)}", None


def _in_reading_order(shapes: list[Any], height: int) -> list[Any]:
    """Order by row, then from the left; placeholders may inherit their place and have none."""
    row = max(int(height * _ROW_SHARE), 1)
    return sorted(shapes, key=lambda shape: ((shape.top or 0) // row, shape.left or 0))


def _shape(shape: Any, depth: int, bag: PictureBag) -> Iterator[str]:
    if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
        if depth < _MAX_GROUP_DEPTH:
            for inner in sorted(shape.shapes, key=lambda one: (one.top or 0, one.left or 0)):
                yield from _shape(inner, depth + 1, bag)
    elif getattr(shape, "has_table", False) and shape.has_table:
        yield table(drop_empty_edges(_table_rows(shape.table)))
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        yield from _chart(shape.chart)
    elif shape.is_placeholder and hasattr(shape, "image"):
        yield _picture(shape, bag)
    elif shape.has_text_frame:
        kind = shape.placeholder_format.type if shape.is_placeholder else None
        if kind in _TITLES:
            yield heading(shape.text_frame.text, 2)
        elif kind not in _LEFT_OUT:
            yield _text(shape.text_frame, is_list=kind in _LISTS)
    elif shape.shape_type == MSO_SHAPE_TYPE.PICTURE:
        yield _picture(shape, bag)
    else:
        yield from _diagram(shape)


def _text(frame: Any, *, is_list: bool) -> str:
    """Return the paragraphs; those with a bullet, own or of their placeholder, as list items."""
    lines = []
    for paragraph in frame.paragraphs:
        text = _lines("".join(_runs(paragraph)))
        if not text:
            continue
        properties = paragraph._p.pPr
        bullet = _has_bullet(properties)
        if bullet is None:
            bullet = is_list or paragraph.level > 0
        if bullet:
            numbered = properties is not None and properties.find(_A + "buAutoNum") is not None
            lines.append("  " * paragraph.level + ("1. " if numbered else "- ") + text)
        else:
            lines.append(text)
    return "\n".join(lines)


def _runs(paragraph: Any) -> Iterator[str]:
    """Yield the text of runs and fields, with line breaks, in order."""
    for node in paragraph._p:
        if node.tag == _A + "br":
            yield "\n"
        else:
            yield from (text.text or "" for text in node.iter(_A + "t"))


def _has_bullet(properties: etree._Element | None) -> bool | None:
    """Return whether a paragraph says so itself; None when it inherits."""
    if properties is None:
        return None
    if properties.find(_A + "buNone") is not None:
        return False
    marks = (_A + "buChar", _A + "buAutoNum", _A + "buBlip")
    return True if any(properties.find(mark) is not None for mark in marks) else None


def _table_rows(grid: Any) -> list[list[str]]:
    """Return the cells; every cell of a merged area gets the text of its first."""
    rows = [[_lines(cell.text) for cell in row.cells] for row in grid.rows]
    for top, row in enumerate(grid.rows):
        for left, cell in enumerate(row.cells):
            if not cell.is_merge_origin:
                continue
            for down in range(top, min(top + cell.span_height, len(rows))):
                for across in range(left, min(left + cell.span_width, len(rows[down]))):
                    rows[down][across] = rows[top][left]
    return rows


def _chart(chart: Any) -> Iterator[str]:
    if chart.has_title and chart.chart_title.has_text_frame:
        yield f"Chart: {_lines(chart.chart_title.text_frame.text)}"
    try:
        plot = chart.plots[0]
        categories = [_lines(str(category)) for category in plot.categories]
        series = [(_lines(str(one.name or "")), list(one.values)) for one in chart.series]
    except (IndexError, AttributeError, ValueError, KeyError, TypeError):
        return
    if not series:
        return
    count = max(len(categories), *(len(values) for _, values in series))
    rows = [["", *(name for name, _ in series)]]
    for number in range(count):
        label = categories[number] if number < len(categories) else ""
        rows.append([label, *(_value(values, number) for _, values in series)])
    yield table(rows)


def _value(values: list[Any], number: int) -> str:
    value = values[number] if number < len(values) else None
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _picture(shape: Any, bag: PictureBag) -> str:
    """Return the reference to a picture; what is only linked to has no bytes here."""
    try:
        content: bytes | None = shape.image.blob
    except (KeyError, ValueError, AttributeError):
        content = None
    return bag.add(content, words=_description(shape))


def _description(shape: Any) -> str:
    """The text that its author wrote about a picture; a file name is none."""
    text = shape._element._nvXxPr.cNvPr.get("descr", "").strip()
    return "" if text.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".emf")) else _lines(text)


def _diagram(shape: Any) -> Iterator[str]:
    """Yield the words of a SmartArt graphic, from its data part."""
    ids = shape._element.xpath(".//*[local-name()='relIds']/@*[local-name()='dm']")
    for relation in ids:
        try:
            data = shape.part.related_part(relation).blob
        except KeyError:
            continue
        parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            continue
        points = root.iter(f"{{{_DIAGRAM}}}pt")
        texts = (_lines("".join(t.text or "" for t in point.iter(_A + "t"))) for point in points)
        yield "\n".join(f"- {text}" for text in texts if text)


def _lines(text: str) -> str:
    return "\n".join(
        " ".join(line.split()) for line in text.replace("\v", "\n").splitlines()
    ).strip()


def _box(shape: Any, size: tuple[int, int]) -> Box | None:
    if shape.left is None or shape.top is None or shape.width is None or shape.height is None:
        return None
    width, height = size
    left, top = shape.left / width, shape.top / height
    right, bottom = left + shape.width / width, top + shape.height / height
    return Box(left=_held(left), top=_held(top), right=_held(right), bottom=_held(bottom))


def _held(fraction: float) -> float:
    return min(max(fraction, 0.0), 1.0)


PARSER = Parser(
    name="pptx",
    version="2",
    file_types=frozenset({"pptx"}),
    parse=parse_pptx,
    label="With headings and tables",
)
