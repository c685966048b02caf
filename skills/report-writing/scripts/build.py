"""Builds a report in Markdown from a plan in JSON."""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

MOST_ROWS = 40


def main() -> None:
    """Read the plan, build and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plan", required=True)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    output = Path(arguments.output)
    plan = read_plan(Path(arguments.plan))
    text = build(plan, output.parent)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="utf-8")
    print(json.dumps({"written": str(output), "sections": len(plan["sections"])}))


def stop(message: str) -> NoReturn:
    """End with a sentence that says what to do."""
    sys.stderr.write(f"error: {message}\n")
    raise SystemExit(2)


def read_plan(path: Path) -> dict[str, Any]:
    """Return the plan, complete."""
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        stop(f"there is no file {path}")
    except ValueError as error:
        stop(f"{path.name} is not JSON: {error}")
    for name in ("title", "summary", "sections"):
        if not plan.get(name):
            stop(f"the plan has no {name!r}")
    for number, section in enumerate(plan["sections"], start=1):
        if not section.get("heading") or not section.get("text"):
            stop(f"section {number} needs a heading and a text")
    return dict(plan)


def build(plan: dict[str, Any], folder: Path) -> str:
    """Return the whole report."""
    parts = [f"# {plan['title']}"]
    if plan.get("subtitle"):
        parts.append(f"*{plan['subtitle']}*")
    parts += ["## Summary", plan["summary"].strip()]
    if len(plan["sections"]) > 3:
        headings = [section["heading"] for section in plan["sections"]]
        parts += ["## Contents", "\n".join(f"* [{each}](#{anchor(each)})" for each in headings)]
    tables = pictures = 0
    for section in plan["sections"]:
        parts += [f"## {section['heading']}", section["text"].strip()]
        if section.get("table"):
            tables += 1
            title = section.get("table_title", "")
            parts += [f"**Table {tables}.** {title}".rstrip(), table(Path(section["table"]))]
        if section.get("picture"):
            pictures += 1
            title = section.get("picture_title", "")
            parts.append(picture(Path(section["picture"]), folder, f"Figure {pictures}. {title}"))
    if plan.get("sources"):
        listed = [f"[{number}] {each}" for number, each in enumerate(plan["sources"], start=1)]
        parts += ["## Sources", "\n\n".join(listed)]
    return "\n\n".join(parts) + "\n"


def anchor(heading: str) -> str:
    """Return the name by which a heading is linked."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def table(path: Path) -> str:
    """Return a CSV file as a table."""
    if not path.is_file():
        stop(f"there is no table {path}")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    if not rows:
        stop(f"the table {path} is empty")
    if len(rows) > MOST_ROWS + 1:
        stop(f"the table {path} has {len(rows) - 1} rows; at most {MOST_ROWS} fit, summarise it")
    width = len(rows[0])
    cells = [[each.replace("|", "\\|") for each in (row + [""] * width)[:width]] for row in rows]
    lines = [cells[0], ["---"] * width, *cells[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def picture(path: Path, folder: Path, title: str) -> str:
    """Return a picture with its title, its address as seen from the report."""
    if not path.is_file():
        stop(f"there is no picture {path}")
    title = title.rstrip(". ")
    return f"![{title}]({Path(os.path.relpath(path, folder)).as_posix()})\n\n*{title}*"


if __name__ == "__main__":
    main()
