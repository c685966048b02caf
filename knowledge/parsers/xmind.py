"""Mind maps (XMind, old and new): each sheet a heading, topics below it as a list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lxml import etree

from knowledge.parsers.contract import Block, ParsedDocument, Parser, ParseRefused
from knowledge.parsers.markdown_writer import heading
from knowledge.parsers.office_xml import open_container, parse_xml

_MAX_DEPTH = 100
_CHILD_KINDS = ("attached", "detached", "summary", "callout")
_XML = "{urn:xmind:xmap:xmlns:content:2.0}"
_LINK = "{http://www.w3.org/1999/xlink}href"


def parse_xmind(content: bytes, _name: str) -> ParsedDocument:
    """Return sheets, topics, labels, notes and links.

    Raises:
        ParseRefused: damaged.
    """
    with open_container(content) as archive:
        names = set(archive.namelist())
        try:
            if "content.json" in names:
                sheets = json.loads(archive.read("content.json"))
            else:
                sheets = list(_sheets_of_xml(parse_xml(archive.read("content.xml"))))
        except (ValueError, KeyError, RecursionError) as error:
            raise ParseRefused(
                "damaged", "The mind map cannot be opened. Save it anew in XMind."
            ) from error
    blocks = [block for sheet in sheets if isinstance(sheet, dict) for block in _sheet(sheet)]
    title = sheets[0].get("title") if sheets and isinstance(sheets[0], dict) else ""
    return ParsedDocument(blocks=tuple(blocks), title=str(title or ""))


def _sheet(sheet: dict[str, Any]) -> Iterator[Block]:
    root = sheet.get("rootTopic")
    if not isinstance(root, dict):
        return
    yield Block(markdown=heading(str(root.get("title") or sheet.get("title") or ""), 1))
    if about := "\n".join(_about(root, 0)):
        yield Block(markdown=about)
    for topic in _children(root):
        # A main branch is a chapter when something hangs on it.
        title = " ".join(str(topic.get("title") or "").split())
        lines = [
            *_about(topic, 0),
            *(line for child in _children(topic) for line in _topic(child, 0)),
        ]
        if lines:
            yield Block(markdown=heading(title, 2))
            yield Block(markdown="\n".join(lines))
        else:
            yield Block(markdown=f"- {title}")


def _topic(topic: dict[str, Any], depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    title = " ".join(str(topic.get("title") or "").split())
    link = topic.get("href")
    if isinstance(link, str) and link.startswith("http"):
        title = f"[{title}]({link})"
    if title:
        yield "  " * depth + f"- {title}"
    yield from _about(topic, depth + 1)
    for child in _children(topic):
        yield from _topic(child, depth + 1)


def _about(topic: dict[str, Any], depth: int) -> Iterator[str]:
    """Yield labels and notes of a topic."""
    labels = topic.get("labels")
    if isinstance(labels, list) and labels:
        yield "  " * depth + f"- Labels: {', '.join(map(str, labels))}"
    notes = topic.get("notes")
    plain = notes.get("plain") if isinstance(notes, dict) else None
    text = plain.get("content") if isinstance(plain, dict) else None
    if isinstance(text, str) and text.strip():
        yield "  " * depth + f"- Note: {' '.join(text.split())}"


def _children(topic: dict[str, Any]) -> Iterator[dict[str, Any]]:
    groups = topic.get("children")
    if not isinstance(groups, dict):
        return
    for kind in _CHILD_KINDS:
        topics = groups.get(kind)
        yield from (child for child in topics or () if isinstance(child, dict))


def _sheets_of_xml(root: etree._Element) -> Iterator[dict[str, Any]]:
    """Return the sheets of an old file in the shape of the new ones."""
    for sheet in root.iter(_XML + "sheet"):
        topic = sheet.find(_XML + "topic")
        if topic is not None:
            title = sheet.findtext(_XML + "title") or ""
            yield {"title": title, "rootTopic": _topic_of_xml(topic, 0)}


def _topic_of_xml(topic: etree._Element, depth: int) -> dict[str, Any]:
    children: dict[str, list[dict[str, Any]]] = {}
    groups = topic.findall(f"{_XML}children/{_XML}topics") if depth <= _MAX_DEPTH else []
    for group in groups:
        found = [_topic_of_xml(child, depth + 1) for child in group.findall(_XML + "topic")]
        children.setdefault(group.get("type", "attached"), []).extend(found)
    return {
        "title": topic.findtext(_XML + "title") or "",
        "href": topic.get(_LINK, ""),
        "labels": [label.text or "" for label in topic.iterfind(f"{_XML}labels/{_XML}label")],
        "notes": {"plain": {"content": topic.findtext(f"{_XML}notes/{_XML}plain") or ""}},
        "children": children,
    }


PARSER = Parser(
    name="xmind",
    version="1",
    file_types=frozenset({"xmind"}),
    parse=parse_xmind,
    label="Topics as lists",
)
