"""What mammoth does not know about Word files, written into the XML before it reads them.

Formulas become LaTeX text, page breaks become marks, hidden runs are taken out and kept, tables
of other office suites' heading styles are found by their outline level.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field

from lxml import etree

from knowledge.parsers.office_xml import core_title, open_member, parse_xml, read_part
from knowledge.parsers.omml import NAMESPACE as M, formula_to_latex
from knowledge.parsers.pictures import PictureBag
from knowledge.text.pictures import references_of

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
PAGE_MARK = "\ue0f0"
"""A private character that no text holds; it survives the way through HTML."""
BACKSLASH_MARK = "\ue0f1"
"""Stands for the backslashes of formulas, which Markdown writers double."""
_DOCUMENT = "word/document.xml"
_KEPT_PARTS = (
    "[Content_Types].xml",
    "_rels/.rels",
    "word/_rels/document.xml.rels",
    "word/styles.xml",
    "word/numbering.xml",
    "word/footnotes.xml",
    "word/endnotes.xml",
    "word/comments.xml",
)
"""Of a picture only the reference to it goes along, as if that were its bytes."""
_SLIMMED_PARTS = frozenset(_KEPT_PARTS[3:])
_PROPERTIES = frozenset(
    W + name for name in ("rPr", "pPr", "tblPr", "tcPr", "trPr", "lvl", "style")
)
_KEPT_PROPERTIES = frozenset(
    W + name
    for name in [
        "rStyle",
        "pStyle",
        "tblStyle",
        "b",
        "i",
        "u",
        "strike",
        "vertAlign",
        "caps",
        "numPr",
        "ilvl",
        "numId",
        "ind",
        "name",
        "basedOn",
        "pPr",
        "gridSpan",
        "vMerge",
        "tblHeader",
        "numFmt",
        "del",
        "ins",
        "rPr",
    ]
)
_LEVEL = W + "lvl"
_KEPT_OF_LEVELS = frozenset({W + "numFmt", W + "pStyle"})
_STYLES = "word/styles.xml"
_STYLE_NAMES = frozenset(W + name for name in ("pStyle", "rStyle", "tblStyle", "numStyleLink"))
_FORMATTING = frozenset(
    W + name for name in ("latentStyles", "proofErr", "sectPr", "tblGrid", "docDefaults")
) | {"{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"}
"""Of two ways to draw a text box mammoth reads the second."""
_MAX_HEADING = 6


@dataclass
class PreparedDocx:
    """A container that mammoth reads, and what was taken out of it."""

    container: io.BytesIO
    title: str = ""
    hidden: list[str] = field(default_factory=list)
    """Text that Word does not show."""
    header: list[str] = field(default_factory=list)
    footer: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    """Lines of a mammoth style map."""
    has_pages: bool = False
    has_macros: bool = False
    pictures: PictureBag = field(default_factory=PictureBag)


def prepare(archive: zipfile.ZipFile) -> PreparedDocx:
    """Return the prepared container."""
    names = set(archive.namelist())
    prepared = PreparedDocx(io.BytesIO(), title=core_title(archive))
    prepared.has_macros = any(name.endswith("vbaProject.bin") for name in names)
    prepared.styles = _outline_styles(archive)
    main = _main_part(archive, names)
    root = parse_xml(archive.read(main))
    _replace_formulas(root)
    prepared.hidden = _take_hidden(root)
    prepared.has_pages = _mark_pages(root)
    prepared.header = _frame_texts(archive, names, "word/header")
    prepared.footer = _frame_texts(archive, names, "word/footer")
    parts = {name: parse_xml(archive.read(name)) for name in names & _SLIMMED_PARTS}
    if _STYLES in parts:
        _drop_unused_styles(parts[_STYLES], [root, *parts.values()])
    with zipfile.ZipFile(prepared.container, "w", zipfile.ZIP_STORED) as copy:
        copy.writestr(main, _slim(root))
        for name in names & {*_KEPT_PARTS, main.replace("word/", "word/_rels/") + ".rels"}:
            copy.writestr(name, _slim(parts[name]) if name in parts else archive.read(name))
        for name in sorted(name for name in names if name.startswith("word/media/")):
            copy.writestr(name, _key_of(archive, name, prepared.pictures))
    prepared.container.seek(0)
    return prepared


def _key_of(archive: zipfile.ZipFile, name: str, bag: PictureBag) -> bytes:
    """Return the key of a picture; nothing for one that is not shown."""
    found = references_of(bag.add(open_member(archive, name)))
    return found[0].key.encode() if found else b""


def _drop_unused_styles(styles: etree._Element, parts: list[etree._Element]) -> None:
    """Leave only the styles that a part names: Word writes hundreds, mammoth reads them all."""
    used = {named.get(W + "val") for part in parts for named in part.iter(*_STYLE_NAMES)}
    for style in styles.findall(W + "style"):
        if style.get(W + "styleId") not in used and style.get(W + "type") != "numbering":
            styles.remove(style)


def _slim(root: etree._Element) -> bytes:
    """Leave out formatting that becomes no text: reading it costs mammoth most of its time."""
    unwanted = [
        element
        for element in root.iter()
        if element.tag in _FORMATTING or _is_formatting(element.tag, _parent_tag(element))
    ]
    for element in unwanted:
        parent = element.getparent()
        if parent is not None and not element.tail:
            parent.remove(element)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _is_formatting(tag: object, parent: str) -> bool:
    if parent == _LEVEL:
        return tag not in _KEPT_OF_LEVELS
    return parent in _PROPERTIES and tag not in _KEPT_PROPERTIES


def _parent_tag(element: etree._Element) -> str:
    parent = element.getparent()
    return "" if parent is None else str(parent.tag)


def _main_part(archive: zipfile.ZipFile, names: set[str]) -> str:
    """Return the name of the document part; some programs number it."""
    if _DOCUMENT in names:
        return _DOCUMENT
    rels = read_part(archive, "_rels/.rels")
    for relation in rels if rels is not None else ():
        target = relation.get("Target", "").lstrip("/")
        if relation.get("Type", "").endswith("/officeDocument") and target in names:
            return target
    return _DOCUMENT


def _replace_formulas(root: etree._Element) -> None:
    """Put a run with LaTeX in the place of each formula."""
    for formula in list(root.iter(M + "oMath")):
        parent = formula.getparent()
        if parent is None:
            continue
        marks = "$"
        if parent.tag == M + "oMathPara":
            marks = "$$"
        latex = formula_to_latex(formula)
        run = etree.Element(W + "r")
        text = etree.SubElement(run, W + "t")
        text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        text.text = f"{marks}{latex}{marks}".replace("\\", BACKSLASH_MARK) if latex else ""
        run.tail = formula.tail
        parent.replace(formula, run)
    for paragraph in list(root.iter(M + "oMathPara")):
        parent = paragraph.getparent()
        if parent is None:
            continue
        place = parent.index(paragraph)
        for run in paragraph.findall(W + "r"):
            parent.insert(place, run)
            place += 1
        parent.remove(paragraph)


def _take_hidden(root: etree._Element) -> list[str]:
    hidden = []
    for mark in list(root.iter(W + "vanish")):
        properties = mark.getparent()
        run = None if properties is None else properties.getparent()
        if run is None or run.tag != W + "r" or _is_off(mark):
            continue
        text = "".join(node.text or "" for node in run.iter(W + "t"))
        parent = run.getparent()
        if parent is not None:
            parent.remove(run)
        if text.strip():
            hidden.append(text)
    return hidden


def _is_off(mark: etree._Element) -> bool:
    return mark.get(W + "val", "1") in {"0", "false", "off"}


def _mark_pages(root: etree._Element) -> bool:
    """Put a mark where Word began a page when it last drew the file; say whether it did.

    Breaks set by hand alone would give wrong numbers: full pages break by themselves.
    """
    breaks = list(root.iter(W + "lastRenderedPageBreak"))
    for place in breaks:
        mark = etree.Element(W + "t")
        mark.text = PAGE_MARK
        mark.tail = place.tail
        parent = place.getparent()
        if parent is not None:
            parent.replace(place, mark)
    return bool(breaks)


def _frame_texts(archive: zipfile.ZipFile, names: set[str], prefix: str) -> list[str]:
    """Return the different texts of headers or footers, each once."""
    texts: dict[str, None] = {}
    for name in sorted(name for name in names if name.startswith(prefix) and name.endswith(".xml")):
        root = read_part(archive, name)
        for paragraph in root.iter(W + "p") if root is not None else ():
            text = "".join(node.text or "" for node in paragraph.iter(W + "t")).strip()
            if any(character.isalpha() for character in text):
                texts[text] = None
    return list(texts)


def _outline_styles(archive: zipfile.ZipFile) -> list[str]:
    """Map paragraph styles that have an outline level, whatever they are called."""
    root = read_part(archive, "word/styles.xml")
    lines = ["comment-reference => sup", "p[style-name='Title'] => h1:fresh"]
    for style in root.findall(W + "style") if root is not None else ():
        level = style.find(f"{W}pPr/{W}outlineLvl")
        identifier = style.get(W + "styleId", "")
        if level is None or style.get(W + "type") != "paragraph" or not identifier.isalnum():
            continue
        value = level.get(W + "val", "")
        if value.isdigit() and int(value) < _MAX_HEADING and identifier.isascii():
            lines.append(f"p.{identifier} => h{int(value) + 1}:fresh")
    return lines
