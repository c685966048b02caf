"""Spreadsheets (XLSX, XLSB, XLS, ODS): each sheet a heading, its areas as tables."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Iterator, Sequence

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
    ZipError,
)

from knowledge.parsers.contract import Block, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.markdown_writer import drop_empty_edges, heading, table
from knowledge.parsers.office_xml import core_title
from knowledge.parsers.pictures import PictureBag
from knowledge.parsers.sheet_pictures import pictures_by_sheet

Value = int | float | str | bool | dt.time | dt.date | dt.timedelta
MergedArea = tuple[tuple[int, int], tuple[int, int]]

_MAX_ROWS = 50_000
"""Rows of a sheet that become text."""
_MAX_FILLED_CELLS = 2_000_000
_TITLE_SHARE = 0.8
"""A cell merged over that much of the width is a title, not a value of each column."""
_MIDNIGHT = dt.time()


def parse_spreadsheet(content: bytes, _name: str) -> ParsedDocument:
    """Return the sheets in their order; hidden ones as hidden blocks.

    Raises:
        ParseRefused: encrypted or damaged.
    """
    workbook = _open(content)
    blocks: list[Block] = []
    warnings: list[str] = []
    bag = PictureBag()
    pictures = pictures_by_sheet(content, bag)
    for metadata in workbook.sheets_metadata:
        if metadata.typ is not SheetTypeEnum.WorkSheet:
            continue
        try:
            sheet = workbook.get_sheet_by_name(metadata.name)
        except CalamineError:
            warnings.append(f"The sheet {metadata.name!r} is damaged and was left out.")
            continue
        hidden = metadata.visible is not SheetVisibleEnum.Visible
        paragraphs = [*_sheet_paragraphs(sheet), *pictures.get(metadata.name, ())]
        if not paragraphs:
            continue
        if hidden:
            warnings.append(f"The sheet {metadata.name!r} is hidden and was left out.")
        elif sheet.height > _MAX_ROWS:
            warnings.append(
                f"Only the first {_MAX_ROWS:,} of {sheet.height:,} rows of {metadata.name!r} "
                "became text."
            )
        blocks.append(Block(markdown=heading(metadata.name, 1), hidden=hidden))
        blocks += [Block(markdown=paragraph, hidden=hidden) for paragraph in paragraphs]
    title, has_macros = _properties(content)
    if has_macros:
        warnings.append("Macros are present and were ignored.")
    return ParsedDocument(
        blocks=tuple(blocks), title=title, warnings=tuple(warnings), pictures=bag.pictures
    )


def _open(content: bytes) -> CalamineWorkbook:
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(content))
    except PasswordError as error:
        raise ParseRefused(
            "encrypted",
            "The table is protected with a password. Remove the password and upload it again.",
        ) from error
    except (CalamineError, ZipError) as error:
        raise ParseRefused(
            "damaged", "The table cannot be opened: it is damaged. Save it anew in its program."
        ) from error


def _properties(content: bytes) -> tuple[str, bool]:
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return "", False
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        has_macros = any(name.endswith("vbaProject.bin") for name in archive.namelist())
        try:
            return core_title(archive), has_macros
        except ParseRefused:
            return "", has_macros


def _sheet_paragraphs(sheet: CalamineSheet) -> Iterator[str]:
    if sheet.start is None:
        return
    rows = [
        [_text(value) for value in row]
        for row in sheet.to_python(skip_empty_area=True, nrows=_MAX_ROWS)
    ]
    _fill_merged(rows, sheet.merged_cell_ranges or [], origin=sheet.start)
    for area in _areas(rows):
        yield from _area_paragraphs(area)


def _fill_merged(
    rows: list[list[str]], areas: Sequence[MergedArea], *, origin: tuple[int, int]
) -> None:
    """Give each cell of a merged area the text of its first, in place."""
    budget = _MAX_FILLED_CELLS
    width = max((len(row) for row in rows), default=0)
    for (top, left), (bottom, right) in areas:
        first_row, first_column = top - origin[0], left - origin[1]
        if not (0 <= first_row < len(rows) and 0 <= first_column < len(rows[first_row])):
            continue
        text = rows[first_row][first_column]
        columns = right - left + 1
        if not text or columns >= max(_TITLE_SHARE * width, 2) and width > 1:
            continue
        budget -= columns * (bottom - top + 1)
        if budget < 0:
            return
        for row in rows[first_row : bottom - origin[0] + 1]:
            for column in range(first_column, min(right - origin[1] + 1, len(row))):
                row[column] = row[column] or text


def _areas(rows: Sequence[list[str]]) -> Iterator[list[list[str]]]:
    """Divide a sheet at its blank rows."""
    area: list[list[str]] = []
    for row in rows:
        if any(cell.strip() for cell in row):
            area.append(row)
        elif area:
            yield area
            area = []
    if area:
        yield area


def _area_paragraphs(area: list[list[str]]) -> Iterator[str]:
    """Yield titles (rows with one cell) above the table, then the table."""
    place = 0
    while place < len(area) and sum(bool(cell.strip()) for cell in area[place]) == 1:
        place += 1
    titles = [next(cell for cell in row if cell.strip()).strip() for row in area[:place]]
    if titles:
        yield "\n".join(titles)
    if place < len(area):
        yield table(drop_empty_edges(area[place:]))


def _text(value: Value) -> str:
    """Write a value as its owner would: no trailing zeros, no midnight."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.12g}"
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == _MIDNIGHT else value.isoformat(" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return str(value)


PARSER = Parser(
    name="spreadsheet",
    version="2",
    file_types=frozenset({"xlsx", "xlsb", "xls", "ods"}),
    parse=parse_spreadsheet,
    label="As tables",
)
