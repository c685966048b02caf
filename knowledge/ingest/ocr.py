"""Reads the text of pages that only hold a picture: scans and photographs.

A page is drawn in a forked child of the parser process, its pixels go to the OCR process.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from core.isolation import MIB, Limits
from knowledge.ingest.helper_process import HelperProcess, ParseCancelled
from knowledge.ingest.ocr_layout import OcrLine, arrange
from knowledge.ingest.parse import run_parser
from knowledge.parsers.contract import Block, ParseRefused

_logger = logging.getLogger(__name__)
_OCR = HelperProcess("knowledge.ingest.ocr_worker", idle_seconds=60.0)
_ONE_AT_A_TIME = threading.Lock()
"""The OCR process reads one picture after another; waiting here can be cancelled."""
_DRAW_LIMITS = Limits(cpu_seconds=20, wall_seconds=40.0)
_READ_LIMITS = Limits(memory_bytes=4096 * MIB, cpu_seconds=None, wall_seconds=300.0)
_LOCK_POLL_SECONDS = 0.2
_LEAST_SCORE = 0.5


def ocr_pages(
    content_path: Path,
    pages: Iterable[int],
    *,
    password: str = "",
    should_cancel: Callable[[], bool] | None = None,
    scores: dict[int, float] | None = None,
) -> dict[int, tuple[Block, ...]]:
    """Return the blocks of each of `pages` (from 1) of a PDF; a picture has page 1 only.

    A page on which nothing is found has no blocks; a page that cannot be drawn is left out. How
    sure the engine was of each page, 0..1, is put into `scores`.

    Raises:
        ParseCancelled: `should_cancel` returned True.
        HelperUnavailable: a process does not start.
    """
    found: dict[int, tuple[Block, ...]] = {}
    with content_path.open("rb") as content:
        for page in pages:
            try:
                found[page], score = _read_page(content.fileno(), page, password, should_cancel)
                if scores is not None:
                    scores[page] = score
            except ParseRefused as refusal:
                _logger.info("Page %s of %s is not read: %s", page, content_path.name, refusal)
    return found


def _read_page(
    content: int, page: int, password: str, should_cancel: Callable[[], bool] | None
) -> tuple[tuple[Block, ...], float]:
    outcome = run_parser(
        {"work": "render", "page": page, "password": password},
        content=content,
        limits=_DRAW_LIMITS,
        should_cancel=should_cancel,
    )
    width, height = (outcome.answer or {})["size"]
    lines, score = _read_pixels(outcome.payload, width, height, should_cancel)
    return arrange(lines, page=page, width=width, height=height), score


def _read_pixels(
    pixels: bytes, width: int, height: int, should_cancel: Callable[[], bool] | None
) -> tuple[list[OcrLine], float]:
    picture = os.memfd_create("picture")
    try:
        with os.fdopen(picture, "wb", closefd=False) as file:
            file.write(pixels)
        answer = _ask(picture, {"width": width, "height": height}, should_cancel)
    finally:
        os.close(picture)
    lines = [
        OcrLine(left=left, top=top, right=right, bottom=bottom, text=text)
        for (left, top, right, bottom), text, score in answer["lines"]
        if score >= _LEAST_SCORE and text.strip()
    ]
    return lines, _mean_score(answer["lines"])


def _mean_score(lines: Iterable[tuple[Any, str, float]]) -> float:
    """Return the mean by letters, of the lines that are left out for their score, too."""
    letters = total = 0.0
    for _, text, score in lines:
        letters += len(text)
        total += len(text) * score
    return round(total / letters, 4) if letters else 0.0


def _ask(
    picture: int, request: dict[str, Any], should_cancel: Callable[[], bool] | None
) -> dict[str, Any]:
    while not _ONE_AT_A_TIME.acquire(timeout=_LOCK_POLL_SECONDS):
        if should_cancel is not None and should_cancel():
            raise ParseCancelled("The work was cancelled.")
    try:
        outcome = _OCR.run(
            request, content=picture, limits=_READ_LIMITS, should_cancel=should_cancel
        )
    finally:
        _ONE_AT_A_TIME.release()
    if outcome.answer is None:
        raise ParseRefused("timed_out", "Reading the picture took too long and was stopped.")
    if "failed" in outcome.answer:
        _logger.warning("OCR failed: %s", outcome.answer["failed"])
    return outcome.answer
