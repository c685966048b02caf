"""Changes of a page by sentences: what is not named stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from wiki.text.sentences import Sentence, split_sentences

_EMPTY_ITEM: Final = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\[[ xX]\])?|>)?[ \t]*$")
_HEADING: Final = re.compile(r"[ ]{0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
_FENCE: Final = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_CJK_END: Final = re.compile(r"[\u3000-\u9fff\uff00-\uffef”’」』）]$")


def without_sentences(content: str, gone: Iterable[Sentence]) -> str:
    """Return the text without some of its sentences, and without what held only them.

    That is an item's mark, a line, a paragraph's blank line, and headings above nothing.
    """
    for sentence in sorted(gone, key=lambda each: -each.start):
        content = _cut_out(content, sentence)
    return content


def with_sentences(content: str, instead: Mapping[str, str]) -> str:
    """Return the text with sentences, named by their hashes, worded anew."""
    pieces: list[str] = []
    at = 0
    for sentence in split_sentences(content):
        if sentence.hash in instead:
            pieces += (content[at : sentence.start], instead[sentence.hash])
            at = sentence.end
    return "".join((*pieces, content[at:]))


def with_added(content: str, *, heading: str, sentences: list[str], as_list: bool = False) -> str:
    """Return the text with sentences at the end of a section.

    A blank heading means the part above the first heading. A section that is not there yet is added
    at the end of the page. Nothing that stands there changes.
    """
    if not sentences:
        return content
    if not content.strip():
        return _section(heading, _written(sentences, as_list)) + "\n"
    lines = content.split("\n")
    span = _section_lines(lines, heading)
    if span is None:
        written = _written(sentences, as_list)
        return content.rstrip("\n") + "\n\n" + _section(heading, written) + "\n"
    first, last = span
    if last < first:
        written = _written(sentences, as_list)
        if first == 0:
            return f"{written}\n\n{content}"
        return "\n".join([*lines[:first], "", *written.split("\n"), *lines[first:]])
    end = lines[last]
    written = _written(sentences, as_list)
    is_item = bool(re.match(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]", end))
    if as_list and is_item:
        between = [written]
    elif as_list or is_item or not _is_prose(lines, last):
        between = ["", written]
    else:
        lines[last] = end.rstrip() + _gap(end.rstrip()) + written
        between = []
    return "\n".join([*lines[: last + 1], *between, *lines[last + 1 :]])


def headings_of(content: str) -> list[str]:
    """Return the words of a page's headings in their order."""
    lines = content.split("\n")
    return [match[2] or "" for _, match in _headings(lines)]


def heading_above(content: str, place: int) -> str:
    """Return the words of the last heading before a place; blank when there is none."""
    found = headings_of(content[:place])
    return found[-1] if found else ""


def sentences_named(content: str, hashes: Collection[str]) -> list[Sentence]:
    """Return the sentences of a text that have one of the hashes."""
    return [sentence for sentence in split_sentences(content) if sentence.hash in hashes]


def _cut_out(content: str, sentence: Sentence) -> str:
    start, end = sentence.start, sentence.end
    line_start = content.rfind("\n", 0, start) + 1
    line_end = content.find("\n", end)
    line_end = len(content) if line_end < 0 else line_end
    before, after = content[line_start:start], content[end:line_end]
    if after.strip():
        cut = len(after) - len(after.lstrip())
        return content[:start] + content[end + cut :]
    if not _EMPTY_ITEM.match(before):
        return content[:start].rstrip(" \t") + content[line_end:]
    return _without_line(content, line_start, line_end)


def _without_line(content: str, line_start: int, line_end: int) -> str:
    head, tail = content[:line_start], content[line_end:].removeprefix("\n")
    alone = (not head or head.endswith("\n\n")) and (not tail or tail.startswith("\n"))
    if not alone:
        return head + tail
    tail = tail.lstrip("\n")
    if not tail:
        head = head.rstrip("\n")
        head = head + "\n" if head else ""
    return _without_bare_heading(head, tail)


def _without_bare_heading(head: str, tail: str) -> str:
    """Drop the heading that a section lost its last words from."""
    lines = head.rstrip("\n").split("\n")
    above = _HEADING.match(lines[-1])
    below = _HEADING.match(tail.split("\n", 1)[0])
    is_bare = above and (not tail or (below and len(below[1]) <= len(above[1])))
    if not is_bare:
        return head + tail
    rest = "\n".join(lines[:-1]).rstrip("\n")
    if not rest:
        return tail
    if not tail:
        return (
            _without_bare_heading(rest + "\n", "")
            if _HEADING.match(rest.split("\n")[-1])
            else rest + "\n"
        )
    return f"{rest}\n\n{tail}"


def _headings(lines: list[str]) -> Iterable[tuple[int, re.Match[str]]]:
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        elif match := _HEADING.match(line):
            yield number, match


def _section_lines(lines: list[str], heading: str) -> tuple[int, int] | None:
    """Return the first line of a section and its last one with words, before its subsections."""
    found = list(_headings(lines))
    places = [number for number, _ in found]
    if not heading.strip():
        first, stop = 0, places[0] if places else len(lines)
    else:
        wanted = " ".join(heading.split()).casefold()
        named = [n for n, match in found if " ".join((match[2] or "").split()).casefold() == wanted]
        if not named:
            return None
        first = named[0] + 1
        stop = next((place for place in places if place >= first), len(lines))
    last = stop - 1
    while last >= first and not lines[last].strip():
        last -= 1
    return first, last


def _is_prose(lines: list[str], last: int) -> bool:
    line = lines[last]
    return not (
        line.lstrip().startswith(("|", ">", "```", "~~~", "!["))
        or line.startswith(("    ", "\t"))
        or line.strip().startswith("<!--")
    )


def _section(heading: str, written: str) -> str:
    return f"## {heading.strip()}\n\n{written}" if heading.strip() else written


def _written(sentences: list[str], as_list: bool) -> str:
    if as_list:
        return "\n".join(f"- {sentence}" for sentence in sentences)
    text = ""
    for sentence in sentences:
        text += (_gap(text) if text else "") + sentence
    return text


def _gap(text: str) -> str:
    return "" if _CJK_END.search(text) else " "
