"""Pictures of an Excel workbook: from a sheet to its drawing to the files that it shows."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator

from knowledge.parsers.contract import ParseRefused
from knowledge.parsers.office_xml import open_member, read_part
from knowledge.parsers.pictures import PictureBag

_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}sheet"
_OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_WORKBOOK = "xl/workbook.xml"
_MEDIA = "xl/media/"


def pictures_by_sheet(content: bytes, bag: PictureBag) -> dict[str, list[str]]:
    """Return references to the pictures of each sheet by its name; none where there are none."""
    if not content.startswith(b"PK"):
        return {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if not any(name.startswith(_MEDIA) for name in archive.namelist()):
                return {}
            return dict(_sheets(archive, bag))
    except (zipfile.BadZipFile, ParseRefused):
        return {}


def _sheets(archive: zipfile.ZipFile, bag: PictureBag) -> Iterator[tuple[str, list[str]]]:
    workbook = read_part(archive, _WORKBOOK)
    targets = _targets(archive, _WORKBOOK)
    for sheet in workbook.iter(_SHEET) if workbook is not None else ():
        path = targets.get(sheet.get(_OFFICE + "id", ""), "")
        drawings = [
            target for target in _targets(archive, path).values() if "/drawings/drawing" in target
        ]
        found = [mark for drawing in drawings for mark in _drawn(archive, drawing, bag)]
        if found:
            yield sheet.get("name", ""), found


def _drawn(archive: zipfile.ZipFile, path: str, bag: PictureBag) -> Iterator[str]:
    drawing = read_part(archive, path)
    targets = _targets(archive, path)
    for shown in drawing.iter(_DRAWN + "pic") if drawing is not None else ():
        blip, about = shown.find(f".//{_BLIP}"), shown.find(f".//{_DRAWN}cNvPr")
        if blip is None:
            continue
        words = "" if about is None else about.get("descr", "")
        target = targets.get(blip.get(_OFFICE + "embed", ""), "")
        if mark := bag.add(open_member(archive, target), words=words):
            yield mark


def _targets(archive: zipfile.ZipFile, path: str) -> dict[str, str]:
    """Return where the relations of a part lead, by their ids."""
    folder, name = posixpath.split(path)
    relations = read_part(archive, f"{folder}/_rels/{name}.rels") if path else None
    return {
        relation.get("Id", ""): posixpath.normpath(
            posixpath.join(folder, relation.get("Target", ""))  # a target from the root wins
        ).lstrip("/")
        for relation in (relations if relations is not None else ())
    }
