"""Compares two versions of a text by paragraph; prints counts and writes the changes as Markdown."""

from __future__ import annotations

import argparse
import difflib
import json
import re
from pathlib import Path

from outline import read_lines

NUMBER = re.compile(r"\d[\d.,:/-]*\d|\d")
ALIKE = 0.5
"""Two paragraphs that are at least so alike are one that was changed."""


def main() -> None:
    """Read both versions, compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", required=True)
    parser.add_argument("--new", required=True)
    parser.add_argument("--output", help="a Markdown file")
    arguments = parser.parse_args()
    old, new = paragraphs(Path(arguments.old)), paragraphs(Path(arguments.new))
    added, removed, changed = compare(old, new)
    numbers = [
        {
            "old": sorted(set(NUMBER.findall(a))),
            "new": sorted(set(NUMBER.findall(b))),
            "text": b[:200],
        }
        for a, b in changed
        if sorted(NUMBER.findall(a)) != sorted(NUMBER.findall(b))
    ]
    if arguments.output:
        output = Path(arguments.output)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(as_markdown(added, removed, changed), encoding="utf-8")
    report = {
        "paragraphs": {"old": len(old), "new": len(new)},
        "added": len(added),
        "removed": len(removed),
        "changed": len(changed),
        "changed_numbers": numbers,
    }
    print(json.dumps(report, ensure_ascii=False, indent=1))


def paragraphs(path: Path) -> list[str]:
    """Return the paragraphs of a text, blanks made even."""
    parts = re.split(r"\n\s*\n", "\n".join(read_lines(path)))
    return [" ".join(part.split()) for part in parts if part.strip()]


def compare(old: list[str], new: list[str]) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """Return what was added and removed, and pairs that were changed."""
    added: list[str] = []
    removed: list[str] = []
    changed: list[tuple[str, str]] = []
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for kind, a0, a1, b0, b1 in matcher.get_opcodes():
        if kind == "equal":
            continue
        left = old[a0:a1]
        for paragraph in new[b0:b1]:
            best = max(left, key=lambda each: likeness(each, paragraph), default="")
            if best and likeness(best, paragraph) >= ALIKE:
                left.remove(best)
                changed.append((best, paragraph))
            else:
                added.append(paragraph)
        removed += left
    return added, removed, changed


def likeness(a: str, b: str) -> float:
    """Return how alike two paragraphs are, from 0 to 1."""
    return difflib.SequenceMatcher(a=a.split(), b=b.split(), autojunk=False).ratio()


def as_markdown(added: list[str], removed: list[str], changed: list[tuple[str, str]]) -> str:
    """Return the changes for a person to read."""
    lines = ["# Changes", ""]
    lines += ["## Changed", "", *(f"* ~~{a}~~\n  **{b}**" for a, b in changed), ""]
    lines += ["## Added", "", *(f"* {each}" for each in added), ""]
    lines += ["## Removed", "", *(f"* {each}" for each in removed), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
