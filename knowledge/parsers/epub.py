"""EPUB: the chapters of the spine in order, each through our HTML reader."""

from __future__ import annotations

import posixpath
import re
import zipfile
from urllib.parse import unquote

from lxml import etree

from knowledge.parsers.contract import Block, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.encodings import decode_text
from knowledge.parsers.html import tidy_fragment
from knowledge.parsers.markdown_writer import heading
from knowledge.parsers.office_xml import open_container, open_member, read_part
from knowledge.parsers.pictures import PictureBag

_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
_XHTML = "{http://www.w3.org/1999/xhtml}"
_BODY = re.compile(r"<body\b[^>]*>(.*)</body\s*>", re.I | re.S)
_HAS_HEADING = re.compile(r"(?m)^#{1,6} ")
_CONTENT_TYPES = frozenset({"application/xhtml+xml", "text/html"})
_ENCRYPTION = "META-INF/encryption.xml"
_FONTS_ONLY = re.compile(rb"URI=\"[^\"]+\.(?:ttf|otf|woff2?)\"", re.I)


def parse_epub(content: bytes, _name: str) -> ParsedDocument:
    """Return one block a chapter.

    Raises:
        ParseRefused: encrypted (copy protection) or damaged.
    """
    with open_container(content) as archive:
        _refuse_protected(archive)
        package_path = _package_path(archive)
        package = read_part(archive, package_path)
        if package is None:
            raise ParseRefused("damaged", "The EPUB has no table of its parts. Save it anew.")
        titles = _chapter_titles(archive, package, package_path)
        bag = PictureBag(lambda path: open_member(archive, path))
        blocks = tuple(
            Block(markdown=markdown)
            for path in _spine(package, package_path)
            if (markdown := _chapter(archive, path, titles.get(path, ""), bag))
        )
        return ParsedDocument(
            blocks=blocks,
            title=_text(package, "title"),
            metadata=_about(package),
            pictures=bag.pictures,
        )


def _refuse_protected(archive: zipfile.ZipFile) -> None:
    """Fonts may be scrambled; chapters may not."""
    if _ENCRYPTION not in archive.namelist():
        return
    protected = archive.read(_ENCRYPTION)
    if protected.count(b"URI=") > len(_FONTS_ONLY.findall(protected)):
        raise ParseRefused(
            "encrypted", "The book is copy-protected and cannot be read. Use a copy without it."
        )


def _package_path(archive: zipfile.ZipFile) -> str:
    container = read_part(archive, "META-INF/container.xml")
    root = None if container is None else container.find(f".//{_CONTAINER}rootfile")
    if root is None:
        raise ParseRefused("damaged", "The EPUB does not name its parts. Save it anew.")
    return root.get("full-path", "")


def _manifest(package: etree._Element, package_path: str) -> dict[str, tuple[str, etree._Element]]:
    """Map the ids of parts to their path in the container and their entry."""
    folder = posixpath.dirname(package_path)
    return {
        item.get("id", ""): (_path(folder, item.get("href", "")), item)
        for item in package.iter(_OPF + "item")
    }


def _path(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(href.split("#", 1)[0])))


def _spine(package: etree._Element, package_path: str) -> list[str]:
    manifest = _manifest(package, package_path)
    paths = []
    for reference in package.iter(_OPF + "itemref"):
        path, item = manifest.get(reference.get("idref", ""), ("", None))
        if item is None or "nav" in item.get("properties", "").split():
            continue
        if item.get("media-type") in _CONTENT_TYPES:
            paths.append(path)
    return paths


def _chapter_titles(
    archive: zipfile.ZipFile, package: etree._Element, package_path: str
) -> dict[str, str]:
    """Return the title of each chapter by its path, from the navigation document or the NCX."""
    titles: dict[str, str] = {}
    for path, item in _manifest(package, package_path).values():
        folder = posixpath.dirname(path)
        if "nav" in item.get("properties", "").split():
            links = _links(archive, path, f".//{_XHTML}nav//{_XHTML}a", "href")
        elif item.get("media-type") == "application/x-dtbncx+xml":
            links = _ncx_links(archive, path)
        else:
            continue
        for href, title in links:
            titles.setdefault(_path(folder, href), title)
    return titles


def _links(
    archive: zipfile.ZipFile, path: str, query: str, attribute: str
) -> list[tuple[str, str]]:
    try:
        root = read_part(archive, path)
    except ParseRefused:
        return []
    found = [] if root is None else root.findall(query)
    return [
        (link.get(attribute, ""), " ".join("".join(map(str, link.itertext())).split()))
        for link in found
    ]


def _ncx_links(archive: zipfile.ZipFile, path: str) -> list[tuple[str, str]]:
    try:
        root = read_part(archive, path)
    except ParseRefused:
        return []
    links = []
    for point in root.iter(_NCX + "navPoint") if root is not None else ():
        content = point.find(_NCX + "content")
        title = point.findtext(f"{_NCX}navLabel/{_NCX}text") or ""
        if content is not None:
            links.append((content.get("src", ""), " ".join(title.split())))
    return links


def _chapter(archive: zipfile.ZipFile, path: str, title: str, bag: PictureBag) -> str:
    try:
        html = decode_text(archive.read(path)).text
    except KeyError:
        return ""
    body = _BODY.search(html)
    folder = posixpath.dirname(path)
    inner = bag.with_sources(lambda source: _path(folder, source))
    markdown = tidy_fragment(body.group(1) if body else html, inner)
    if markdown and title and not _HAS_HEADING.search(markdown):
        markdown = f"{heading(title, 1)}\n\n{markdown}"
    return markdown


def _about(package: etree._Element) -> dict[str, str]:
    fields = {name: _text(package, name) for name in ("creator", "language", "publisher", "date")}
    return {name: value for name, value in fields.items() if value}


def _text(package: etree._Element, name: str) -> str:
    found = package.find(f".//{_DC}{name}")
    return "" if found is None else " ".join("".join(map(str, found.itertext())).split())


PARSER = Parser(
    name="epub", version="2", file_types=frozenset({"epub"}), parse=parse_epub, label="Own reader"
)
