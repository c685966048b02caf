"""Does the confidence of a page tell the spoiled ones from the sound ones?

Run: `python -m benchmarks.health [FOLDER [EXPECTATIONS]]`. Sound are the pages of the shared
documents of which all expectations hold; spoiled are the same pages with another encoding, with
letters swapped, lost or shuffled, with most text gone, scanned at low resolution, and those on which
an expectation fails when another engine reads them. Prints the area under the curve (the chance
that a spoiled page stands below a sound one) and what health costs beside parsing; exit code 1
when the area is below 0.9 or the cost above a tenth.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import pypdfium2  # type: ignore[import-untyped]  # ships no types

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks._report import finish, no_data, print_table, progress, shared_data
from knowledge.health.score import confidence, score_document
from knowledge.health.signals import signals_of
from knowledge.ingest.isolated import ReadOptions, parse_content
from knowledge.ingest.ocr import ocr_pages
from knowledge.ingest.warmup import warm_parsers
from knowledge.parsers.contract import Block, ParsedDocument
from knowledge.parsers.pdf_ink import ink_of_page, ink_where_text_is_scarce
from tests.knowledge.parsers.expectations import Check, load_checks

NAME = "health of pages"
TARGET_AREA, TARGET_COST = 0.9, 0.1
SCANS, SCAN_DPI = 10, 36
POINTS_PER_INCH = 72
FEWEST_LETTERS = 80
"""With less text nothing can be told from it."""
KEPT_TEXT = 0.05


@dataclass(frozen=True)
class Page:
    """A page as it was read."""

    file: str
    number: int
    blocks: tuple[Block, ...]
    ink: float | None
    whole_ink: float | None
    """Also of pages with much text, for what is left when it is gone."""


def pages_of(path: Path, document: ParsedDocument) -> list[Page]:
    """Return the pages that hold text."""
    inks: dict[int, float | None] = {}
    if path.suffix == ".pdf":
        with pypdfium2.PdfDocument(path.read_bytes()) as pdf:
            inks = {number: ink_of_page(pdf, number) for number in range(1, len(pdf) + 1)}
    found: dict[int, list[Block]] = {}
    for block in document.blocks:
        if not block.hidden:
            found.setdefault(block.page or 1, []).append(block)
    return [
        Page(path.name, number, tuple(blocks), document.page_ink.get(number), inks.get(number))
        for number, blocks in found.items()
        if sum(len("".join(block.markdown.split())) for block in blocks) >= FEWEST_LETTERS
    ]


def value_of(blocks: Sequence[Block], ink: float | None, ocr: float | None = None) -> float:
    """Return the confidence of a page."""
    return confidence(signals_of(blocks, ink=ink, ocr=ocr))


def rewritten(page: Page, change: Callable[[str], str]) -> float:
    """Return the confidence of a page of which each text was changed."""
    blocks = [replace(block, markdown=change(block.markdown)) for block in page.blocks]
    return value_of(blocks, page.ink)


def wrong_encoding(text: str) -> str:
    """Read UTF-8 as a code page of one byte; plain ASCII as UTF-16, where that shows nothing."""
    data = text.encode()
    if len(data) - len(text) > 0.02 * len(text):
        return data.decode("cp1252", "replace")
    return (data + b" " * (len(data) % 2)).decode("utf-16-le", "replace")


def swapped(random_source: random.Random, page: Page) -> Callable[[str], str]:
    """Return what a font with a wrong map of letters does."""
    letters = sorted({sign for block in page.blocks for sign in block.markdown if sign.isalpha()})
    others = random_source.sample(letters, len(letters))
    table = dict(zip(map(ord, letters), others, strict=True))
    return lambda text: text.translate(table)


def lost(random_source: random.Random) -> Callable[[str], str]:
    """Return what a font without a map does to a part of the letters."""
    return lambda text: "".join(
        chr(0xE000 + ord(sign) % 0x1000)
        if sign.isalpha() and random_source.random() < 0.3
        else sign
        for sign in text
    )


def shuffled(random_source: random.Random) -> Callable[[str], str]:
    """Return what the wrong order of letters within words does."""
    return lambda text: " ".join(
        "".join(random_source.sample(word, len(word))) for word in text.split()
    )


def mostly_gone(page: Page) -> float | None:
    """Return the confidence of a page of which little text is left, where its ink is known."""
    if page.whole_ink is None:
        return None
    text = "\n".join(block.markdown for block in page.blocks)
    left = Block(markdown=text[: int(KEPT_TEXT * len(text))], page=page.number)
    return value_of([left], page.whole_ink)


def scans(folder: Path, pages: Sequence[Page]) -> Iterator[float]:
    """Yield the confidence of pages that were scanned at a resolution too low to be read well."""
    for page in pages:
        with pypdfium2.PdfDocument((folder / page.file).read_bytes()) as pdf:
            scale = SCAN_DPI / POINTS_PER_INCH
            image = pdf[page.number - 1].render(scale=scale, grayscale=True).to_pil()
        content = io.BytesIO()
        image.save(content, "PDF", resolution=SCAN_DPI)
        with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
            Path(file.name).write_bytes(content.getvalue())
            scores: dict[int, float] = {}
            blocks = ocr_pages(Path(file.name), [1], scores=scores).get(1, ())
        with pypdfium2.PdfDocument(content.getvalue()) as pdf:
            ink = ink_where_text_is_scarce(pdf, blocks).get(1)
        signals = signals_of(blocks, ink=ink, ocr=scores.get(1), is_unread=not blocks)
        yield confidence(signals)


def failing(
    folder: Path, checks: Sequence[Check], pages: Sequence[Page], engine: str
) -> Iterator[float]:
    """Yield the confidence of pages on which an expectation fails when `engine` reads them."""
    for name in sorted({page.file for page in pages if page.file.endswith(".pdf")}):
        options = ReadOptions(engines={"pdf": engine})
        other = parse_content((folder / name).read_bytes(), name, options)
        failed = [
            check for check in checks if check.file == name and not check.holds_for(other.text)
        ]
        numbers = {
            page.number
            for page in pages
            if page.file == name
            for check in failed
            if check.holds_for("\n\n".join(block.markdown for block in page.blocks))
        }
        scores = {score.page: score.confidence for score in score_document(other)}
        yield from (scores[number] for number in sorted(numbers))


def area(sound: Sequence[float], spoiled: Sequence[float]) -> float:
    """Return the chance that a spoiled page stands below a sound one; half for a tie."""
    won = sum((bad < good) + (bad == good) / 2 for bad in spoiled for good in sound)
    return won / max(len(sound) * len(spoiled), 1)


def cost(paths: Sequence[Path]) -> float:
    """Return the time that health takes, as a share of the time that parsing takes without it."""
    parsing = health = 0.0
    for path in paths:
        content = path.read_bytes()
        started = time.process_time()
        document = parse_content(content, path.name)
        read = time.process_time()
        score_document(document)
        scored = time.process_time()
        drawn = drawing_seconds(content, document) if path.suffix == ".pdf" else 0.0
        parsing += read - started - drawn
        health += scored - read + drawn
    return health / parsing


def drawing_seconds(content: bytes, document: ParsedDocument) -> float:
    """Return what the parser took to draw the pages with little text: it did it once, too."""
    with pypdfium2.PdfDocument(content) as pdf:
        started = time.process_time()
        ink_where_text_is_scarce(pdf, document.blocks)
        return time.process_time() - started


def main() -> int:
    """Spoil, score, print the table and the last line."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path, default=shared_data("documents"))
    arguments.add_argument(
        "expectations", nargs="?", type=Path, default=shared_data("expectations.jsonl")
    )
    given = arguments.parse_args()
    folder: Path = given.folder
    paths = sorted(path for path in folder.glob("*") if path.is_file())
    if not paths:
        return no_data(NAME, folder)
    warm_parsers()
    checks = load_checks(given.expectations)
    source = random.Random(7)  # noqa: S311 - spoils texts the same way each time
    pages: list[Page] = []
    for path in paths:
        document = parse_content(path.read_bytes(), path.name)
        if all(check.holds_for(document.text) for check in checks if check.file == path.name):
            pages += pages_of(path, document)
    sound = [value_of(page.blocks, page.ink) for page in pages]
    to_scan = source.sample([page for page in pages if page.file.endswith(".pdf")], SCANS)
    progress(f"{len(pages)} sound pages; {SCANS} are scanned and read by OCR")
    spoiled = {
        "wrong encoding": [rewritten(page, wrong_encoding) for page in pages],
        "letters swapped": [rewritten(page, swapped(source, page)) for page in pages],
        "letters lost": [rewritten(page, lost(source)) for page in pages],
        "letters shuffled": [rewritten(page, shuffled(source)) for page in pages],
        "text gone": [value for page in pages if (value := mostly_gone(page)) is not None],
        f"scanned at {SCAN_DPI} dpi": list(scans(folder, to_scan)),
        "other engine": list(failing(folder, checks, pages, "pdf-plain")),
    }
    everything = [value for values in spoiled.values() for value in values]
    rows = [
        (
            kind,
            len(values),
            f"{median(values):.2f}",
            f"{max(values):.2f}",
            f"{area(sound, values):.3f}",
        )
        for kind, values in {"sound": sound, **spoiled}.items()
        if values
    ]
    print_table(("pages", "number", "median", "most", "area"), rows)
    share = min(cost(paths) for _ in range(3))
    found = area(sound, everything)
    return finish(
        NAME,
        f"area {found:.3f}, {share:.1%} of the time of parsing",
        target=f"≥ {TARGET_AREA}, ≤ {TARGET_COST:.0%}",
        met=found >= TARGET_AREA and share <= TARGET_COST,
    )


if __name__ == "__main__":
    sys.exit(main())
