from __future__ import annotations

import io

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from knowledge.parsers.contract import ParsedDocument, ParseRefused
from knowledge.parsers.pptx import parse_pptx


def read(presentation) -> ParsedDocument:
    content = io.BytesIO()
    presentation.save(content)
    return parse_pptx(content.getvalue(), "a.pptx")


def texts(document: ParsedDocument) -> list[str]:
    return [block.markdown for block in document.blocks]


@pytest.fixture
def presentation():
    return Presentation()


def add_slide(presentation, layout: int = 6):
    return presentation.slides.add_slide(presentation.slide_layouts[layout])


def add_text(slide, text: str, left: float, top: float):
    box = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(1))
    box.text_frame.text = text
    return box


def test_slides_are_pages_with_title_list_and_notes(presentation):
    slide = add_slide(presentation, 1)
    slide.shapes.title.text = "Plan"
    slide.placeholders[1].text = "first\nsecond"
    slide.placeholders[1].text_frame.paragraphs[1].level = 1
    slide.notes_slide.notes_text_frame.text = "say hello"
    add_text(add_slide(presentation), "next", 1, 1)
    document = read(presentation)
    assert texts(document) == ["## Plan", "- first\n  - second", "Notes: say hello", "next"]
    assert [block.page for block in document.blocks] == [1, 1, 1, 2]
    assert document.page_count == 2


def test_shapes_are_read_row_by_row(presentation):
    slide = add_slide(presentation)
    for text, left, top in (("d", 5, 3), ("b", 5, 1), ("c", 1, 3), ("a", 1, 1)):
        add_text(slide, text, left, top)
    assert texts(read(presentation)) == ["a", "b", "c", "d"]


def test_groups_are_walked(presentation):
    group = add_slide(presentation).shapes.add_group_shape()
    add_text(group, "inside", 1, 1)
    assert texts(read(presentation)) == ["inside"]


def test_merged_cells_of_a_table_are_filled(presentation):
    shape = add_slide(presentation).shapes.add_table(2, 2, 0, 0, Inches(4), Inches(2))
    cells = shape.table
    cells.cell(0, 0).text, cells.cell(0, 1).text, cells.cell(1, 1).text = "a", "b", "c"
    cells.cell(0, 0).merge(cells.cell(1, 0))
    assert texts(read(presentation)) == ["| a | b |\n| --- | --- |\n| a | c |"]


def test_a_chart_becomes_its_numbers(presentation):
    data = CategoryChartData()
    data.categories = ["2023", "2024"]
    data.add_series("ducks", (1.5, 2))
    add_slide(presentation).shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(4), Inches(2), data
    )
    assert texts(read(presentation))[-1] == (
        "|  | ducks |\n| --- | --- |\n| 2023 | 1.5 |\n| 2024 | 2 |"
    )


def test_hidden_slides_are_flagged_and_told(presentation):
    slide = add_slide(presentation)
    add_text(slide, "secret", 1, 1)
    slide._element.set("show", "0")
    document = read(presentation)
    assert document.text == ""
    assert document.blocks[0].hidden
    assert document.warnings == ("Hidden slides were left out: 1.",)


def test_boxes_are_fractions_of_the_slide(presentation):
    add_text(add_slide(presentation), "x", 0, 0)
    box = read(presentation).blocks[0].box
    assert box is not None
    assert (box.left, box.top) == (0, 0)
    assert 0 < box.right < 1


def test_a_damaged_file_is_refused():
    with pytest.raises(ParseRefused) as refusal:
        parse_pptx(b"PK\x03\x04nothing", "a.pptx")
    assert refusal.value.code == "damaged"
