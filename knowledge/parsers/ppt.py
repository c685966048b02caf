"""PowerPoint 97-2003 (PPT): each slide a page; title, texts, tables, notes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.parsers.containers import PROTECTED
from knowledge.parsers.contract import Block, Box, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.markdown_writer import drop_empty_edges, heading, table
from knowledge.parsers.ole import open_streams
from knowledge.parsers.ppt_records import Record, Records

_DOCUMENT_ATOM, _SLIDE_LIST, _SLIDE_PERSIST, _SLIDE_INFO = 1001, 4080, 1011, 1017
_NOTES_ATOM, _DRAWING = 1009, 1036
_TEXT_HEADER, _TEXT_CHARACTERS, _TEXT_BYTES, _OUTLINE_TEXT = 3999, 4000, 4008, 3998
_GROUP, _SHAPE, _TEXT_BOX, _ANCHOR, _CHILD_ANCHOR = 0xF003, 0xF004, 0xF00D, 0xF010, 0xF00F
_MORE_OPTIONS, _TABLE_OPTION = 0xF122, 0x039F
_TITLES, _BODIES, _NOTES = frozenset({0, 6}), frozenset({1, 5, 7, 8}), 2
_HIDDEN_FLAG = 0x04
_ENCRYPTED_TOKEN = 0xF3D1C4DF
_MAX_DEPTH = 40
_MAX_CELLS = 2_000
_BREAKS = str.maketrans({"\r": "\n", "\x0b": "\n"})


@dataclass(frozen=True)
class _Text:
    """A text of a slide and its place in units of the slide."""

    kind: int
    text: str
    place: tuple[int, int, int, int] | None = None
    """Left, top, right, bottom."""
    table: int = 0
    """Number of the table that it is a cell of."""


@dataclass(frozen=True)
class _Slide:
    object_id: int
    slide_id: int
    outline: tuple[_Text, ...]


def parse_ppt(content: bytes, _name: str) -> ParsedDocument:
    """Return the slides; hidden slides as hidden blocks.

    Raises:
        ParseRefused: damaged, encrypted.
    """
    streams = open_streams(content)
    records = Records(streams.read("PowerPoint Document"))
    user = streams.read("Current User")
    token, edit = struct.unpack_from("<II", user, 12) if len(user) >= 20 else (0, 0)
    if token == _ENCRYPTED_TOKEN:
        raise ParseRefused("encrypted", PROTECTED)
    offsets, document_id = records.objects(edit)
    document = records.at(offsets.get(document_id, -1))
    if document is None:
        raise ParseRefused(
            "damaged", "The slides cannot be found in the file. Save it anew in PowerPoint."
        )
    size = _slide_size(records, document)
    notes = _notes(records, document, offsets)
    blocks: list[Block] = []
    slides = _slides(records, document, instance=0)
    hidden_slides = 0
    for number, slide in enumerate(slides, start=1):
        root = records.at(offsets.get(slide.object_id, -1))
        hidden = root is not None and _is_hidden(records, root)
        hidden_slides += hidden
        texts = list(_texts(records, root, slide)) if root else list(slide.outline)
        texts += [_Text(_NOTES, text) for text in notes.get(slide.slide_id, [])]
        blocks += [
            Block(markdown=markdown, page=number, box=_box(place, size), hidden=hidden)
            for markdown, place in _paragraphs(texts)
        ]
    return ParsedDocument(
        blocks=tuple(blocks),
        title=streams.title(),
        page_count=len(slides),
        warnings=(f"{hidden_slides} hidden slides were left out.",) if hidden_slides else (),
    )


def _slides(records: Records, document: Record, *, instance: int) -> list[_Slide]:
    """Return the slides (or notes) in their order, with the texts of their outline."""
    found: list[_Slide] = []
    for part in records.children(document):
        if part.kind != _SLIDE_LIST or part.instance != instance:
            continue
        kind = 4
        for record in records.children(part):
            body = records.body(record)
            if record.kind == _SLIDE_PERSIST and len(body) >= 16:
                object_id, slide_id = struct.unpack_from("<I8xI", body)
                found.append(_Slide(object_id, slide_id, ()))
            elif record.kind == _TEXT_HEADER and len(body) >= 4:
                kind = int(struct.unpack_from("<I", body)[0])
            elif (text := _text_of(record, body)) is not None and found:
                last = found[-1]
                outline = (*last.outline, _Text(kind, text))
                found[-1] = _Slide(last.object_id, last.slide_id, outline)
    return found


def _notes(records: Records, document: Record, offsets: dict[int, int]) -> dict[int, list[str]]:
    """Return the notes by the id of their slide."""
    found: dict[int, list[str]] = {}
    for note in _slides(records, document, instance=2):
        root = records.at(offsets.get(note.object_id, -1))
        atom = records.first(root, _NOTES_ATOM) if root else None
        if root is None or atom is None or atom.end - atom.start < 4:
            continue
        slide_id = int(struct.unpack_from("<I", records.body(atom))[0])
        texts = (text for text in _texts(records, root, note) if text.kind == _NOTES)
        found[slide_id] = [text.text.strip() for text in texts if text.text.strip()]
    return found


def _texts(records: Records, root: Record, slide: _Slide) -> Iterator[_Text]:
    """Yield the texts of a slide's drawing; those kept in the outline are fetched from there."""
    drawing = records.first(root, _DRAWING)
    if drawing is None:
        yield from slide.outline
        return
    used: set[int] = set()
    tables = iter(range(1, 1_000_000))
    for text, outline in _shapes(records, drawing, tables, 0, 0):
        if outline is not None and outline < len(slide.outline):
            used.add(outline)
            yield _Text(slide.outline[outline].kind, slide.outline[outline].text, text.place)
        elif text.text:
            yield text
    for number, text in enumerate(slide.outline):
        if number not in used:
            yield text


