"""How fast texts are split, and what stays whole, beside langchain-text-splitters when installed.

Texts are what the parsers read from the shared documents, and the documents that are Markdown. Each
splitter gets the same texts and the same limit in one run. A table row keeps its header when the
chunk it stands in has the table's first line, too; a fence is intact when its marks come in pairs.
Untrusted text must not stop a worker: one mark repeated ten times as often may take about ten times
as long.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import _django  # noqa: F401  # first: the others need it
from benchmarks._report import finish, no_data, print_table, progress, shared_data
from knowledge.base_settings import SplitOptions
from knowledge.ingest.parse import parse_file
from knowledge.ingest.split import SplitSettings, split
from knowledge.ingest.tiers import split_document
from knowledge.ingest.units import read_units
from knowledge.parsers.contract import Block, ParsedDocument, ParseRefused

NAME = "splitting"
SIZE = 1_200
LEAST_MB = 20
LEAST_SPEED = 8.0
"""MB a CPU second: well over what reading a file takes (`parsing.py`), so that it never waits."""
LEAST_ROWS = 0.95
HOSTILE_PARTS = (
    *("[a](", "$$ x ", "`", "| a | b |\n", "1.1 A\n", "\f", "# \n", "CAPS\n", "```\n"),
    "https://",
)
FEW_TIMES, MANY_TIMES = 2_000, 20_000
MOST_GROWTH = 30.0
"""Ten times the text: ten is linear, a hundred is quadratic."""
LEAST_SECONDS = 0.005
"""Shorter times are noise: they count as this."""

Splitter = Callable[[str], Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One splitter on all texts."""

    name: str
    megabytes_a_second: float
    rows_with_header: float
    fences_intact: float
    chunks: int
    over_limit: int


def read_texts(folder: Path) -> list[str]:
    """Return what is read from the files; those that are refused are left out."""
    texts = []
    for path in sorted(path for path in folder.glob("*") if path.is_file()):
        try:
            texts.append(parse_file(path, path.name).text)
        except ParseRefused:
            progress(f"refused: {path.name}")
    return [text for text in texts if text.strip()]


def measure(name: str, splitter: Splitter, texts: Sequence[str]) -> Measured:
    """Split all texts until there is enough to time, and judge the chunks of one round."""
    size = sum(len(text.encode()) for text in texts)
    rounds = max(1, round(LEAST_MB * 1e6 / size))
    began = time.process_time()
    for _ in range(rounds):
        made = [splitter(text) for text in texts]
    seconds = time.process_time() - began
    chunks = [chunk for each in made for chunk in each]
    return Measured(
        name=name,
        megabytes_a_second=size * rounds / 1e6 / seconds,
        rows_with_header=_rows_with_header(texts, made),
        fences_intact=_fences_intact(chunks),
        chunks=len(chunks),
        over_limit=sum(len(chunk) > SIZE for chunk in chunks),
    )


def _rows_with_header(texts: Sequence[str], made: Sequence[Sequence[str]]) -> float:
    kept = total = 0
    for text, chunks in zip(texts, made, strict=True):
        for unit in read_units(text):
            if unit.kind != "table":
                continue
            lines = text[unit.start : unit.end].split("\n")
            for row in lines[2:]:
                holding = [chunk for chunk in chunks if row in chunk]
                total += 1
                kept += any(lines[0] in chunk for chunk in holding)
    return kept / total if total else 1.0


def _fences_intact(chunks: Sequence[str]) -> float:
    fenced = [chunk for chunk in chunks if "```" in chunk]
    whole = sum(chunk.count("\n```") + chunk.startswith("```") for chunk in fenced)
    return (
        sum((c.count("\n```") + c.startswith("```")) % 2 == 0 for c in fenced) / len(fenced)
        if whole
        else 1.0
    )


def _document(text: str) -> ParsedDocument:
    return ParsedDocument(blocks=(Block(markdown=text),))


def steepest_growth() -> tuple[float, str]:
    """Return how many times as long ten times a hostile text takes at most, and of which part."""
    return max(
        (_growth(part, strategy), f"{part!r}, {strategy}")
        for part in HOSTILE_PARTS
        for strategy in ("auto", "heuristic")
    )


def _growth(part: str, strategy: str) -> float:
    options = SplitOptions.model_validate({"size_characters": SIZE, "strategy": strategy})

    def seconds(times: int) -> float:
        document, tries = _document(part * times), []
        for _ in range(3):
            began = time.process_time()
            split_document(document, options)
            tries.append(time.process_time() - began)
        return max(min(tries), LEAST_SECONDS)

    return seconds(MANY_TIMES) / seconds(FEW_TIMES)


def splitters() -> dict[str, Splitter]:
    """Return ours, and those of langchain where it is installed."""
    settings, options = SplitSettings(size=SIZE), SplitOptions(size_characters=SIZE)
    parts = SplitOptions(parents=True)
    found: dict[str, Splitter] = {
        "this, by headings": lambda text: [c.text for c in split(_document(text), settings)],
        "this, automatic": lambda text: [
            c.text for c in split_document(_document(text), options).chunks
        ],
        "this, parts in sections": lambda text: [
            c.text for c in split_document(_document(text), parts).chunks
        ],
    }
    if find_spec("langchain_text_splitters") is None:
        progress("langchain-text-splitters is not installed: no peer is measured")
        return found
    peers = import_module("langchain_text_splitters")
    for name in ("MarkdownTextSplitter", "RecursiveCharacterTextSplitter"):
        found[f"langchain {name}"] = getattr(peers, name)(
            chunk_size=SIZE, chunk_overlap=0
        ).split_text
    return found


def main() -> int:
    """Measure all splitters, print the table and the last line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=shared_data("documents"))
    folder: Path = arguments.parse_args().folder
    texts = read_texts(folder) if folder.is_dir() else []
    if not texts:
        return no_data(NAME, folder)
    progress(f"{len(texts)} texts, {sum(map(len, texts)) / 1e6:.1f} million characters")
    rows = [measure(name, each, texts) for name, each in splitters().items()]
    print_table(
        ["splitter", "MB/cpu-s", "rows with header", "fences intact", "chunks", "over limit"],
        [
            [
                row.name,
                f"{row.megabytes_a_second:.1f}",
                f"{row.rows_with_header:.3f}",
                f"{row.fences_intact:.3f}",
                row.chunks,
                row.over_limit,
            ]
            for row in rows
        ],
    )
    growth, part = steepest_growth()
    progress(f"ten times the text takes {growth:.1f} times as long at most: {part}")
    ours = rows[1]
    met = ours.rows_with_header >= LEAST_ROWS and ours.megabytes_a_second >= LEAST_SPEED
    return finish(
        NAME,
        f"{ours.megabytes_a_second:.1f} MB/cpu-s, {ours.rows_with_header:.1%} of rows, "
        f"growth {growth:.1f}",
        target=f"{LEAST_SPEED:g} MB/cpu-s, {LEAST_ROWS:.0%} of table rows with their header, "
        f"growth < {MOST_GROWTH:g}",
        met=met and growth < MOST_GROWTH,
    )


if __name__ == "__main__":
    sys.exit(main())
