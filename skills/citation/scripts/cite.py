"""Formats a list of sources in a style; prints as JSON what is missing."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Source = dict[str, Any]
NEEDED = {
    "article": ("authors", "title", "journal", "year"),
    "book": ("authors", "title", "publisher", "year"),
    "report": ("authors", "title", "publisher", "year"),
    "web": ("title", "url", "accessed"),
}
GBT_TYPES = {"article": "J", "book": "M", "report": "R", "web": "EB/OL"}


def main() -> None:
    """Read the sources, write them in the style, and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sources", required=True)
    parser.add_argument("--style", choices=sorted(STYLES), required=True)
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    sources = read_sources(Path(arguments.sources))
    if arguments.style in NUMBERED:
        lines = [f"[{n}] {STYLES[arguments.style](s)}" for n, s in enumerate(sources, start=1)]
    else:
        ordered = sorted(sources, key=lambda s: (first_author(s).lower(), str(s.get("year", ""))))
        lines = [STYLES[arguments.style](source) for source in ordered]
    output = Path(arguments.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    missing = [
        {"source": number, "title": source.get("title", ""), "missing": gaps}
        for number, source in enumerate(sources, start=1)
        if (gaps := [name for name in NEEDED[source["type"]] if not source.get(name)])
    ]
    print(
        json.dumps(
            {"written": str(output), "sources": len(sources), "missing": missing},
            ensure_ascii=False,
        )
    )


def read_sources(path: Path) -> list[Source]:
    """Return the sources of a file; ends with what to mend when it cannot be used."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        sys.stderr.write(f"error: there is no file {path}\n")
        raise SystemExit(2) from None
    except ValueError as error:
        sys.stderr.write(f"error: {path.name} is not JSON: {error}\n")
        raise SystemExit(2) from None
    for number, source in enumerate(raw, start=1):
        if source.get("type") not in NEEDED:
            sys.stderr.write(f"error: source {number} needs a type: {', '.join(NEEDED)}\n")
            raise SystemExit(2)
    return list(raw)


def first_author(source: Source) -> str:
    """Return what a source is sorted by."""
    return str((source.get("authors") or [source.get("title", "")])[0])


def split(author: str) -> tuple[str, str]:
    """Return family and given names; an organisation has no given name."""
    family, _comma, given = author.partition(",")
    return family.strip(), given.strip()


def initials(given: str) -> str:
    """Return given names as initials."""
    return " ".join(f"{part[0]}." for part in given.replace("-", " ").split())


def joined(names: list[str], last: str) -> str:
    """Return names in a row, with a word before the last."""
    if len(names) < 3:
        return last.join(names)
    return f"{', '.join(names[:-1])},{last}{names[-1]}"


def parts(*texts: str, between: str = ". ") -> str:
    """Return the texts that are there, each without a full stop of its own, with one at the end."""
    present = [text.strip().rstrip(".") for text in texts if text.strip()]
    return between.join(present) + ("." if present else "")


def field(source: Source, name: str, form: str = "{}") -> str:
    """Return a field in a form; empty when it is not there."""
    value = source.get(name)
    return form.format(value) if value else ""


def link(source: Source) -> str:
    """Return where it is found, the DOI first."""
    return field(source, "doi", "https://doi.org/{}") or field(source, "url")


def ended(text: str, address: str) -> str:
    """Return a text with an address behind it; addresses have no full stop."""
    return f"{text} {address}".strip()


def apa(source: Source) -> str:
    """Return a source in the style of the APA."""
    people = [split(each) for each in source.get("authors") or []]
    names = [f"{family}, {initials(given)}" if given else family for family, given in people]
    where = ""
    if source["type"] == "article":
        volume = field(source, "volume", "*{}*") + field(source, "issue", "({})")
        where = ", ".join(
            t for t in (field(source, "journal", "*{}*"), volume, field(source, "pages")) if t
        )
    title = (
        field(source, "title") if source["type"] == "article" else field(source, "title", "*{}*")
    )
    number = field(source, "number", " (No. {})") if source["type"] == "report" else ""
    publisher = field(source, "site") or field(source, "publisher")
    if publisher in (source.get("authors") or []):
        publisher = ""
    year = f"({source.get('year') or 'n.d.'})"
    who = joined(names, ", & " if len(names) == 2 else " & ").rstrip(".")
    head = f"{who}{'.' if names and people[-1][1] else ''} {year}" if who else ""
    if not head:
        return ended(parts(title + number, year, where, publisher), link(source))
    return ended(f"{head}. {parts(title + number, where, publisher)}", link(source))


def mla(source: Source) -> str:
    """Return a source in the style of the MLA."""
    people = [split(each) for each in source.get("authors") or []]
    who = ""
    if people:
        family, given = people[0]
        who = f"{family}, {given}" if given else family
        if len(people) == 2:
            who += f", and {' '.join(reversed(people[1])).strip()}"
        elif len(people) > 2:
            who += ", et al"
    is_part = source["type"] in ("article", "web")
    title = field(source, "title", "“{}.”") if is_part else field(source, "title", "*{}*.")
    inner = [
        field(source, "journal", "*{}*") or field(source, "site", "*{}*"),
        field(source, "volume", "vol. {}"),
        field(source, "issue", "no. {}"),
        field(source, "publisher"),
        field(source, "year"),
        field(source, "pages", "pp. {}"),
        link(source),
    ]
    rest = ", ".join(text for text in inner if text)
    seen = field(source, "accessed", " Accessed {}.")
    return f"{parts(who)} {title} {rest}.{seen}".strip()


def chicago(source: Source) -> str:
    """Return a source in the style of Chicago, author and date."""
    people = [split(each) for each in source.get("authors") or []]
    names = [
        (f"{family}, {given}" if number == 0 else f"{given} {family}") if given else family
        for number, (family, given) in enumerate(people)
    ]
    is_part = source["type"] in ("article", "web")
    title = field(source, "title", "“{}.”") if is_part else field(source, "title", "*{}*.")
    who = joined(names, ", and " if len(names) == 2 else " and ")
    head = f"{parts(who)} {source.get('year') or 'n.d.'}. {title}".strip()
    if source["type"] == "article":
        volume = " ".join(
            t for t in (field(source, "journal", "*{}*"), field(source, "volume")) if t
        )
        where = volume + field(source, "issue", " ({})") + field(source, "pages", ": {}")
    else:
        place = field(source, "place", "{}: ")
        where = place + (field(source, "publisher") or field(source, "site"))
    return ended(f"{head} {parts(where)}", link(source))


def ieee(source: Source) -> str:
    """Return a source in the style of the IEEE."""
    people = [split(each) for each in source.get("authors") or []]
    names = [f"{initials(given)} {family}" if given else family for family, given in people]
    is_part = source["type"] in ("article", "web")
    title = field(source, "title", "“{},”") if is_part else field(source, "title", "*{}*,")
    inner = [
        field(source, "journal", "*{}*") or field(source, "site"),
        field(source, "volume", "vol. {}"),
        field(source, "issue", "no. {}"),
        field(source, "pages", "pp. {}"),
        field(source, "publisher"),
        field(source, "number", "Rep. {}"),
        field(source, "year"),
        field(source, "doi", "doi: {}"),
    ]
    who = f"{joined(names, ' and ')}, " if names else ""
    text = f"{who}{title} {', '.join(each for each in inner if each)}.".replace(" .", ".")
    online = field(source, "url", " [Online]. Available: {}") if not source.get("doi") else ""
    return text + online


def gbt7714(source: Source) -> str:
    """Return a source as GB/T 7714-2015 has it."""
    names = []
    for author in (source.get("authors") or [])[:3]:
        family, given = split(author)
        short = "".join(part[0] for part in given.split() if part).upper()
        is_wide = any("\u3400" <= each <= "\u9fff" for each in author)
        names.append(family + given if is_wide else f"{family.upper()} {short}".strip())
    if len(source.get("authors") or []) > 3:
        names.append("等" if any("\u3400" <= c <= "\u9fff" for c in names[0]) else "et al")
    title = field(source, "title") + f"[{GBT_TYPES[source['type']]}]"
    if source["type"] == "article":
        volume = (
            field(source, "volume")
            + field(source, "issue", "({})")
            + field(source, "pages", ": {}")
        )
        where = ", ".join(t for t in (field(source, "journal"), field(source, "year"), volume) if t)
    elif source["type"] == "web":
        day = field(source, "year", "({})") + field(source, "accessed", "[{}]")
        where = day + field(source, "url", ". {}")
        return f"{parts(', '.join(names))} {title}. {where}".strip() + "."
    else:
        maker = field(source, "place", "{}: ") + field(source, "publisher")
        where = ", ".join(text for text in (maker, field(source, "year")) if text)
    return f"{parts(', '.join(names), title, where)}"


STYLES: dict[str, Callable[[Source], str]] = {
    "apa": apa,
    "mla": mla,
    "chicago": chicago,
    "ieee": ieee,
    "gbt7714": gbt7714,
}
NUMBERED = ("ieee", "gbt7714")

if __name__ == "__main__":
    main()
