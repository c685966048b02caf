"""Looks for gaps in a report; ends with 1 when it finds some."""

from __future__ import annotations

import argparse
import json
import re
import sys
from itertools import pairwise
from pathlib import Path

LONGEST_PARAGRAPH = 900
PLACEHOLDER = re.compile(
    r"\b(?:TODO|TBD|FIXME|XXX|lorem ipsum)\b|\[(?:\.\.\.|…|insert[^\]]*)\]", re.I
)
HEADING = re.compile(r"^(#{1,6})\s+(.+)$", re.MULTILINE)
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
MARK = re.compile(r"(?<!!)\[(\d{1,3})\](?!\()")


def main() -> None:
    """Read the report and print what is wrong with it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True)
    path = Path(parser.parse_args().input)
    if not path.is_file():
        sys.stderr.write(f"error: there is no file {path}\n")
        raise SystemExit(2)
    text = path.read_text(encoding="utf-8")
    problems = [*structure(text), *pictures(text, path.parent), *sources(text), *wording(text)]
    print(
        json.dumps({"problems": problems, "words": len(text.split())}, ensure_ascii=False, indent=1)
    )
    raise SystemExit(1 if problems else 0)


def structure(text: str) -> list[str]:
    """Return what is wrong with the headings."""
    found = [(len(marks), title) for marks, title in HEADING.findall(text)]
    problems = []
    if sum(level == 1 for level, _title in found) != 1:
        problems.append("there must be exactly one title (# …)")
    if not any(title.strip().lower() == "summary" for _level, title in found):
        problems.append("there is no section Summary")
    for (above, _a), (below, title) in pairwise(found):
        if below > above + 1:
            problems.append(f"the heading {title!r} skips a level")
    sections = re.split(r"^#{1,6}\s+", text, flags=re.MULTILINE)[1:]
    problems += [
        f"the section {each.strip()!r} is empty"
        for each, (level, _title) in zip(sections, found, strict=True)
        if level > 1 and "\n" not in each.strip()
    ]
    return problems


def pictures(text: str, folder: Path) -> list[str]:
    """Return pictures that are not there or have no words."""
    problems = []
    for words, address in PICTURE.findall(text):
        if not words.strip():
            problems.append(f"the picture {address} has no title")
        if "://" in address:
            problems.append(f"the picture {address} lies elsewhere; save it beside the report")
        elif not (folder / address).is_file():
            problems.append(f"the picture {address} is not there")
    return problems


def sources(text: str) -> list[str]:
    """Return marks without a source and sources without a mark."""
    body, _heading, listed = text.partition("\n## Sources")
    marks = {int(each) for each in MARK.findall(body)}
    known = {int(each) for each in re.findall(r"^\[(\d{1,3})\]", listed, flags=re.MULTILINE)}
    missing = [f"the mark [{each}] has no source" for each in sorted(marks - known)]
    return missing + [f"the source [{each}] is not used" for each in sorted(known - marks)]


def wording(text: str) -> list[str]:
    """Return places that are not finished or too long."""
    problems = [f"a placeholder is left: {each[0]}" for each in PLACEHOLDER.finditer(text)]
    for part in text.split("\n\n"):
        plain = part.strip()
        if len(plain) > LONGEST_PARAGRAPH and not plain.startswith(("|", "*", "-", "!", "#")):
            problems.append(f"a paragraph is too long: {plain[:60]}…")
    return problems


if __name__ == "__main__":
    main()