def _shapes(
    records: Records, parent: Record, tables: Iterator[int], table_number: int, depth: int
) -> Iterator[tuple[_Text, int | None]]:
    if depth > _MAX_DEPTH:
        return
    for record in records.children(parent):
        if record.kind == _GROUP:
            inner = next(tables) if _is_table(records, record) else table_number
            yield from _shapes(records, record, tables, inner, depth + 1)
        elif record.kind == _SHAPE:
            yield from _shape(records, record, table_number)
        elif record.is_container:
            yield from _shapes(records, record, tables, table_number, depth + 1)


def _shape(
    records: Records, shape: Record, table_number: int
) -> Iterator[tuple[_Text, int | None]]:
    place = None
    for part in records.children(shape):
        body = records.body(part)
        if part.kind == _ANCHOR and len(body) >= 8:
            unpack = "<hhhh" if len(body) < 16 else "<iiii"
            top, left, right, bottom = struct.unpack_from(unpack, body)
            place = (left, top, right, bottom)
        elif part.kind == _CHILD_ANCHOR and len(body) >= 16:
            place = struct.unpack_from("<iiii", body)
        elif part.kind == _TEXT_BOX:
            kind, text, outline = 4, "", None
            for record in records.children(part):
                inner = records.body(record)
                if record.kind == _TEXT_HEADER and len(inner) >= 4:
                    kind = struct.unpack_from("<I", inner)[0]
                elif record.kind == _OUTLINE_TEXT and len(inner) >= 4:
                    outline = struct.unpack_from("<I", inner)[0]
                elif (found := _text_of(record, inner)) is not None:
                    text = found
            yield _Text(kind, text, place, table_number), outline


def _is_table(records: Records, group: Record) -> bool:
    """A table is a group whose own shape says so in its options."""
    shape = records.first(group, _SHAPE)
    options = records.first(shape, _MORE_OPTIONS) if shape else None
    if options is None:
        return False
    body = records.body(options)
    return any(
        struct.unpack_from("<H", body, 6 * number)[0] & 0x3FFF == _TABLE_OPTION
        for number in range(min(options.instance, len(body) // 6))
    )


def _text_of(record: Record, body: bytes) -> str | None:
    if record.kind == _TEXT_CHARACTERS:
        return body.decode("utf-16-le", "replace").translate(_BREAKS)
    if record.kind == _TEXT_BYTES:
        return body.decode("latin-1").translate(_BREAKS)
    return None


def _paragraphs(
    texts: list[_Text],
) -> Iterator[tuple[str, tuple[int, int, int, int] | None]]:
    """Yield Markdown of each text; titles first, cells of a table together, notes last."""
    rank = sorted(texts, key=lambda text: (text.kind not in _TITLES) + (text.kind == _NOTES))
    done: set[int] = set()
    for text in rank:
        lines = [line.strip() for line in text.text.split("\n") if line.strip()]
        if text.table:
            if text.table not in done:
                done.add(text.table)
                cells = [cell for cell in texts if cell.table == text.table and cell.place]
                yield table(drop_empty_edges(_grid(cells))), None
        elif not lines:
            continue
        elif text.kind in _TITLES:
            yield heading(" ".join(lines), 2), text.place
        elif text.kind in _BODIES and len(lines) > 1:
            yield "\n".join(f"- {line}" for line in lines), text.place
        else:
            prefix = "Notes: " if text.kind == _NOTES else ""
            yield prefix + "\n".join(lines), text.place


def _grid(cells: list[_Text]) -> list[list[str]]:
    """Put cells into rows and columns by their corners; a merged cell repeats its text."""
    places = [(cell.place or (0, 0, 0, 0), cell.text.strip()) for cell in cells]
    lefts = sorted({place[0] for place, _ in places})
    tops = sorted({place[1] for place, _ in places})
    if len(lefts) * len(tops) > _MAX_CELLS:
        return [[text] for _, text in places]
    grid = [[""] * len(lefts) for _ in tops]
    for (left, top, right, bottom), text in places:
        for row, at_top in enumerate(tops):
            for column, at_left in enumerate(lefts):
                starts = at_top == top and at_left == left
                covered = top <= at_top < bottom and left <= at_left < right
                if text and (starts or covered and not grid[row][column]):
                    grid[row][column] = text
    return grid


def _is_hidden(records: Records, slide: Record) -> bool:
    info = records.first(slide, _SLIDE_INFO)
    body = records.body(info) if info else b""
    return len(body) >= 12 and bool(body[10] & _HIDDEN_FLAG)


def _slide_size(records: Records, document: Record) -> tuple[int, int]:
    atom = records.first(document, _DOCUMENT_ATOM)
    body = records.body(atom) if atom else b""
    return struct.unpack_from("<ii", body) if len(body) >= 8 else (0, 0)


def _box(place: tuple[int, int, int, int] | None, size: tuple[int, int]) -> Box | None:
    if place is None or min(size) <= 0:
        return None
    left, top, right, bottom = (
        min(max(edge / size[number % 2], 0.0), 1.0) for number, edge in enumerate(place)
    )
    return (
        Box(left=left, top=top, right=right, bottom=bottom)
        if right > left and bottom > top
        else None
    )


PARSER = Parser(
    name="ppt", version="1", file_types=frozenset({"ppt"}), parse=parse_ppt, label="Own reader"
)
