"""Checks that every mark such as [1] has a source, and every source a mark; ends with 1 otherwise."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from cite import read_sources

MARK = re.compile(r"\[(\d{1,3}(?:\s*[,–-]\s*\d{1,3})*)\](?!\()")
MOST = 999


def main() -> None:
    """Read text and sources and print what does not fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", required=True)
    parser.add_argument("--sources", required=True)
    arguments = parser.parse_args()
    path = Path(arguments.text)
    if not path.is_file():
        sys.stderr.write(f"error: there is no file {path}\n")
        raise SystemExit(2)
    sources = read_sources(Path(arguments.sources))
    marks = numbers(path.read_text(encoding="utf-8"))
    known = set(range(1, len(sources) + 1))
    problems = [f"the mark [{each}] has no source" for each in sorted(marks - known)]
    problems += [
        f"the source {each} ({sources[each - 1].get('title', '')}) is not cited"
        for each in sorted(known - marks)
    ]
    print(json.dumps({"marks": len(marks), "problems": problems}, ensure_ascii=False))
    raise SystemExit(1 if problems else 0)


def numbers(text: str) -> set[int]:
    """Return the numbers of all marks; 2-4 is 2, 3 and 4."""
    found: set[int] = set()
    for inner in MARK.findall(text):
        for part in inner.split(","):
            ends = [int(each) for each in re.split(r"[–-]", part.strip())]
            found.update(range(ends[0], min(ends[-1], MOST) + 1))
    return found


if __name__ == "__main__":
    main()
